internal import PressureKit

/// What a file is, as its content says.
package enum RecordingFormat: Hashable {
  /// What evemu-record writes.
  case evemu
  /// What evtest prints.
  case evtest
  /// The YAML of `libinput record`.
  case libinput
  /// `struct input_event`, as a device node gives it.
  case raw
  /// A known format that cannot be read, and the sentence that says so.
  case refused(String)

  static let hidRecorder = """
    a recording by hid-recorder holds reports of the hardware, not events; \
    record with libinput record or evemu-record
    """

  static let getevent = """
    text by Android's getevent cannot be read; record with libinput record or evemu-record
    """

  package static let unknown = """
    is no recording that pressured reads: those are of libinput record, evemu-record and evtest, \
    and raw input_event
    """

  /// Recognizes a file by its head, nil while that says nothing.
  ///
  /// The first line that only one format can have decides.
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

  /// Recognizes a line that begins where lines begin.
  private init?(line: LineCursor) {
    if line.starts(with: "ndevices:") || line.starts(with: "# libinput record") {
      self = .libinput
    } else if line.starts(with: "# EVEMU") {
      self = .evemu
    } else if line.starts(with: "add device ") || line.starts(with: "/dev/input/event")
      || line.isGetevent
    {
      self = .refused(RecordingFormat.getevent)
    } else if let tag = line.tag {
      switch tag {
      case UInt8(ascii: "D"), UInt8(ascii: "R"): self = .refused(RecordingFormat.hidRecorder)
      case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "P"), UInt8(ascii: "B"),
        UInt8(ascii: "A"), UInt8(ascii: "L"), UInt8(ascii: "S"), UInt8(ascii: "E"):
        self = .evemu
      default: return nil
      }
    } else {
      return nil
    }
  }

  /// Recognizes a line that may be quoted or indented; evemu's comments begin alike but for their mark.
  private init?(quotedLine line: LineCursor) {
    guard line.peek != UInt8(ascii: "#") else { return nil }
    var line = line
    line.skipMarks()
    let beginnings: [StaticString] = ["Event: time", "Input driver version", "Input device ID:"]
    guard beginnings.contains(where: { line.starts(with: $0) }) else { return nil }
    self = .evtest
  }
}

extension LineCursor {
  fileprivate func starts(with word: StaticString) -> Bool {
    var cursor = self
    return cursor.skip(word)
  }

  /// The letter of a line such as "A: 3a 0 255", nil where it is another line.
  fileprivate var tag: UInt8? {
    var cursor = self
    let tag = cursor.peek
    cursor.skip()
    return cursor.skip(": ") ? tag : nil
  }

  /// Whether this is such as "[  414624.659047] /dev/input/event2: 0003 003a 0000001d".
  fileprivate var isGetevent: Bool {
    var cursor = self
    guard cursor.skip(UInt8(ascii: "[")) else { return false }
    cursor.skip { $0 == UInt8(ascii: "]") }
    return cursor.skip("] /dev/input/event")
  }
}
