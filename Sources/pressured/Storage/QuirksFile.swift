internal import PressureKit

/// Quirks as a file lists them: ours, and one that a person keeps beside it.
enum QuirksFile {
  /// Reads a file that must be there.
  static func read(path: String) throws(ConfigurationFaults) -> [Quirk] {
    var quirks: [Quirk] = []
    try SettingsFile.read(path: path, accepting: .regular) {
      quirks = $0.entries("quirks", body: Quirk.read) ?? []
    }
    return quirks
  }

  /// Reads a file's text; the name is what to call the file in error messages.
  static func read(text: [UInt8], name: String) throws(ConfigurationFaults) -> [Quirk] {
    var quirks: [Quirk] = []
    try SettingsFile.read(text: text, name: name) {
      quirks = $0.entries("quirks", body: Quirk.read) ?? []
    }
    return quirks
  }
}

extension Quirk {
  fileprivate static func read(_ reader: inout MappingReader) -> Quirk? {
    let title = reader.required("title", .text)
    var quirk = Quirk(title: title ?? "")
    reader.value("MatchBus", .optional(.bus), into: &quirk.bus)
    reader.value("MatchVendor", .optional(.number16), into: &quirk.vendor)
    reader.value("MatchProduct", .optional(.numbers16), into: &quirk.products)
    reader.value("MatchName", .optional(.glob), into: &quirk.name)
    reader.value("ModelPressurePad", .optional(.switch), into: &quirk.isPressurePad)
    reader.value("AttrInputProp", .optional(.pressurePadProperty), into: &quirk.isPressurePad)
    reader.value("AttrEventCode", .missingPressure, into: &quirk.missingAxes)
    reader.value(
      "AttrEffectiveMaximum", .optional(.whole(ConfigurationLimits.effectiveMaximum)),
      into: &quirk.effectiveMaximum)
    return title.map { _ in quirk }
  }
}

// MARK: - libinput's ways to write

extension ValueKind where Value == Bool {
  /// libinput writes 1 and 0.
  fileprivate static var `switch`: Self {
    ValueKind(expected: "1 or 0") { node in
      switch node.wholeNumber {
      case 1?: true
      case 0?: false
      default: nil
      }
    }
  }

  fileprivate static var pressurePadProperty: Self {
    ValueKind(expected: "+INPUT_PROP_PRESSUREPAD or -INPUT_PROP_PRESSUREPAD") { node in
      switch node.text {
      case "+INPUT_PROP_PRESSUREPAD": true
      case "-INPUT_PROP_PRESSUREPAD": false
      default: nil
      }
    }
  }
}

extension ValueKind where Value == UInt16 {
  private static var buses: KeyValuePairs<String, UInt16> {
    ["usb": 0x03, "bluetooth": 0x05, "ps2": 0x11, "i2c": 0x18, "spi": 0x1c, "rmi": 0x1d]
  }

  fileprivate static var bus: Self {
    let names = buses.map(\.key).joined(separator: ", ")
    return ValueKind(expected: "one of \(names)") { node in
      buses.first { $0.key == node.text }?.value
    }
  }

  fileprivate static var number16: Self {
    ValueKind(expected: "a number such as 0x05AC") { node in
      node.text.flatMap { UInt16(hexadecimal: $0[...]) }
    }
  }
}

extension ValueKind where Value == Set<UInt16> {
  fileprivate static var numbers16: Self {
    ValueKind(expected: "numbers such as 0x0265;0x0324") { node in
      guard let parts = node.text?.split(separator: ";", omittingEmptySubsequences: false) else {
        return nil
      }
      let numbers = parts.compactMap { UInt16(hexadecimal: $0) }
      return numbers.count == parts.count ? Set(numbers) : nil
    }
  }

  /// Only the axes of pressure are ours to take away.
  fileprivate static var missingPressure: Self {
    let codes = [
      "-ABS_MT_PRESSURE": EventCode.pressure.code, "-ABS_PRESSURE": EventCode.singlePressure.code,
    ]
    return ValueKind(expected: "-ABS_MT_PRESSURE, -ABS_PRESSURE or both with ; between them") {
      node in
      guard let parts = node.text?.split(separator: ";", omittingEmptySubsequences: false) else {
        return nil
      }
      let axes = parts.compactMap { codes[String($0)] }
      return axes.count == parts.count ? Set(axes) : nil
    }
  }
}

extension UInt16 {
  fileprivate init?(hexadecimal text: Substring) {
    guard text.hasPrefix("0x"), text.utf8.count > 2, text.utf8.count <= 6 else { return nil }
    self.init(text.dropFirst(2), radix: 16)
  }
}
