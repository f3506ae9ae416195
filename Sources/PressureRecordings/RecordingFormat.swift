internal import PressureKit

/// The format of a file, detected from its content.
package enum RecordingFormat: Hashable {
  /// The format of evemu-record.
  case evemu
  /// The output of evtest, or of python-evdev's program of that name.
  case evtest
  case getevent
  /// The YAML of `libinput record`, or lines of it.
  case libinput
  /// Records of `struct input_event`, as read from a device node.
  case raw

  package static let unknown = """
    is not a recognized recording (libinput record, evemu-record, evtest, getevent, \
    or raw input_event)
    """
}

struct FormatDetector {
  private let cleaner = CleanLine()

  /// The format of a line that a recording may contain among others, if no other line decides.
  private(set) var fallback: RecordingFormat?

  /// The format of a file that begins with these bytes; nil if they are not sufficient.
  ///
  /// The first line that only one format can contain decides.
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
    default: return .evemu
    }
  }

  private static func fallback(_ line: LineCursor) -> RecordingFormat? {
    var cursor = line
    if cursor.skip("E: ") { return .evemu }
    if cursor.skip("N: "), !cursor.isAtEnd() { return .evemu }
    let isPart =
      line.startsWithNumber(after: "Event code ") || line.startsWithNumber(after: "Event type ")
      || line.starts(with: "Device name: ")
    return isPart ? .evtest : nil
  }
}

extension LineCursor {
  fileprivate var isEvemuEvent: Bool {
    var (cursor, dialect) = (self, EvemuDialect())
    guard (try? dialect.event(&cursor)) != nil else { return false }
    return cursor.isAtEnd()
  }
}
