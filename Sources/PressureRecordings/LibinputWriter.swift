internal import CEvdev
internal import PressureKit
internal import PressureSystem

/// Writes what `LibinputFile` and `libinput replay` read, in version 1 of the format.
struct LibinputWriter: RecordingWriter {
  func head(of device: DeviceDescription, at node: String) -> String {
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
          absinfo:

      """
    for (code, axis) in axes {
      let filter = device.filters[code] ?? AxisFilter()
      text += "      \(code): [\(axis.minimum), \(axis.maximum)"
      text += ", \(filter.fuzz), \(filter.flat), \(axis.resolution)]\n"
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

  func text(of frame: RecordedFrame) -> String {
    var text = frame.remark.map { "  # \($0)\n" } ?? ""
    text += "  - evdev:\n"
    for event in frame.events {
      let (seconds, microseconds) = event.time.parts
      text += "    - [\(seconds.aligned(3)), \(microseconds.aligned(6))"
      text += ", \(event.code.type.aligned(3)), \(event.code.code.aligned(3))"
      text += ", \(event.value.aligned(7))] # \(event.remark)\n"
    }
    return text
  }
}

extension String {
  /// The text as a scalar of YAML on one line.
  fileprivate var inYAML: String {
    let escaped = unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return "\"\(escaped)\""
  }
}
