package import PressureKit
package import PressureSystem

/// A recording of a touch device, read piece by piece.
///
/// Its format is recognized from the content. Memory does not grow with the file.
package final class Recording {
  package let path: String
  package let description: DeviceDescription

  /// A sentence for people where the description had to be guessed; nil otherwise.
  package let remark: String?

  /// What another file says of the device, where one was given: it need not be read again with the recording.
  let given: DeviceDescription?

  private let reader: any RecordingReader

  // Asked of each event, within `next` alone: no book need be kept of who is at its memory.
  @exclusivity(unchecked) private var check: EventCheck
  private var hasEnded = false

  /// Opens a recording and reads its description.
  ///
  /// - Parameters:
  ///   - path: the recording.
  ///   - describe: a file with the description, where that is not in the recording; its events are ignored.
  ///   - given: the description itself, where it is known already.
  ///   - kind: what the recording may be besides a regular file.
  /// - Throws: why it cannot be read.
  package init(
    path: String, describe: String? = nil, given: DeviceDescription? = nil,
    accepting kind: InputFile.Kind = .any
  ) throws(RecordingError) {
    self.path = path
    let bytes = try ByteReader(path: path, keeping: LineReader.longestLine, accepting: kind)
    let format = try Recording.format(bytes)
    let isDescribed = describe != nil || given != nil
    let reader = try Recording.reader(format, bytes, isDescribed: isDescribed)
    if let describe, given == nil {
      self.given = try Recording.description(at: describe)
    } else {
      self.given = given
    }
    if let given = self.given {
      description = Recording.merged(given, with: reader.description)
    } else if format == .raw {
      throw .data(path, "raw events do not describe their device; add a file that does: --describe")
    } else if reader.description.axes.isEmpty, format != .libinput {
      description = try Recording.observedDescription(reader, bytes)
      self.reader = try Recording.reader(format, bytes, isDescribed: false)
      (check, remark) = (EventCheck(description), Recording.guessRemark(path))
      return
    } else {
      description = reader.description
    }
    (self.reader, check, remark) = (reader, EventCheck(description), nil)
    try checkCurrentSlot()
  }

  /// The next event, nil at the end; after it has thrown, it gives nil.
  package func next() throws(RecordingError) -> InputEvent? {
    guard !hasEnded else { return nil }
    hasEnded = true
    guard let event = try reader.next() else { return nil }
    if let objection = check.objection(to: event) { throw reader.fault(objection) }
    hasEnded = false
    return event
  }

  private func checkCurrentSlot() throws(RecordingError) {
    guard description.currentSlot != 0 else { return }
    if let objection = check.objection(toSlot: description.currentSlot) {
      throw .data(path, objection)
    }
  }
}

extension Recording {
  /// Recognizes the format from as few bytes as possible, as a pipe may be slow to give more.
  private static func format(_ bytes: ByteReader) throws(RecordingError) -> RecordingFormat {
    while bytes.rest.count < ByteReader.piece, try bytes.fill() {
      guard let format = RecordingFormat(head: bytes.rest) else { continue }
      guard case .refused(let reason) = format else { return format }
      throw .data(bytes.path, reason)
    }
    throw .data(bytes.path, RecordingFormat.unknown)
  }

  private static func reader(
    _ format: RecordingFormat, _ bytes: ByteReader, isDescribed: Bool
  ) throws(RecordingError) -> any RecordingReader {
    switch format {
    case .evemu: try EvemuFile(bytes)
    case .evtest: try EvtestFile(bytes)
    case .libinput: try LibinputFile(bytes, isDescribed: isDescribed)
    case .raw: RawFile(bytes)
    case .refused(let reason): throw .data(bytes.path, reason)
    }
  }

  /// The description that a file holds, whatever follows it.
  package static func description(at path: String) throws(RecordingError) -> DeviceDescription {
    let bytes = try ByteReader(path: path, keeping: LineReader.longestLine)
    let description = try reader(try format(bytes), bytes, isDescribed: false).description
    guard !description.axes.isEmpty else { throw .data(path, "describes no device with axes") }
    return description
  }

  /// The description in another file; the slot in use is better known by the recording, if at all.
  private static func merged(
    _ given: DeviceDescription, with recorded: DeviceDescription
  ) -> DeviceDescription {
    var description = given
    if recorded.axis(.slot) != nil { description.currentSlot = recorded.currentSlot }
    return description
  }

  /// The description that fits all events up to a fault, if there is one, which the second reading will find.
  private static func observedDescription(
    _ reader: any RecordingReader, _ bytes: ByteReader
  ) throws(RecordingError) -> DeviceDescription {
    guard bytes.rewind() else {
      throw .data(
        bytes.path, "nothing describes the device, and a pipe cannot be read twice to guess it")
    }
    var observed = ObservedAxes()
    while let event = try? reader.next() { observed.observe(event) }
    _ = bytes.rewind()
    return observed.complete(reader.description)
  }

  private static func guessRemark(_ path: String) -> String {
    "\(path): nothing describes the device; it is read as if its axes ended where its values do"
  }
}
