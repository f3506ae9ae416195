package import PressureKit
internal import PressureSystem

/// Reads quirks, shipped ones and the user's, in YAML or in libinput's format.
package enum QuirksFile {
  /// The most warnings to report; further ones are only counted.
  private static let maximumWarnings = 5

  /// Reads a file that must exist.
  ///
  /// - Parameters:
  ///   - path: the file's path.
  ///   - warn: called for valid keys that are not used.
  /// - Returns: the quirks.
  /// - Throws: all errors in the file.
  package static func read(
    path: String, warn: (ConfigurationError) -> Void = { _ in }
  ) throws(ConfigurationErrors) -> [Quirk] {
    var quirks: [Quirk] = []
    let warnings = try SettingsFile.read(path: path, accepting: .regular, sectionsAre: "quirks") {
      quirks = read(&$0)
    }
    for found in warnings.prefix(maximumWarnings) { warn(found) }
    if warnings.count > maximumWarnings, var last = warnings.last {
      last.reason =
        "this key and others, \(warnings.count - maximumWarnings) in all, are not used"
      warn(last)
    }
    return quirks
  }

  /// Decodes quirks; `name` identifies the file in messages.
  package static func read(text: [UInt8], name: String) throws(ConfigurationErrors) -> [Quirk] {
    var quirks: [Quirk] = []
    try SettingsFile.read(text: text, name: name, sectionsAre: "quirks") { quirks = read(&$0) }
    return quirks
  }

  private static func read(_ reader: inout MappingDecoder) -> [Quirk] {
    reader.entries("quirks", body: Quirk.read) ?? []
  }
}

extension Quirk {
  fileprivate static func read(_ reader: inout MappingDecoder) -> Quirk? {
    let title = reader.required("title", .text)
    var quirk = Quirk(title: title ?? "")
    quirk.readMatches(&reader)
    quirk.readFacts(&reader)
    let others = reader.ignoreKeys { key in
      ["Match", "Attr", "Model"].contains { key.hasPrefix($0) }
    }
    for key in others {
      let isMatch = key.hasPrefix("Match")
      reader.warn("\(key) is not used\(isMatch ? ", nor is its entry" : "")", at: key)
    }
    // Without one of its conditions the quirk would match more devices than intended.
    return others.contains { $0.hasPrefix("Match") } ? nil : title.map { _ in quirk }
  }

  private mutating func readMatches(_ reader: inout MappingDecoder) {
    reader.value("MatchBus", .optional(.bus), into: &bus)
    reader.value("MatchVendor", .optional(.number16), into: &vendor)
    reader.value("MatchProduct", .optional(.numbers16), into: &products)
    reader.value("MatchVersion", .optional(.number16), into: &version)
    reader.value("MatchName", .optional(.glob), into: &name)
    reader.value("MatchUniq", .optional(.glob), into: &uniqueID)
    reader.value("MatchDMIModalias", .optional(.glob), into: &dmiModalias)
    reader.value("MatchUdevType", .optional(.udevType), into: &kind)
  }

  private mutating func readFacts(_ reader: inout MappingDecoder) {
    reader.value("ModelPressurePad", .optional(.switch), into: &isPressurePad)
    reader.value("ModelTotalPressure", .optional(.switch), into: &contactsCarryTotal)
    reader.value("AttrPressure", .optional(.measure), into: &measure)
    reader.value("ModelInheritedRange", .optional(.switch), into: &hasInheritedRange)
    var properties = QuirkNames()
    for (key, signs) in [
      ("AttrInputProp", QuirkNames.Signs.own), ("AttrInputPropEnable", .plus),
      ("AttrInputPropDisable", .minus),
    ] {
      properties.read(key, signs, among: ["INPUT_PROP_PRESSUREPAD"], &reader)
    }
    if !properties.added.isEmpty { isPressurePad = true }
    if !properties.removed.isEmpty { isPressurePad = false }
    var axes = QuirkNames()
    for (key, signs) in [
      ("AttrEventCode", QuirkNames.Signs.own), ("AttrEventCodeEnable", .plus),
      ("AttrEventCodeDisable", .minus),
    ] {
      axes.read(key, signs, among: Quirk.disabledAxes.map(\.key), &reader)
    }
    missingAxes = Set(
      Quirk.disabledAxes.filter { axes.removed.contains($0.key) }.map(\.value.code))
    reader.value(
      "AttrEffectiveMaximum", .optional(.whole(ConfigurationLimits.effectiveMaximum)),
      into: &effectiveMaximum)
    reader.value(
      "AttrClickPressure", .optional(.whole(ConfigurationLimits.effectiveMaximum)),
      into: &clickPressure)
  }

  /// Only pressure axes and the one that states palms can be disabled.
  private static let disabledAxes: KeyValuePairs<String, EventCode> = [
    "ABS_MT_PRESSURE": .pressure, "EV_ABS:0x3a": .pressure,
    "ABS_PRESSURE": .singlePressure, "EV_ABS:0x18": .singlePressure,
    "ABS_MT_TOOL_TYPE": .toolType, "EV_ABS:0x37": .toolType,
  ]
}

/// Names that a quirk adds to a device or removes from it; only some have a meaning here.
private struct QuirkNames {
  /// How a name is marked as added or removed.
  enum Signs {
    /// By a sign before each name.
    case own
    case plus
    case minus
  }

  var added: Set<String> = []
  var removed: Set<String> = []

  mutating func read(
    _ key: String, _ signs: Signs, among wanted: [String], _ reader: inout MappingDecoder
  ) {
    var names: [(isAdded: Bool, name: String)]?
    reader.value(key, .optional(.names(signs)), into: &names)
    guard let names else { return }
    var isUsed = false
    for (isAdded, name) in names {
      guard let known = wanted.first(where: { $0.lowercased() == name.lowercased() }) else {
        continue
      }
      isUsed = true
      if isAdded { added.insert(known) } else { removed.insert(known) }
    }
    if !isUsed { reader.warn("\(key) contains no pressure names and is not used", at: key) }
  }
}

// MARK: - libinput's notation

extension ValueDecoder where Value == Bool {
  /// libinput writes 1 and 0.
  fileprivate static var `switch`: Self {
    ValueDecoder(expected: "1 or 0") { node in
      switch node.wholeNumber {
      case 1?: true
      case 0?: false
      default: nil
      }
    }
  }
}

extension ValueDecoder where Value == Verdict.Measure {
  fileprivate static var measure: Self {
    let measures: [Verdict.Measure] = [.area, .shares, .broken]
    let names = measures.map(\.rawValue).joined(separator: ", ")
    return ValueDecoder(expected: "one of \(names)") { node in
      measures.first { $0.rawValue == node.text }
    }
  }
}

extension ValueDecoder where Value == Quirk.DeviceKind {
  fileprivate static var udevType: Self {
    ValueDecoder(expected: "a udev device type such as touchpad") { node in
      switch node.text {
      case "touchpad": .touchpad
      case "touchscreen": .touchscreen
      case let word?:
        word.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") } ? .other : nil
      case nil: nil
      }
    }
  }
}

extension ValueDecoder where Value == [(isAdded: Bool, name: String)] {
  fileprivate static func names(_ signs: QuirkNames.Signs) -> Self {
    let example =
      signs == .own ? "-ABS_MT_PRESSURE;-ABS_PRESSURE" : "ABS_MT_PRESSURE;ABS_PRESSURE"
    return ValueDecoder(expected: "names such as \(example)") { node in
      guard let parts = node.text?.quirkParts else { return nil }
      let names = parts.compactMap { part -> (isAdded: Bool, name: String)? in
        let sign = signs == .own ? part.first : signs == .plus ? "+" : "-"
        let name = signs == .own ? part.dropFirst() : part
        guard sign == "+" || sign == "-", name.isQuirkName else { return nil }
        return (sign == "+", String(name))
      }
      return names.count == parts.count ? names : nil
    }
  }
}

extension String {
  /// The parts between semicolons; the last semicolon may be omitted.
  fileprivate var quirkParts: [Substring]? {
    let text = hasSuffix(";") ? dropLast() : self[...]
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    return parts.contains { $0.isEmpty } ? nil : parts
  }
}

extension Substring {
  /// A kernel constant, or a type and a number such as EV_ABS:0x3a.
  fileprivate var isQuirkName: Bool {
    !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
  }
}

extension ValueDecoder where Value == UInt16 {
  private static var buses: KeyValuePairs<String, UInt16> {
    ["usb": 0x03, "bluetooth": 0x05, "ps2": 0x11, "i2c": 0x18, "spi": 0x1c, "rmi": 0x1d]
  }

  fileprivate static var bus: Self {
    let names = buses.map(\.key).joined(separator: ", ")
    return ValueDecoder(expected: "one of \(names)") { node in
      buses.first { $0.key == node.text }?.value
    }
  }

  fileprivate static var number16: Self {
    ValueDecoder(expected: "a number such as 0x05AC") { node in
      node.text.flatMap { UInt16(hexadecimal: $0[...]) }
    }
  }
}

extension ValueDecoder where Value == Set<UInt16> {
  fileprivate static var numbers16: Self {
    ValueDecoder(expected: "numbers such as 0x0265;0x0324") { node in
      guard let parts = node.text?.quirkParts else { return nil }
      let numbers = parts.compactMap { UInt16(hexadecimal: $0) }
      return numbers.count == parts.count ? Set(numbers) : nil
    }
  }
}

extension UInt16 {
  fileprivate init?(hexadecimal text: Substring) {
    guard text.hasPrefix("0x"), text.utf8.count > 2, text.utf8.count <= 6 else { return nil }
    self.init(text.dropFirst(2), radix: 16)
  }
}
