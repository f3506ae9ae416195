package import PressureKit
internal import PressureSystem

/// Reads quirks, shipped ones and the user's, in YAML or in libinput's format.
package enum QuirksFile {
  /// The most warnings to report; further ones are only counted.
  private static let maximumWarnings = 5

  /// Reads a file that must exist; `warn` is called for valid keys that are not used.
  package static func read(
    path: String, warn: (ConfigurationError) -> Void = { _ in }
  ) throws(ConfigurationErrors) -> [Quirk] {
    try read(text: try SettingsFile.bytes(path: path, .regular), name: path, warn: warn)
  }

  /// Decodes quirks; `name` identifies the file in messages.
  package static func read(
    text: [UInt8], name: String, warn: (ConfigurationError) -> Void = { _ in }
  ) throws(ConfigurationErrors) -> [Quirk] {
    var quirks: [Quirk] = []
    let warnings = try SettingsFile.read(text: text, name: name, sectionsAre: "quirks") {
      quirks = $0.entries("quirks", body: Quirk.read) ?? []
    }
    for found in warnings.prefix(maximumWarnings) { warn(found) }
    if warnings.count > maximumWarnings, var last = warnings.last {
      last.reason = "this key and others, \(warnings.count - maximumWarnings) in all, are not used"
      warn(last)
    }
    return quirks
  }
}

extension Quirk {
  fileprivate static func read(_ reader: inout MappingDecoder) -> Quirk? {
    let title = reader.required("title", .text)
    var quirk = Quirk(title: title ?? "")
    for key in QuirkKey.all { key.decoding.read(&reader, &quirk) }
    let others = reader.ignoreKeys(beginning: ["Match", "Attr", "Model"])
    for key in others {
      let isMatch = key.hasPrefix("Match")
      reader.warn("\(key) is not used\(isMatch ? ", nor is its entry" : "")", at: key)
    }
    // Without one of its conditions the quirk would match more devices than intended.
    return others.contains { $0.hasPrefix("Match") } ? nil : title.map { _ in quirk }
  }
}

extension QuirkKey {
  /// The valid values, to follow "must be".
  package var expected: String { decoding.expected }

  fileprivate var decoding: (expected: String, read: (inout MappingDecoder, inout Quirk) -> Void) {
    switch value {
    case .bus(let path): decoding(.bus, path)
    case .number(let path): decoding(.number16, path)
    case .numbers(let path): decoding(.numbers16, path)
    case .pattern(let path): decoding(.glob, path)
    case .kind(let path): decoding(.udevType, path)
    case .truth(let path): decoding(.switch, path)
    case .units(let path): decoding(.whole(ConfigurationLimits.effectiveMaximum), path)
    case .measure(let path, let measures): decoding(.word(among: measures), path)
    case .property(let path, let property):
      namesDecoding([property], expected: "+\(property) or -\(property)") { quirk, names in
        quirk[keyPath: path] = names[property] ?? quirk[keyPath: path]
      }
    case .axes(let path, let axes):
      namesDecoding(axes.map(\.key), expected: ValueDecoder.names(nil).expected) { quirk, names in
        quirk[keyPath: path] = Set(axes.filter { names[$0.key] == false }.map(\.value.code))
      }
    }
  }

  private func decoding<Value>(
    _ kind: ValueDecoder<Value>, _ path: WritableKeyPath<Quirk, Value?>
  ) -> (expected: String, read: (inout MappingDecoder, inout Quirk) -> Void) {
    (kind.expected, { $0.value(name, .optional(kind), into: &$1[keyPath: path]) })
  }

  /// Decodes names that are added to a device or removed from it; `store` gets those of them that have a meaning here.
  ///
  /// Older files have a key for the names that are added and one for those that are removed, without signs.
  private func namesDecoding(
    _ wanted: [String], expected: String, store: @escaping (inout Quirk, [String: Bool]) -> Void
  ) -> (expected: String, read: (inout MappingDecoder, inout Quirk) -> Void) {
    let read: (inout MappingDecoder, inout Quirk) -> Void = { reader, quirk in
      var names: [String: Bool] = [:]
      reader.names(name, nil, among: wanted, into: &names)
      reader.names("\(name)Enable", "+", among: wanted, into: &names)
      reader.names("\(name)Disable", "-", among: wanted, into: &names)
      store(&quirk, names)
    }
    let older = "older files contain *\(name)Enable* and *\(name)Disable*, without the sign"
    return ("\(expected); \(older)", read)
  }
}

extension MappingDecoder {
  /// Decodes names that a sign marks as added or removed; nil if each has its own.
  ///
  /// One that is both added and removed is removed.
  fileprivate mutating func names(
    _ key: String, _ sign: Character?, among wanted: [String], into found: inout [String: Bool]
  ) {
    var names: [(isAdded: Bool, name: String)]?
    value(key, .optional(.names(sign)), into: &names)
    guard let names else { return }
    let known = names.compactMap { isAdded, name in
      wanted.first { $0.lowercased() == name.lowercased() }.map { (name: $0, isAdded: isAdded) }
    }
    for (name, isAdded) in known where !isAdded || found[name] == nil { found[name] = isAdded }
    if known.isEmpty { warn("\(key) contains no pressure names and is not used", at: key) }
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
  fileprivate static func names(_ common: Character?) -> Self {
    let example = common == nil ? "-ABS_MT_PRESSURE;-ABS_PRESSURE" : "ABS_MT_PRESSURE;ABS_PRESSURE"
    return ValueDecoder(expected: "names such as \(example)") { node in
      node.text?.quirkParts { part -> (isAdded: Bool, name: String)? in
        let sign = common ?? part.first
        let name = common == nil ? part.dropFirst() : part
        // A kernel constant, or a type and a number such as EV_ABS:0x3a.
        let isName = name.allSatisfy {
          $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":")
        }
        guard sign == "+" || sign == "-", isName, !name.isEmpty else { return nil }
        return (sign == "+", String(name))
      }
    }
  }
}

extension String {
  /// Decodes the parts between semicolons, nil unless each is valid; the last semicolon may be omitted.
  fileprivate func quirkParts<Part>(_ decode: (Substring) -> Part?) -> [Part]? {
    let text = hasSuffix(";") ? dropLast() : self[...]
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    let decoded = parts.compactMap(decode)
    return decoded.count == parts.count ? decoded : nil
  }
}

extension ValueDecoder where Value == UInt16 {
  fileprivate static var bus: Self {
    let buses: KeyValuePairs<String, UInt16> = [
      "usb": 0x03, "bluetooth": 0x05, "ps2": 0x11, "i2c": 0x18, "spi": 0x1c, "rmi": 0x1d,
    ]
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
      node.text?.quirkParts { UInt16(hexadecimal: $0) }.map { Set($0) }
    }
  }
}

extension UInt16 {
  fileprivate init?(hexadecimal text: Substring) {
    guard text.hasPrefix("0x"), text.utf8.count > 2, text.utf8.count <= 6 else { return nil }
    self.init(text.dropFirst(2), radix: 16)
  }
}
