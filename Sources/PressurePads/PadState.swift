internal import PressureSystem

package struct PadState: Encodable {
  private let pad: PadDevice
  private let record: PadRecord?

  package init(_ pad: PadDevice, _ record: PadRecord?) {
    (self.pad, self.record) = (pad, record)
  }

  private func known(_ control: PadControl) -> PadRecord.Setting {
    record?[control.setting] ?? PadRecord.Setting()
  }

  private var remarks: [String] { pad.remarks + [record?.note].compactMap(\.self) }

  package var lines: [String] {
    let settings = pad.layout.controls.map { control in
      "\(control.setting.name): \(words(control)); it can be \(control.rangeSentence)"
    }
    return ["\(pad.path): \(pad.name) (\(pad.id))"] + (settings + remarks).map { "  \($0)" }
  }

  private func words(_ control: PadControl) -> String {
    let known = known(control)
    let saved = known.saved.map(control.sentence)
    guard let value = known.value else {
      guard known.isUnknown else { return "as the pad came" }
      return saved.map { "unknown, \($0) is saved" } ?? "unknown, as it may have changed"
    }
    var words = control.sentence(of: value)
    words += known.saved == value ? ", saved" : ", not saved"
    if let saved, known.saved != value { words += " (\(saved) is)" }
    if known.returned != value { words += ", not confirmed by the pad" }
    return words
  }

  package var json: String { JSONText.text(of: self, isIndented: false) }

  // MARK: - Fields, which are only ever added; nil is left out

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private typealias Object = KeyedEncodingContainer<Key>

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    func set(_ key: String, _ value: some Encodable) throws {
      try object.encode(value, forKey: Key(stringValue: key))
    }
    try set("device", pad.id)
    try set("name", pad.name)
    try set("node", pad.path)
    try set("descriptor", pad.checksum)
    try set("remarks", remarks)
    for control in pad.layout.controls {
      let key = control.setting == .clickForce ? "click_force" : "haptics"
      var nested = object.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: key))
      try encode(control, to: &nested)
    }
  }

  private func encode(_ control: PadControl, to object: inout Object) throws {
    func set(_ key: String, _ value: (some Encodable)?) throws {
      try object.encodeIfPresent(value, forKey: Key(stringValue: key))
    }
    let (known, unit) = (known(control), control.setting == .clickForce ? "grams" : "percent")
    try set(unit, known.value.flatMap(control.amount))
    try set("level", known.value.flatMap(control.level)?.rawValue)
    try set("confirmed", known.value.map { known.returned == $0 })
    try set("unknown", known.isUnknown ? true : nil)
    try set("steps", control.stepCount)
    try set("saved_\(unit)", known.saved.flatMap(control.amount))
    try set("saved_level", known.saved.flatMap(control.level)?.rawValue)
    guard control.setting == .clickForce else { return }
    try set("minimum_grams", control.amounts?.lowerBound)
    try set("maximum_grams", control.amounts?.upperBound)
    try set("steps_grams", control.steps)
  }
}
