package import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// A reading as people read it.
extension ReceivedScale {
  /// Whether something lies there at rest.
  var isStableReading: Bool {
    switch status {
    case .known(.stable), .known(.underZero): true
    case .known(.fault), .known(.stableZero), .known(.inMotion), .known(.overWeight),
      .known(.calibrationNeeded), .known(.rezeroNeeded), .unknown:
      false
    }
  }

  /// The number alone, as in `61.9` and, where the sensor is at its end, `385.0+`.
  package func number(in unit: MassUnit) -> String? {
    grams.map { unit.text($0) + (status == .overWeight ? "+" : "") }
  }

  /// The number, how sure it is, and the unit: `≈ 61.9 g` is an estimate, `61.9 g ± 1.2` a measurement.
  package func text(in unit: MassUnit, isEstimate: Bool) -> String {
    guard let number = number(in: unit) else { return "no reading" }
    return ("\(number) \(unit.rawValue)" + (doubt(in: unit) ?? "")).estimated(isEstimate)
  }

  /// How wrong it may be, where that is known.
  func doubt(in unit: MassUnit) -> String? { errorGrams.map { " ± \(unit.text($0))" } }

  /// Its state in words, and what to do about it.
  package var advice: String {
    if isHeld { return "held" }
    if isDecaying { return "fading: the surface does not take it for a finger" }
    return switch status {
    case .known(.fault): "this device cannot weigh"
    case .known(.stableZero): "zero"
    case .known(.inMotion): "in motion"
    case .known(.stable): "stable"
    case .known(.underZero): "stable, below zero: something tared is gone"
    case .known(.overWeight): "more than it can say"
    case .known(.calibrationNeeded): "no grams yet: pressured calibrate teaches it some"
    case .known(.rezeroNeeded):
      "the zero has moved: with nothing new on it, press z, or t where a jar stays"
    case .unknown: "something new"
    }
  }
}

extension ReceivedScale.Target {
  /// How far a reading is from it.
  package func words(at net: Double?, in unit: MassUnit, isEstimate: Bool) -> String {
    let aim = "target \(unit.text(grams)) ± \(unit.text(tolerance)) \(unit.rawValue)"
    guard let net else { return aim }
    if within { return "\(aim): reached" }
    let rest = grams - net
    let distance = "\(unit.text(rest.magnitude)) \(unit.rawValue)".estimated(isEstimate)
    return "\(aim): \(distance) \(rest > 0 ? "to go" : "too much")"
  }
}
