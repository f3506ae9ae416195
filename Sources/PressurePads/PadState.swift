internal import PressureSystem

/// What is known of a pad and its settings.
package struct PadState {
  /// The pad, its settings and what else there is to say of it, in sentences.
  package let lines: [String]

  package let json: String

  package init(_ pad: PadDevice, _ record: PadRecord?) {
    let remarks = pad.remarks + [record?.note].compactMap(\.self)
    // Fields are only ever added.
    var fields: [String: any Encodable] = [
      "device": pad.id, "name": pad.name, "node": pad.path, "descriptor": pad.checksum,
      "remarks": remarks,
    ]
    var settings: [String] = []
    for control in pad.layout.controls {
      let known = record?[control.setting] ?? PadRecord.Setting()
      let words = PadState.words(control, known)
      settings.append("\(control.setting.name): \(words); it can be \(control.rangeSentence)")
      let key = control.setting == .clickForce ? "click_force" : "haptics"
      fields[key] = PadState.fields(control, known).mapValues(Field.init)
    }
    lines = ["\(pad.path): \(pad.name) (\(pad.id))"] + (settings + remarks).map { "  \($0)" }
    json = JSONText.text(of: fields.mapValues(Field.init), isIndented: false)
  }

  private static func words(_ control: PadControl, _ known: PadRecord.Setting) -> String {
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

  /// The fields of a setting; nil is left out.
  private static func fields(
    _ control: PadControl, _ known: PadRecord.Setting
  ) -> [String: any Encodable] {
    var fields: [String: any Encodable] = ["steps": control.values.count]
    func set(_ key: String, _ value: (some Encodable)?) {
      if let value { fields[key] = value }
    }
    let unit = control.setting == .clickForce ? "grams" : "percent"
    set(unit, known.value.flatMap(control.amount))
    set("level", known.value.flatMap(control.level)?.rawValue)
    set("confirmed", known.value.map { known.returned == $0 })
    set("unknown", known.isUnknown ? true : nil)
    set("saved_\(unit)", known.saved.flatMap(control.amount))
    set("saved_level", known.saved.flatMap(control.level)?.rawValue)
    guard control.setting == .clickForce else { return fields }
    set("minimum_grams", control.amounts?.lowerBound)
    set("maximum_grams", control.amounts?.upperBound)
    set("steps_grams", control.steps)
    return fields
  }
}

/// A value of any type, as dictionaries encode values of one.
private struct Field: Encodable {
  let value: any Encodable

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
