internal import PressureKit
internal import PressureSystem

/// The bytes of a recording and the reader for their format, which may have to read them twice.
struct RecordingSource {
  /// How many events are examined to find out whether the description is complete.
  private static let examinedEvents = 1024

  private let bytes: ByteReader
  private var format: RecordingFormat
  private var options: Recording.Options
  private let isDescribed: Bool

  /// Whether a file of YAML has to be read line by line.
  private(set) var isFragment = false

  init(
    _ bytes: ByteReader, _ options: Recording.Options, isDescribed: Bool
  ) throws(RecordingError) {
    self.bytes = bytes
    format = try RecordingSource.format(bytes)
    self.options = options
    self.isDescribed = isDescribed
  }

  /// Detects the format from as few bytes as possible, since a pipe may block.
  private static func format(_ bytes: ByteReader) throws(RecordingError) -> RecordingFormat {
    while bytes.rest.count < ByteReader.chunkSize, try bytes.fill() {
      if let format = FormatDetector.format(head: bytes.rest, isWhole: false) {
        return try supported(format, bytes.path)
      }
    }
    guard let format = FormatDetector.format(head: bytes.rest, isWhole: true) else {
      throw .data(bytes.path, RecordingFormat.unknown)
    }
    return try supported(format, bytes.path)
  }

  private static func supported(
    _ format: RecordingFormat, _ path: String
  ) throws(RecordingError) -> RecordingFormat {
    guard case .unsupported(let reason) = format else { return format }
    throw .data(path, reason)
  }

  /// A reader from the current position on, which is the start or, after `rewind`, the start again.
  func open(_ remarks: Remarks) throws(RecordingError) -> FormatReader {
    let device = options.device
    switch format {
    case .evemu: return .evemu(try TextFile(bytes, remarks, device: device))
    case .evtest: return .evtest(try TextFile(bytes, remarks, device: device))
    case .getevent: return .getevent(try TextFile(bytes, remarks, device: device))
    case .libinputFragment: return .libinputFragment(try TextFile(bytes, remarks, device: device))
    case .libinput:
      return .libinput(
        try LibinputFile(bytes, remarks, device: device, isDescribed: isDescribed))
    case .raw:
      if let device, device > 1 { throw .missingDevice(bytes.path, device) }
      return .raw(RawFile(bytes))
    case .unsupported(let reason): throw .data(bytes.path, reason)
    }
  }

  /// Completes the description, which another file may have given, by the events if necessary.
  ///
  /// The position is the start again.
  mutating func completion(of given: DeviceDescription?) throws(RecordingError) -> Completion {
    let reader = try openForCompletion()
    if given == nil, format == .raw {
      throw .data(bytes.path, "raw events have no device description; add one with --describe FILE")
    }
    let recorded = reader.description
    let description = given.map { RecordingSource.merged($0, with: recorded) } ?? recorded
    var observed = ObservedDevice(description, isGiven: given != nil)
    let error = examine(reader, &observed)
    if let error = bytes.keepingError { throw error }
    if let error, reader.certainty == .refuted, bytes.isSeekable { throw error }
    _ = bytes.rewind()
    var completion = try observed.completion(
      path: bytes.path, isWhole: format == .libinput, error: error)
    if given != nil { completion.remarks += observed.contradictions(to: recorded) }
    return completion
  }

  /// Reads events up to the first error, which the second pass reports, or until they agree with the description.
  ///
  /// A file of which the values are read as decimal is read to its end, as any line may show that they are not.
  /// A pipe is examined up to the first frame with a contact, since its events may come from a device that is in use.
  ///
  /// - Returns: the error, or nil.
  private func examine(
    _ reader: FormatReader, _ observed: inout ObservedDevice
  ) -> RecordingError? {
    if !bytes.isSeekable, observed.isUnsupported { return nil }
    var count = 0
    var isUndecided = true
    do throws(RecordingError) {
      while let event = try reader.next() {
        observed.observe(event)
        count += 1
        guard isUndecided else { continue }
        isUndecided =
          bytes.isSeekable
          ? count < RecordingSource.examinedEvents || reader.certainty == .assumed
          : event.code != .report || !observed.hasContact
        if !isUndecided, observed.isComplete { return nil }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Opens a recording, if necessary line by line: YAML cannot be parsed if a part of its beginning is missing.
  private mutating func openForCompletion() throws(RecordingError) -> FormatReader {
    let remarks = Remarks(path: bytes.path, isStrict: false)
    do throws(RecordingError) {
      let reader = try open(remarks)
      guard options.device == nil, let device = reader.selectedDevice else { return reader }
      // Its first events may precede the one that shows that it is a touch device.
      options.device = device
      guard bytes.rewind() else { return reader }
      return try open(remarks)
    } catch {
      guard format == .libinput, bytes.rewind() else { throw error }
      format = .libinputFragment
      guard let reader = try? open(remarks), (try? reader.next()) != nil, bytes.rewind() else {
        throw error
      }
      isFragment = true
      return try open(remarks)
    }
  }

  /// The description from another file, with the current slot of the recording if that has one.
  private static func merged(
    _ given: DeviceDescription, with recorded: DeviceDescription
  ) -> DeviceDescription {
    var description = given
    if recorded.axis(.slot) != nil { description.currentSlot = recorded.currentSlot }
    return description
  }
}
