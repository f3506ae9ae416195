extension Surface {
  /// How far from zero a scale may be told that it stands at zero: two hundredths of what it carries.
  ///
  /// It is the limit that OIML R 76 sets for shop scales.
  private static let zeroingPart = 0.02

  /// How far off zero may be set, in grams.
  func zeroingRange(_ rules: ScaleConfiguration) -> Double {
    let raw = pressure?.effectiveMaximum ?? 0
    let capacity = calibration?.weight(raw: raw, ratio: 1).grams ?? 0
    return max(rules.zeroGrams, capacity * Surface.zeroingPart)
  }

  /// Whether a contact may weigh more than is said of it: the sensor is at its end, or the law is, as
  /// an estimate ends where the surface is pressed to the full.
  func isExceeded(by contact: Contact) -> Bool {
    if contact.isSaturated { return true }
    guard let pressure, let raw = contact.raw else { return false }
    switch calibration {
    case .nominal: return contact.force.ratio >= 1 && raw > pressure.effectiveMaximum
    case .fitted, .kernel, nil: return false
    }
  }
}
