internal import PressureKit

/// The format of a file, detected from its content.
package enum RecordingFormat: Hashable {
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

  /// The format of a file that begins with these bytes; nil if they are not sufficient.
  ///
  /// The first line that only one format can contain decides, or else the first that a recording may contain among others.
  init?(head: UnsafeRawBufferPointer, isWhole: Bool) {
    var cleaner = CleanLine()
    var fallback: RecordingFormat?
    var format = RawFile.isLikely(head) ? RecordingFormat.raw : nil
    for line in head.split(separator: UInt8(ascii: "\n")) where format == nil {
      let text = LineCursor(cleaner.clean(UnsafeRawBufferPointer(rebasing: line)))
      format = RecordingFormat.certain(text)
      fallback = fallback ?? RecordingFormat.possible(text)
    }
    guard let found = format ?? (isWhole ? fallback : nil) else { return nil }
    self = found
  }

  private static func certain(_ line: LineCursor) -> RecordingFormat? {
    var start = line
    start.skipMarks()
    if start.peek == UInt8(ascii: "#") {
      if start.starts(with: "# EVEMU") { return .evemu }
      return start.starts(with: "# libinput record") ? .libinput : nil
    }
    if start.starts(with: "ndevices:") { return .libinput }
    var event = line
    if EvtestFormat.findEvent(&event) { return .evtest }
    if GeteventFormat.findEvent(&event) { return .getevent }
    if LibinputFormat.findEvent(&event) { return .libinput }
    if EvemuFormat.findEvent(&event) {
      guard (try? EvemuFormat().event(&event)) != nil, event.isAtEnd() else { return nil }
      return .evemu
    }
    if start.starts(with: "Input driver version") || start.starts(with: "Input device ID:")
      || start.starts(with: "Input device name:")
    {
      return .evtest
    }
    if start.starts(with: "add device ") { return .getevent }
    switch start.evemuTag {
    case nil, UInt8(ascii: "N"), UInt8(ascii: "L"), UInt8(ascii: "S"): return nil
    default: return .evemu
    }
  }

  private static func possible(_ line: LineCursor) -> RecordingFormat? {
    var cursor = line
    cursor.skipMarks()
    if cursor.starts(with: "Device name: ") || cursor.startsWithNumber(after: "Event code ")
      || cursor.startsWithNumber(after: "Event type ")
    {
      return .evtest
    }
    if cursor.skip("E: ") { return .evemu }
    return cursor.skip("N: ") && !cursor.isAtEnd() ? .evemu : nil
  }
}
