internal import PressureKit

/// The format of a file, detected from its content.
package enum RecordingFormat: Hashable {
  /// The format of evemu-record.
  case evemu
  /// The output of evtest, or of python-evdev's program of that name.
  case evtest
  /// The output of Android's getevent.
  case getevent
  /// The YAML of `libinput record`, or lines of it.
  case libinput
  /// Records of `struct input_event`, as read from a device node.
  case raw
  /// A known format that is not supported, and a message with the reason.
  case unsupported(String)

  package static let unknown = """
    is not a recognized recording (libinput record, evemu-record, evtest, getevent, \
    or raw input_event)
    """
}

/// Detects the format of a file from its first lines.
struct FormatDetector {
  private let cleaner = CleanLine()

  /// The format of a line that a recording may contain among others, if no other line decides.
  private(set) var fallback: RecordingFormat?

  /// The format of a file that begins with these bytes; nil if they are not sufficient.
  ///
  /// The first line that only one format can contain decides; of unsupported formats and names, other text is expected.
  static func format(head: UnsafeRawBufferPointer, isWhole: Bool) -> RecordingFormat? {
    if RawFile.isLikely(head) { return .raw }
    var detector = FormatDetector()
    for line in head.split(separator: UInt8(ascii: "\n")) {
      let text = detector.cleaner.clean(UnsafeRawBufferPointer(rebasing: line))
      if let format = detector.format(of: text) { return format }
    }
    return isWhole ? detector.fallback : nil
  }

  private mutating func format(of line: UnsafeRawBufferPointer) -> RecordingFormat? {
    var cursor = LineCursor(line)
    cursor.skipMarks()
    if cursor.peek == UInt8(ascii: "#") {
      return cursor.starts(with: "# EVEMU")
        ? .evemu : cursor.starts(with: "# libinput record") ? .libinput : nil
    }
    if cursor.starts(with: "ndevices:") { return .libinput }
    if let format = FormatDetector.eventFormat(line) ?? FormatDetector.headerFormat(cursor) {
      return format
    }
    fallback = fallback ?? FormatDetector.fallback(cursor)
    return nil
  }

  /// The format of a line with an event.
  private static func eventFormat(_ line: UnsafeRawBufferPointer) -> RecordingFormat? {
    var cursor = LineCursor(line)
    if EvtestDialect.findEvent(&cursor) { return .evtest }
    if GeteventDialect.findEvent(&cursor) { return .getevent }
    if LibinputDialect.findEvent(&cursor) { return .libinput }
    guard EvemuDialect.findEvent(&cursor) else { return nil }
    return cursor.isEvemuEvent ? .evemu : nil
  }

  /// The format of a line that only the description in one format can contain.
  private static func headerFormat(_ line: LineCursor) -> RecordingFormat? {
    if line.starts(with: "Input driver version") || line.starts(with: "Input device ID:")
      || line.starts(with: "Input device name:")
    {
      return .evtest
    }
    if line.starts(with: "add device ") { return .getevent }
    switch line.evemuTag {
    case nil, UInt8(ascii: "N"), UInt8(ascii: "L"), UInt8(ascii: "S"): return nil
    case UInt8(ascii: "D"), UInt8(ascii: "R"): return .unsupported(ForeignFormat.hidRecorder)
    default: return .evemu
    }
  }

  private static func fallback(_ line: LineCursor) -> RecordingFormat? {
    if let reason = ForeignFormat.reason(line) { return .unsupported(reason) }
    var cursor = line
    if cursor.skip("E: ") {
      return cursor.isHIDReport ? .unsupported(ForeignFormat.hidRecorder) : .evemu
    }
    if cursor.skip("N: "), !cursor.isAtEnd() { return .evemu }
    let isPart =
      line.startsWithNumber(after: "Event code ") || line.startsWithNumber(after: "Event type ")
      || line.starts(with: "Device name: ")
    return isPart ? .evtest : nil
  }
}

extension LineCursor {
  /// Whether an event of evemu follows "E:", and not a report of hid-recorder.
  fileprivate var isEvemuEvent: Bool {
    var (cursor, dialect) = (self, EvemuDialect())
    guard !isHIDReport, (try? dialect.event(&cursor)) != nil else { return false }
    return cursor.isAtEnd()
  }

  /// Whether a time, a count and as many bytes follow, as in a report of hid-recorder after "E:".
  fileprivate var isHIDReport: Bool {
    var cursor = self
    cursor.skipBlanks()
    guard cursor.skipDigits() > 0, cursor.skip(UInt8(ascii: ".")), cursor.skipDigits() > 0,
      let count = try? cursor.decimal("count", as: UInt16.self)
    else { return false }
    for _ in 0..<count {
      cursor.skipBlanks()
      guard cursor.skipDigits(radix: 16) == 2 else { return false }
    }
    return cursor.isAtEnd()
  }
}

/// Formats that people take for recordings, but from which no contacts can be read.
enum ForeignFormat {
  static let hidRecorder = reason(
    "a recording of hid-recorder: it has HID reports, not input events")

  private static let debugEvents = reason(
    "the output of libinput debug-events, in which libinput has removed the pressure")

  /// Beginnings of lines, and what has such lines.
  private static let formats: [(StaticString, String)] = [
    ("Device:   ", "the output of libinput list-devices, which has no events"),
    ("Kernel:   ", "the output of libinput list-devices, which has no events"),
    ("I: Bus=", "a list of devices (/proc/bus/input/devices), which has no events"),
    ("P: Phys=", "a list of devices (/proc/bus/input/devices), which has no events"),
    ("P: /", "an entry of the udev database (udevadm info), which has no events"),
    ("absolute axis event at ", "python-evdev's output of categorized events, which has no values"),
    ("event\":\"hello\",", "the output of pressured, not of a device"),
  ]

  private static func reason(_ what: String) -> String {
    "this is \(what); record with pressured record, libinput record or evemu-record"
  }

  /// The reason why the file with this line cannot be read; nil for any other line.
  static func reason(_ line: LineCursor) -> String? {
    if let (_, what) = formats.first(where: { line.starts(with: $0.0) }) { return reason(what) }
    var cursor = line
    guard cursor.skip("event"), cursor.skipDigits(atMost: 4) > 0 else { return nil }
    cursor.skipBlanks()
    let words: [StaticString] = ["DEVICE_ADDED", "POINTER_", "TOUCH_", "GESTURE_"]
    return words.contains { cursor.starts(with: $0) } ? debugEvents : nil
  }
}
