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

/// One file format: a description when it is made, then events.
protocol RecordingReader: AnyObject {
  /// What the file says of its device; without axes where it says nothing.
  var description: DeviceDescription { get }

  /// The next event, nil at the end.
  func next() throws(RecordingError) -> InputEvent?

  /// A fault at the place of the event that `next` gave last.
  func fault(_ reason: String) -> RecordingError
}

/// What must hold for the events of every recording, whatever its format.
struct EventCheck {
  /// Far more than any device sends, and little enough to be kept by whoever gathers a frame.
  static let longestFrame = 65_536

  private let lastSlot: Int32?
  private var latest = Timestamp(microseconds: .min)
  private var eventsInFrame = 0

  init(_ description: DeviceDescription) {
    lastSlot = description.axis(.slot)?.maximum
  }

  /// Why the event cannot follow those before it, nil where it can.
  mutating func objection(to event: InputEvent) -> String? {
    if event.time < latest { return "the time runs backwards" }
    latest = event.time
    eventsInFrame = event.code == .report ? 0 : eventsInFrame + 1
    if eventsInFrame > EventCheck.longestFrame {
      return "\(EventCheck.longestFrame) events came without a SYN_REPORT"
    }
    if event.code == .slot { return objection(toSlot: event.value) }
    return nil
  }

  /// Why there cannot be such a slot, nil where there can.
  func objection(toSlot slot: Int32) -> String? {
    guard let lastSlot, slot < 0 || slot > lastSlot else { return nil }
    return "the slot \(slot) is not within 0 to \(lastSlot)"
  }
}

/// What can be said of a device of which only events are known.
struct ObservedAxes {
  /// More slots than the kernel grants.
  static let mostSlots: Int32 = 1024

  /// The corresponding kernel constant is `ABS_CNT`.
  private static let axisCount = 64

  private var ranges = [ClosedRange<Int32>?](repeating: nil, count: axisCount)
  private var keys: Set<UInt16> = []
  private var isProtocolA = false

  mutating func observe(_ event: InputEvent) {
    switch event.code.type {
    case EventCode.x.type: observe(event.value, of: Int(event.code.code))
    case EventCode.touch.type: keys.insert(event.code.code)
    default: if event.code == .multitouchReport { isProtocolA = true }
    }
  }

  private mutating func observe(_ value: Int32, of code: Int) {
    guard code < ObservedAxes.axisCount else { return }
    let range = ranges[code] ?? value...value
    if range.contains(value), ranges[code] != nil { return }
    ranges[code] = min(range.lowerBound, value)...max(range.upperBound, value)
  }

  /// A device of type B with the ranges that were used; the rest is as `description` has it.
  func complete(_ description: DeviceDescription) -> DeviceDescription {
    var description = description
    if description.name.isEmpty { description.name = "unknown device" }
    if description.keys == nil, !keys.isEmpty { description.keys = keys }
    for (code, range) in ranges.enumerated() {
      guard let range, let code = UInt16(exactly: code) else { continue }
      description.axes[code] = Axis(minimum: range.lowerBound, maximum: range.upperBound)
    }
    startPressureAtZero(&description)
    description.axes[EventCode.slot.code] = slots
    return description
  }

  /// Drivers let pressure begin at 0, though few recordings go down to it.
  private func startPressureAtZero(_ description: inout DeviceDescription) {
    for code in [EventCode.pressure.code, EventCode.singlePressure.code] {
      guard let axis = description.axes[code] else { continue }
      description.axes[code]?.minimum = min(0, axis.minimum)
    }
  }

  /// Slots up to the greatest that was used; a recording of one finger may not name its slot at all.
  private var slots: Axis? {
    let used = ranges[Int(EventCode.slot.code)]
    guard !isProtocolA, used != nil || ranges[Int(EventCode.trackingID.code)] != nil else {
      return nil
    }
    let greatest = min(max(used?.upperBound ?? 0, 0), ObservedAxes.mostSlots - 1)
    return Axis(minimum: 0, maximum: greatest)
  }
}

/// Why a recording cannot be read, or not any further.
package struct RecordingError: Error, Hashable {
  /// File, place and reason, for people.
  package let sentence: String

  /// The exit status that goes with it.
  package let status: Int32

  package init(sentence: String, status: Int32) {
    self.sentence = sentence
    self.status = status
  }

  /// What is in the file is wrong.
  ///
  /// The place is written as editors and compilers do, such as ":17"; it is empty for the whole file.
  static func data(_ path: String, place: String = "", _ reason: String) -> RecordingError {
    RecordingError(sentence: "\(path)\(place): \(reason)", status: badData)
  }

  /// This user may not read the file.
  package static func rights(_ path: String) -> RecordingError {
    RecordingError(
      sentence: "\(path): cannot be opened: permission denied; try again with sudo",
      status: permissionDenied)
  }

  /// The file cannot be had at all.
  package static func input(_ path: String, _ reason: String) -> RecordingError {
    RecordingError(sentence: "\(path): \(reason)", status: noInput)
  }
}

extension RecordingError {
  /// The corresponding constant of `sysexits.h` is `EX_DATAERR`.
  package static let badData: Int32 = 65

  /// The corresponding constant of `sysexits.h` is `EX_NOINPUT`.
  package static let noInput: Int32 = 66

  /// The corresponding constant of `sysexits.h` is `EX_NOPERM`.
  package static let permissionDenied: Int32 = 77
}
