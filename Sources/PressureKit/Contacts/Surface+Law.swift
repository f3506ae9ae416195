extension Surface {
  /// What a contact of a force weighs, gross.
  ///
  /// - Parameter force: in units of an average touch, 0 to the device's maximum.
  /// - Returns: grams, or nil where the device gives nothing to weigh by.
  public func grams(ofForce force: Double) -> Double? {
    guard let calibration, let pressure, pressure.maximumPossibleForce > 0 else { return nil }
    let ratio = force / pressure.maximumPossibleForce
    let span = Double(pressure.effectiveMaximum) - Double(pressure.axis.minimum)
    let raw = Double(pressure.axis.minimum) + ratio * span
    return calibration.grams(raw: raw, ratio: ratio)
  }

  /// The stages of a force gesture on it, by whether it states its grams itself.
  public func stages(of press: PressConfiguration) -> [PressStage] {
    press.stages(gramsAreTrue: gramsAreTrue && !simulatesPress).stages
  }
}

extension Calibration {
  /// Grams between two values that the sensor can say.
  fileprivate func grams(raw: Double, ratio: Double) -> Double {
    switch self {
    case .fitted(let law): law.grams(raw: raw)
    case .kernel(let unitsPerGram): raw / Double(unitsPerGram)
    case .nominal(let fullScaleGrams): ratio * fullScaleGrams
    }
  }
}
