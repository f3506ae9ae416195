internal import PressureKit

/// The format of a file, detected from its content.
package enum RecordingFormat: Hashable {
  /// The format of evemu-record.
  case evemu
  /// The output of evtest.
  case evtest
  /// The YAML of `libinput record`.
  case libinput
  /// Records of `struct input_event`, as read from a device node.
  case raw
  /// A known format that is not supported, and a message with the reason.
  case unsupported(String)

  static let hidRecorder = """
    hid-recorder files contain HID reports, not input events; \
    record with libinput record or evemu-record
    """

  static let getevent = """
    the output of Android's getevent is not supported; record with libinput record or evemu-record
    """

  package static let unknown = """
    is not a recognized recording (libinput record, evemu-record, evtest, or raw input_event)
    """

  /// Detects the format of a file that begins with these bytes; nil if they are not sufficient.
  ///
  /// The first line that only one format can contain decides.
  package init?(head: UnsafeRawBufferPointer) {
    if RawFile.isLikely(head) {
      self = .raw
      return
    }
    var isVersioned = false
    for line in head.split(separator: UInt8(ascii: "\n")) {
      let cursor = LineCursor(UnsafeRawBufferPointer(rebasing: line))
      if let format = RecordingFormat(line: cursor) ?? RecordingFormat(quotedLine: cursor) {
        self = format
        return
      }
      if cursor.starts(with: "version:") { isVersioned = true }
      if isVersioned, cursor.starts(with: "devices:") {
        self = .libinput
        return
      }
    }
    return nil
  }

  /// Detects the format of a line that is neither quoted nor indented.
  private init?(line: LineCursor) {
    if line.starts(with: "ndevices:") || line.starts(with: "# libinput record") {
      self = .libinput
    } else if line.starts(with: "# EVEMU") {
      self = .evemu
    } else if line.starts(with: "add device ") || line.starts(with: "/dev/input/event")
      || line.isGetevent
    {
      self = .unsupported(RecordingFormat.getevent)
    } else if let tag = line.tag {
      switch tag {
      case UInt8(ascii: "D"), UInt8(ascii: "R"): self = .unsupported(RecordingFormat.hidRecorder)
      case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "P"), UInt8(ascii: "B"),
        UInt8(ascii: "A"), UInt8(ascii: "L"), UInt8(ascii: "S"), UInt8(ascii: "E"):
        self = .evemu
      default: return nil
      }
    } else {
      return nil
    }
  }

  /// Detects the format of a line that may be quoted or indented; comments of evemu differ only in their number sign.
  private init?(quotedLine line: LineCursor) {
    guard line.peek != UInt8(ascii: "#") else { return nil }
    var line = line
    line.skipMarks()
    let prefixes: [StaticString] = ["Event: time", "Input driver version", "Input device ID:"]
    guard prefixes.contains(where: { line.starts(with: $0) }) else { return nil }
    self = .evtest
  }
}

extension LineCursor {
  fileprivate func starts(with word: StaticString) -> Bool {
    var cursor = self
    return cursor.skip(word)
  }

  /// The letter of a line such as "A: 3a 0 255", or nil for any other line.
  fileprivate var tag: UInt8? {
    var cursor = self
    let tag = cursor.peek
    cursor.skip()
    return cursor.skip(": ") ? tag : nil
  }

  /// Whether this is a line such as "[  414624.659047] /dev/input/event2: 0003 003a 0000001d".
  fileprivate var isGetevent: Bool {
    var cursor = self
    guard cursor.skip(UInt8(ascii: "[")) else { return false }
    cursor.skip { $0 == UInt8(ascii: "]") }
    return cursor.skip("] /dev/input/event")
  }
}
