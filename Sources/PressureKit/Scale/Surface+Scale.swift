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

  /// Whether any contact may weigh more than is said of it: the sensor is at its end, or the law is, as
  /// an estimate ends where the surface is pressed to the full.
  func isExceeded(by contacts: borrowing Span<Contact>) -> Bool {
    let end = estimateEnd
    for place in contacts.indices {
      if contacts[place].isSaturated { return true }
      if let end, contacts[place].force.ratio >= 1, let raw = contacts[place].raw, raw > end {
        return true
      }
    }
    return false
  }

  /// The value at which an estimate ends; nil where grams are no estimate.
  private var estimateEnd: Int32? {
    switch calibration {
    case .nominal: pressure?.effectiveMaximum
    case .fitted, .kernel, nil: nil
    }
  }
}
