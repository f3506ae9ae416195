package import PressureKit
package import PressureSystem

/// A recording of a touch device, read event by event.
///
/// The format is detected from the content. Memory does not grow with the file.
package final class Recording {
  package let path: String
  package let description: DeviceDescription

  /// The description from another file, if there is one, so that it need not be read again with the recording.
  let given: DeviceDescription?

  private let reader: FormatReader
  private let reports: RecordingWarnings

  /// Values that the file does not have, to be set before the first event; empty once they are.
  private(set) var initialEvents: [(code: EventCode, value: Int32)]

  /// Events that precede those that have not been read yet, in reverse order.
  private var queue: [InputEvent] = []

  /// Makes slots of the contacts of protocol A; nil in protocol B.
  private var slots: SlotAssignment?

  // Exclusivity checks are off: this is used for each event, and only within `next`.
  @exclusivity(unchecked) private var check: EventCheck
  @exclusivity(unchecked) private var hasEnded = false

  /// Whether events may differ from those of the file: at its beginning, and in protocol A.
  @exclusivity(unchecked) private var isConverting: Bool

  /// Opens a recording and reads its description, or that of another file, or uses the one that is given.
  ///
  /// A device is counted from 1; nil for the first touch device with events.
  package convenience init(
    path: String, describe: String? = nil, given: DeviceDescription? = nil,
    device: Int? = nil, accepting kind: InputFile.Kind = .any
  ) throws(ExitError) {
    let bytes = try ByteReader(path: path, accepting: kind)
    try self.init(bytes, describe: describe, given: given, device: device)
    bytes.stopKeeping()
  }

  /// Reads from the start of a file; rewinding it ends this recording.
  private init(
    _ bytes: ByteReader, describe: String? = nil, given: DeviceDescription? = nil, device: Int?
  ) throws(ExitError) {
    path = bytes.path
    reports = RecordingWarnings(path: path)
    var source = try RecordingSource(bytes, device, isDescribed: describe != nil || given != nil)
    if let describe, given == nil {
      self.given = try Recording.description(at: describe)
    } else {
      self.given = given
    }
    let completion = try source.completion(of: self.given)
    reader = try source.open(reports)
    (description, initialEvents) = (completion.description, completion.initialEvents)
    check = EventCheck(description)
    slots = completion.slots
    isConverting = slots != nil || !completion.initialEvents.isEmpty
    for sentence in completion.warnings { reports.add(sentence) }
    let slot = description.currentSlot
    if slot != 0, let problem = check.problem(withSlot: slot) { throw .data(path, problem) }
  }

  package var warnings: [String] { reports.all }

  /// The next event, or nil at the end and after an error was thrown.
  package func next() throws(ExitError) -> InputEvent? {
    if isConverting { return try nextConverted() }
    return try nextInFile()
  }

  @inline(__always)
  private func nextInFile() throws(ExitError) -> InputEvent? {
    guard !hasEnded else { return nil }
    hasEnded = true
    guard let event = try reader.next() else {
      // What follows the last SYN_REPORT has no effect.
      if check.eventsInFrame > 0 {
        reports.add(
          "the last frame has no SYN_REPORT, so it is not read", line: reader.file.latestEvent)
      }
      return nil
    }
    if let problem = check.problem(with: event) { throw reader.file.error(problem) }
    if event.code == .dropped { reports.count(.lost, line: reader.file.latestEvent) }
    hasEnded = false
    return event
  }

  /// The next event of the queue, which has what is set before the first event, or one frame of protocol A.
  @inline(never)
  private func nextConverted() throws(ExitError) -> InputEvent? {
    while queue.isEmpty {
      guard let event = try nextInFile() else {
        isConverting = false
        return nil
      }
      for (code, value) in initialEvents {
        queue.append(InputEvent(time: event.time, code: code, value: value))
      }
      initialEvents = []
      if slots?.convert(event, into: &queue) == nil { queue.append(event) }
      queue.reverse()
    }
    isConverting = slots != nil || queue.count > 1
    return queue.popLast()
  }

  /// Reads the description in a file and ignores its events.
  package static func description(at path: String) throws(ExitError) -> DeviceDescription {
    let source = try RecordingSource(ByteReader(path: path), nil, isDescribed: false)
    let description = try source.open(RecordingWarnings(path: path)).file.description
    guard !description.axes.isEmpty else {
      throw .data(path, "does not describe a device with absolute axes")
    }
    return description
  }

  /// A device in a recording of several.
  package struct ListedDevice {
    package let number: Int
    package let description: DeviceDescription
    package let eventCount: Int

    /// Why its events cannot be read to the end; nil if they can.
    package let error: ExitError?
  }

  private static let mostListed = 64

  /// The first device in a recording that is supported and has events; nil if there is none, or if it is not a file.
  package static func touchDevice(at path: String) -> ListedDevice? {
    let devices = try? devices(at: path, accepting: .regular)
    return devices?.first {
      $0.eventCount > 0 && $0.error == nil && $0.description.isTouchCandidate
    }
  }

  package static func devices(
    at path: String, accepting kind: InputFile.Kind = .any
  ) throws(ExitError) -> [ListedDevice] {
    var devices: [ListedDevice] = []
    let bytes = try ByteReader(path: path, accepting: kind)
    while devices.count < mostListed {
      let number = devices.count + 1
      let recording: Recording
      do throws(ExitError) {
        // Each device is searched from the start of the file.
        _ = bytes.rewind()
        recording = try Recording(bytes, device: number)
      } catch {
        if number > 1, error == .missingDevice(path, number) { break }
        throw error
      }
      var count = 0
      var failure: ExitError?
      do throws(ExitError) {
        while try recording.next() != nil { count += 1 }
      } catch {
        failure = error
      }
      devices.append(
        ListedDevice(
          number: number, description: recording.description, eventCount: count, error: failure))
    }
    return devices
  }
}

/// Validates the events of a recording of any format.
struct EventCheck {
  /// The maximum number of events in a frame: far more than any device sends, and bounded for callers that buffer a frame.
  static let longestFrame = 65_536

  private let lastSlot: Int32?
  private var latest = Timestamp(microseconds: .min)

  /// How many events follow the latest SYN_REPORT.
  private(set) var eventsInFrame = 0

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

  func problem(withSlot slot: Int32) -> String? {
    guard let lastSlot, slot < 0 || slot > lastSlot else { return nil }
    return "the slot \(slot) is not in the range 0 to \(lastSlot)"
  }
}
