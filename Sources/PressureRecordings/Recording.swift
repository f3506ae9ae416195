package import PressureKit
package import PressureSystem

/// A recording of a touch device, read event by event.
///
/// The format is detected from the content. Memory does not grow with the file.
package final class Recording {
  package let path: String
  package let description: DeviceDescription

  /// A warning if the description had to be inferred from the events, or nil.
  package let warning: String?

  /// The description from another file, if there is one, so that it need not be read again with the recording.
  let given: DeviceDescription?

  private let reader: any RecordingReader

  // Exclusivity checks are off: this is used for each event, and only within `next`.
  @exclusivity(unchecked) private var check: EventCheck
  private var hasEnded = false

  /// Opens a recording and reads its description.
  ///
  /// - Parameters:
  ///   - path: the recording.
  ///   - describe: a file with the description, if the recording has none; its events are ignored.
  ///   - given: the description itself, if it is already known.
  ///   - kind: the accepted kinds of files.
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
      throw .data(path, "raw events have no device description; add one with --describe FILE")
    } else if reader.description.axes.isEmpty, format != .libinput {
      description = try Recording.observedDescription(reader, bytes)
      self.reader = try Recording.reader(format, bytes, isDescribed: false)
      (check, warning) = (EventCheck(description), Recording.inferenceWarning(path))
      return
    } else {
      description = reader.description
    }
    (self.reader, check, warning) = (reader, EventCheck(description), nil)
    try checkCurrentSlot()
  }

  /// The next event, or nil at the end and after an error was thrown.
  package func next() throws(RecordingError) -> InputEvent? {
    guard !hasEnded else { return nil }
    hasEnded = true
    guard let event = try reader.next() else { return nil }
    if let problem = check.problem(with: event) { throw reader.error(problem) }
    hasEnded = false
    return event
  }

  private func checkCurrentSlot() throws(RecordingError) {
    guard description.currentSlot != 0 else { return }
    if let problem = check.problem(withSlot: description.currentSlot) {
      throw .data(path, problem)
    }
  }
}

extension Recording {
  /// Detects the format from as few bytes as possible, since a pipe may block.
  private static func format(_ bytes: ByteReader) throws(RecordingError) -> RecordingFormat {
    while bytes.rest.count < ByteReader.chunkSize, try bytes.fill() {
      guard let format = RecordingFormat(head: bytes.rest) else { continue }
      guard case .unsupported(let reason) = format else { return format }
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
    case .unsupported(let reason): throw .data(bytes.path, reason)
    }
  }

  /// Reads the description in a file and ignores its events.
  package static func description(at path: String) throws(RecordingError) -> DeviceDescription {
    let bytes = try ByteReader(path: path, keeping: LineReader.longestLine)
    let description = try reader(try format(bytes), bytes, isDescribed: false).description
    guard !description.axes.isEmpty else {
      throw .data(path, "does not describe a device with absolute axes")
    }
    return description
  }

  /// The description from another file, with the current slot of the recording if that has one.
  private static func merged(
    _ given: DeviceDescription, with recorded: DeviceDescription
  ) -> DeviceDescription {
    var description = given
    if recorded.axis(.slot) != nil { description.currentSlot = recorded.currentSlot }
    return description
  }

  /// Infers the description from all events up to the end or the first error, which the second pass reports.
  private static func observedDescription(
    _ reader: any RecordingReader, _ bytes: ByteReader
  ) throws(RecordingError) -> DeviceDescription {
    guard bytes.rewind() else {
      throw .data(
        bytes.path, "no device description, and a pipe cannot be read twice to infer one")
    }
    var observed = ObservedAxes()
    while let event = try? reader.next() { observed.observe(event) }
    _ = bytes.rewind()
    return observed.complete(reader.description)
  }

  private static func inferenceWarning(_ path: String) -> String {
    "\(path): no device description; axis ranges are inferred from the recorded values"
  }
}

/// A reader of one file format: the initializer reads the description, `next` the events.
protocol RecordingReader: AnyObject {
  /// The device as described by the file; without axes if the file has no description.
  var description: DeviceDescription { get }

  /// The next event, or nil at the end.
  func next() throws(RecordingError) -> InputEvent?

  /// An error at the location of the latest event.
  func error(_ reason: String) -> RecordingError
}

/// Validates the events of a recording of any format.
struct EventCheck {
  /// The maximum number of events in a frame: far more than any device sends, and bounded for callers that buffer a frame.
  static let longestFrame = 65_536

  private let lastSlot: Int32?
  private var latest = Timestamp(microseconds: .min)
  private var eventsInFrame = 0

  init(_ description: DeviceDescription) {
    lastSlot = description.axis(.slot)?.maximum
  }

  /// Why the event cannot follow those before it, or nil if it can.
  mutating func problem(with event: InputEvent) -> String? {
    if event.time < latest { return "the time runs backwards" }
    latest = event.time
    eventsInFrame = event.code == .report ? 0 : eventsInFrame + 1
    if eventsInFrame > EventCheck.longestFrame {
      return "more than \(EventCheck.longestFrame) events without a SYN_REPORT"
    }
    if event.code == .slot { return problem(withSlot: event.value) }
    return nil
  }

  /// Why a slot is invalid, or nil if it is valid.
  func problem(withSlot slot: Int32) -> String? {
    guard let lastSlot, slot < 0 || slot > lastSlot else { return nil }
    return "the slot \(slot) is not in the range 0 to \(lastSlot)"
  }
}

/// Infers a device description from events.
struct ObservedAxes {
  /// The maximum number of slots; the kernel allows fewer.
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

  /// Completes `description` to a device of multitouch protocol B with the observed ranges.
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

  /// Sets the minimum of pressure to 0, as drivers do; few recordings contain the 0.
  private func startPressureAtZero(_ description: inout DeviceDescription) {
    for code in [EventCode.pressure.code, EventCode.singlePressure.code] {
      guard let axis = description.axes[code] else { continue }
      description.axes[code]?.minimum = min(0, axis.minimum)
    }
  }

  /// The slots up to the greatest one used; a recording of one finger may have no slot event at all.
  private var slots: Axis? {
    let used = ranges[Int(EventCode.slot.code)]
    guard !isProtocolA, used != nil || ranges[Int(EventCode.trackingID.code)] != nil else {
      return nil
    }
    let greatest = min(max(used?.upperBound ?? 0, 0), ObservedAxes.mostSlots - 1)
    return Axis(minimum: 0, maximum: greatest)
  }
}

/// Why a recording cannot be read or continued.
package struct RecordingError: Error, Hashable {
  /// A message with file, location and reason.
  package let sentence: String

  /// The exit status of a command that fails with it.
  package let status: Int32

  package init(sentence: String, status: Int32) {
    self.sentence = sentence
    self.status = status
  }

  /// The content of the file is invalid.
  ///
  /// The location is in the format of compilers, such as ":17"; it is empty for the whole file.
  static func data(_ path: String, location: String = "", _ reason: String) -> RecordingError {
    RecordingError(sentence: "\(path)\(location): \(reason)", status: badData)
  }

  /// This user may not read the file.
  package static func permission(_ path: String) -> RecordingError {
    RecordingError(
      sentence: "\(path): cannot be opened: permission denied; try again with sudo",
      status: permissionDenied)
  }

  /// The file cannot be opened or read.
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
