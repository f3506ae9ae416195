internal import CEvdev
internal import Glibc
package import PressureKit
package import PressureSystem

/// A writer of one file format, which is text: a description, then frames.
package protocol RecordingWriter {
  func header(of device: DeviceDescription, at node: String) -> String

  /// The text of a frame, which ends with a SYN_REPORT; its times are written relative to `origin`.
  func text(of frame: [InputEvent], since origin: Timestamp, comment: String?) -> String
}

extension RecordingFormat {
  /// The file name extensions of the formats that can be written, without the dot.
  package static let extensions = ["evemu", "events", "yml", "yaml"]

  /// The writer for a file name, selected by its extension; nil if that is not known.
  package static func writer(for path: String) -> (any RecordingWriter)? {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    return switch name[dot...].dropFirst() {
    case "evemu", "events": EvemuWriter()
    case "yml", "yaml": LibinputWriter()
    default: nil
    }
  }
}

/// Writes the evemu format, version 1.3, which `EvemuFile` reads.
struct EvemuWriter: RecordingWriter {
  func header(of device: DeviceDescription, at node: String) -> String {
    let numbers = [device.bus, device.vendor, device.product, device.version]
    var text = """
      # EVEMU 1.3
      # Written by pressured \(Version.current): touch axes and touch buttons, no keys.
      N: \(device.name.onOneLine)
      I: \(numbers.map { $0.hexadecimal(4) }.joined(separator: " "))

      """
    text += bitmap(of: device.properties, count: UInt16(INPUT_PROP_CNT), after: "P:")
    var types = Set([UInt16(EV_SYN), UInt16(EV_KEY), UInt16(EV_ABS)])
    if !device.effects.isEmpty { types.insert(UInt16(EV_FF)) }
    text += bitmap(of: types, count: UInt16(EV_CNT), after: "B: 00")
    text += bitmap(of: device.keys ?? [], count: UInt16(KEY_CNT), after: "B: 01")
    text += bitmap(of: Set(device.axes.keys), count: UInt16(ABS_CNT), after: "B: 03")
    if !device.effects.isEmpty {
      text += bitmap(of: device.effects, count: UInt16(FF_CNT), after: "B: 15")
    }
    for (code, axis) in device.axes.sorted(by: { $0.key < $1.key }) {
      let filter = device.filters[code]
      text += "A: \(code.hexadecimal(2)) \(axis.minimum) \(axis.maximum)"
      text += " \(filter?.fuzz ?? 0) \(filter?.flat ?? 0) \(axis.resolution)\n"
    }
    return text
  }

  func text(of frame: [InputEvent], since origin: Timestamp, comment: String?) -> String {
    var text = comment.map { "# \($0)\n" } ?? ""
    for event in frame {
      let (seconds, microseconds) = event.time.parts(since: origin)
      text += "E: \(seconds).\(microseconds.decimal(6))"
      text += " \(event.code.type.hexadecimal(4)) \(event.code.code.hexadecimal(4))"
      text += " \(event.value.decimal(4))\t# \(event.nameAndValue)\n"
    }
    return text
  }

  private func bitmap(of codes: Set<UInt16>, count: UInt16, after tag: String) -> String {
    // Eight bytes in each line.
    stride(from: 0, to: count, by: 64).reduce(into: "") { text, start in
      let bytes = stride(from: start, to: start + 64, by: 8).map { first in
        (0..<8).reduce(UInt8(0)) { $0 | (codes.contains(first + $1) ? 1 << $1 : 0) }
      }
      text += "\(tag) \(bytes.map { $0.hexadecimal(2) }.joined(separator: " "))\n"
    }
  }
}

/// Writes the format of `libinput record`, version 1, which `LibinputFile` and `libinput replay` read.
struct LibinputWriter: RecordingWriter {
  func header(of device: DeviceDescription, at node: String) -> String {
    let numbers = [device.bus, device.vendor, device.product, device.version]
    let axes = device.axes.sorted { $0.key < $1.key }
    let isScreen = device.properties.contains(UInt16(INPUT_PROP_DIRECT))
    var text = """
      # libinput record
      # Written by pressured \(Version.current): touch axes and touch buttons, no keys.
      version: 1
      ndevices: 1
      devices:
      - node: \(node.inYAML)
        evdev:
          name: \(device.name.onOneLine.inYAML)
          id: \(numbers)
          codes:
            \(EV_SYN): [\(SYN_REPORT)] # EV_SYN
            \(EV_KEY): \((device.keys ?? []).sorted()) # EV_KEY
            \(EV_ABS): \(axes.map(\.key)) # EV_ABS

      """
    if !device.effects.isEmpty {
      text += "      \(EV_FF): \(device.effects.sorted()) # EV_FF\n"
    }
    text += "    absinfo:\n"
    for (code, axis) in axes {
      let filter = device.filters[code]
      text += "      \(code): [\(axis.minimum), \(axis.maximum)"
      text += ", \(filter?.fuzz ?? 0), \(filter?.flat ?? 0), \(axis.resolution)]\n"
    }
    return text + """
          properties: \(device.properties.sorted())
        udev:
          properties:
          - ID_INPUT=1
          - \(isScreen ? "ID_INPUT_TOUCHSCREEN" : "ID_INPUT_TOUCHPAD")=1
        quirks:
        events:

      """
  }

  func text(of frame: [InputEvent], since origin: Timestamp, comment: String?) -> String {
    var text = comment.map { "  # \($0)\n" } ?? ""
    text += "  - evdev:\n"
    for event in frame {
      let (seconds, microseconds) = event.time.parts(since: origin)
      text += "    - [\(seconds.aligned(3)), \(microseconds.aligned(6))"
      text += ", \(event.code.type.aligned(3)), \(event.code.code.aligned(3))"
      text += ", \(event.value.aligned(7))] # \(event.nameAndValue)\n"
    }
    return text
  }
}

extension String {
  /// The text as a double-quoted YAML scalar on one line.
  fileprivate var inYAML: String {
    let escaped = unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return "\"\(escaped)\""
  }
}

extension InputEvent {
  /// The kernel's names of type and code, and the value: a comment for people who read a recording.
  package var nameAndValue: String {
    let type = libevdev_event_type_get_name(UInt32(code.type)).map { String(cString: $0) }
    let name = libevdev_event_code_get_name(UInt32(code.type), UInt32(code.code))
    guard code != .report else { return "------------ SYN_REPORT (0) ----------" }
    return "\(type ?? "?") / \(name.map { String(cString: $0) } ?? "?") \(value)"
  }
}

extension Timestamp {
  /// The whole seconds since another time, and the microseconds that are left.
  fileprivate func parts(since origin: Timestamp) -> (Int64, Int64) {
    microseconds(since: origin).quotientAndRemainder(dividingBy: 1_000_000)
  }
}

extension BinaryInteger {
  /// The number, padded with leading zeros to a number of digits.
  fileprivate func decimal(_ digits: Int) -> String {
    let sign = self < 0 ? "-" : ""
    return sign + magnitude.text(digits: digits - sign.count)
  }

  /// The number, padded with leading blanks to a number of columns.
  fileprivate func aligned(_ columns: Int) -> String {
    let text = String(self)
    return String(repeating: " ", count: max(columns - text.count, 0)) + text
  }
}

extension EventCode {
  /// Whether this is a touch axis, a touch button, a button of a touchpad, or the end of a frame, which are all that is recorded.
  ///
  /// Keys never are: a recording that is shared must not contain typed text.
  package var isTouchEvent: Bool {
    switch (Int32(type), Int32(code)) {
    case (EV_SYN, SYN_REPORT), (EV_KEY, BTN_LEFT...BTN_MIDDLE): true
    case (EV_ABS, ABS_X...ABS_Y), (EV_ABS, ABS_PRESSURE...ABS_DISTANCE), (EV_ABS, ABS_TOOL_WIDTH):
      true
    case (EV_ABS, ABS_MT_SLOT...ABS_MT_TOOL_Y), (EV_KEY, BTN_TOUCH), (EV_KEY, BTN_TOOL_FINGER):
      true
    case (EV_KEY, BTN_TOOL_QUINTTAP), (EV_KEY, BTN_TOOL_DOUBLETAP...BTN_TOOL_QUADTAP): true
    default: false
    }
  }
}

extension DeviceDescription {
  /// The same device with only its touch events, and without identifying data: the serial number and the address of a
  /// Bluetooth adapter.
  package var touchOnly: DeviceDescription {
    var touch = self
    touch.axes = axes.filter { EventCode.absolute($0.key).isTouchEvent }
    touch.filters = filters.filter { EventCode.absolute($0.key).isTouchEvent }
    touch.keys = keys.map { $0.filter { EventCode.key($0).isTouchEvent } }
    (touch.physicalPath, touch.uniqueID, touch.currentSlot) = ("", "", 0)
    return touch
  }
}

/// A file that grows by whole records: a record that cannot be written completely is truncated away.
package final class RecordedFile {
  package let path: String

  private let file: Descriptor

  /// The length of the complete records in bytes.
  private var length: off_t = 0

  /// Creates the file; throws EEXIST if it exists.
  package init(path: String) throws(SystemError) {
    self.path = path
    // Ignored, so that write() fails with EFBIG instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    let number = open(path, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0o644)
    guard number >= 0 else { throw SystemError(making: path, number: errno) }
    file = Descriptor(number)
  }

  /// Throws if a file could not be created now, without doing so; EEXIST if it exists.
  package static func check(_ path: String) throws(SystemError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard access(path, F_OK) != 0 else { throw SystemError(making: path, number: EEXIST) }
    guard access(folder, W_OK | X_OK) != 0 else { return }
    throw SystemError(making: path, number: errno)
  }

  /// Appends a record; after an error, such as of a full disk, the records before it remain.
  package func append(_ text: String) throws(SystemError) { try append(Array(text.utf8)) }

  package func append(_ bytes: [UInt8]) throws(SystemError) {
    let number = bytes.withUnsafeBytes { DescriptorWriter.writeAll($0, to: file.number) }
    guard number == 0 else {
      ftruncate(file.number, length)
      throw SystemError(attempt: "write \(path)", number: number)
    }
    length += off_t(bytes.count)
  }

  package func finish() throws(SystemError) {
    try SystemError.checkErrno(fsync(file.number), "write \(path)")
  }

  package func discard() {
    unlink(path)
  }
}
