internal import PressureSystem

/// What is known of a pad and its settings.
package struct PadState {
  /// The pad, its settings and what else there is to say of it, in sentences.
  package let lines: [String]

  package let json: String

  package init(_ pad: PadDevice, _ record: PadRecord?) {
    var fields = Fields(
      device: pad.id, name: pad.name, node: pad.path, descriptor: pad.checksum,
      remarks: pad.remarks + [record?.note].compactMap(\.self))
    var settings: [String] = []
    for control in pad.layout.controls {
      let known = record?[control.setting] ?? PadRecord.Setting()
      let words = PadState.words(control, known)
      settings.append("\(control.setting.name): \(words); it can be \(control.rangeSentence)")
      switch control.setting {
      case .clickForce: fields.clickForce = Setting(control, known)
      case .haptics: fields.haptics = Setting(control, known)
      }
    }
    lines =
      ["\(pad.path): \(pad.name) (\(pad.id))"] + (settings + fields.remarks).map { "  \($0)" }
    json = JSONText.text(of: fields, isIndented: false, underscores: true)
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
}

// MARK: - Fields, which are only ever added; nil is left out

private struct Fields: Encodable {
  let device, name, node, descriptor: String
  let remarks: [String]
  var clickForce, haptics: Setting?
}

private struct Setting: Encodable {
  let grams, percent, savedGrams, savedPercent, minimumGrams, maximumGrams: Double?
  let level, savedLevel: String?
  let isConfirmed, isUnknown: Bool?
  let steps: Int
  let stepsGrams: [Double]?

  init(_ control: PadControl, _ known: PadRecord.Setting) {
    let isForce = control.setting == .clickForce
    let amount = known.value.flatMap(control.amount)
    let saved = known.saved.flatMap(control.amount)
    (grams, savedGrams) = (isForce ? amount : nil, isForce ? saved : nil)
    (percent, savedPercent) = (isForce ? nil : amount, isForce ? nil : saved)
    level = known.value.flatMap(control.level)?.rawValue
    savedLevel = known.saved.flatMap(control.level)?.rawValue
    isConfirmed = known.value.map { known.returned == $0 }
    isUnknown = known.isUnknown ? true : nil
    steps = control.stepCount
    let amounts = isForce ? control.amounts : nil
    (minimumGrams, maximumGrams) = (amounts?.lowerBound, amounts?.upperBound)
    stepsGrams = isForce ? control.steps : nil
  }
}
