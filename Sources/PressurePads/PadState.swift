internal import PressureSystem

/// The state of a pad, as `pressured pad --json` prints it.
///
/// Fields are only ever added.
package struct PadState: Codable, Hashable, Sendable {
  /// The click force, in grams if the pad declares them.
  package struct ClickForce: Codable, Hashable, Sendable {
    /// What was set last; nil for as the pad came, or if it is unknown.
    var grams: Double?
    var level: String?
    /// Whether the pad has returned this value; nil if it was not set.
    var confirmed: Bool?
    /// True if it was set, and the pad may have lost or changed it since; nil otherwise.
    var unknown: Bool?
    var minimumGrams: Double?
    var maximumGrams: Double?
    var stepsGrams: [Double]?
    /// How many values it has.
    var steps: Int
    var savedGrams: Double?
    var savedLevel: String?

    private enum CodingKeys: String, CodingKey {
      case grams, level, confirmed, unknown, steps
      case minimumGrams = "minimum_grams"
      case maximumGrams = "maximum_grams"
      case stepsGrams = "steps_grams"
      case savedGrams = "saved_grams"
      case savedLevel = "saved_level"
    }
  }

  /// The strength of the feedback.
  package struct Haptics: Codable, Hashable, Sendable {
    /// What was set last; nil for as the pad came, or if it is unknown.
    var percent: Double?
    var confirmed: Bool?
    var unknown: Bool?
    var steps: Int
    var savedPercent: Double?

    private enum CodingKeys: String, CodingKey {
      case percent, confirmed, unknown, steps
      case savedPercent = "saved_percent"
    }
  }

  package var device: String
  package var name: String
  package var node: String
  package var descriptor: String
  package var clickForce: ClickForce?
  package var haptics: Haptics?
  package var remarks: [String]

  private enum CodingKeys: String, CodingKey {
    case device, name, node, descriptor, haptics, remarks
    case clickForce = "click_force"
  }

  /// Collects what is known of a pad.
  package init(_ pad: PadDevice, _ record: PadRecord?) {
    (device, name, node) = (pad.id, pad.name, pad.path)
    descriptor = pad.checksum
    remarks = pad.remarks + [record?.note].compactMap(\.self)
    for control in pad.layout.controls {
      let key = control.setting.rawValue
      let value = record?.values[key].flatMap { control.values.contains($0) ? $0 : nil }
      let saved = record?.saved[key].flatMap { control.values.contains($0) ? $0 : nil }
      let isConfirmed = value.map { record?.confirmations[key] == $0 }
      let isUnknown = record?.isUnknown(control.setting) == true ? true : nil
      switch control.setting {
      case .clickForce:
        clickForce = ClickForce(
          grams: value.flatMap { control.amount(of: $0) },
          level: value.flatMap { control.level(of: $0)?.rawValue }, confirmed: isConfirmed,
          unknown: isUnknown, minimumGrams: control.amounts?.lowerBound,
          maximumGrams: control.amounts?.upperBound,
          stepsGrams: control.steps, steps: control.stepCount,
          savedGrams: saved.flatMap { control.amount(of: $0) },
          savedLevel: saved.flatMap { control.level(of: $0)?.rawValue })
      case .haptics:
        haptics = Haptics(
          percent: value.flatMap { control.amount(of: $0) }, confirmed: isConfirmed,
          unknown: isUnknown, steps: control.stepCount,
          savedPercent: saved.flatMap { control.amount(of: $0) })
      }
    }
  }

  /// The object on one line.
  package var json: String {
    (try? JSONText.text(of: self, isIndented: false)) ?? ""
  }
}

extension PadState {
  /// The state in lines for people.
  ///
  /// - Parameters:
  ///   - pad: the pad.
  ///   - record: what was set since it appeared.
  /// - Returns: the name, and a line for each setting and remark.
  package static func lines(_ pad: PadDevice, _ record: PadRecord?) -> [String] {
    var lines = ["\(pad.path): \(pad.name) (\(pad.id))"]
    for control in pad.layout.controls {
      let key = control.setting.rawValue
      let value = record?.values[key].flatMap { control.values.contains($0) ? $0 : nil }
      let saved = record?.saved[key].flatMap { control.values.contains($0) ? $0 : nil }
      let isUnknown = record?.isUnknown(control.setting) == true
      var words =
        value.map { control.sentence(of: $0) } ?? (isUnknown ? "unknown" : "as the pad came")
      if let value {
        words += saved == value ? ", saved" : ", not saved"
        if let saved, saved != value { words += " (\(control.sentence(of: saved)) is)" }
        if record?.confirmations[key] != value { words += ", not confirmed by the pad" }
      } else if isUnknown {
        words +=
          saved.map { ", \(control.sentence(of: $0)) is saved" } ?? ", as it may have changed"
      }
      lines.append("  \(control.setting.name): \(words); it can be \(control.rangeSentence)")
    }
    lines += pad.remarks.map { "  \($0)" }
    if let note = record?.note { lines.append("  \(note)") }
    return lines
  }
}
