package import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// A reading as a JSON line with the fields of a `scale` event, also if it comes from a reply.
extension ReceivedScale {
  /// The line, without its line feed.
  var jsonText: String {
    var line = JSONLinesWriter()
    line.append("{\"event\":\"scale\",\"time\":", time ?? 0)
    line.append(",\"device\":", quoted: device)
    line.append(",\"status\":", quoted: status.rawValue)
    line.append(",\"grams\":", grams, decimals: 1)
    line.append(",\"gross_grams\":", grossGrams, decimals: 1)
    line.append(",\"tare_grams\":", tareGrams, decimals: 1)
    line.append(",\"error_grams\":", errorGrams, decimals: 1)
    line.append(",\"rate\":", rate, decimals: 1)
    line.append(",\"held\":", isHeld)
    line.append(",\"decaying\":", isDecaying)
    line.append(",\"target\":")
    if let target {
      line.append("{\"grams\":", target.grams, decimals: 4)
      line.append(",\"tolerance\":", target.tolerance, decimals: 4)
      line.append(",\"within\":", target.within)
      line.append("}")
    } else {
      line.append("null")
    }
    if let user { line.append(",\"user\":", user) }
    if let request { line.append(",\"request\":", quoted: request) }
    line.append("}")
    return line.text
  }
}

extension ReceivedScale {
  var isStableReading: Bool {
    switch status {
    case .known(.stable), .known(.underZero): true
    case .known(.fault), .known(.stableZero), .known(.inMotion), .known(.overWeight),
      .known(.calibrationNeeded), .known(.rezeroNeeded), .unknown:
      false
    }
  }

  /// The number without a unit, such as `61.9` or, if the sensor is saturated, `385.0+`.
  package func number(in unit: MassUnit) -> String? {
    grams.map { unit.text($0) + (status == .overWeight ? "+" : "") }
  }

  /// The number with its unit and its uncertainty: `≈ 61.9 g` is an estimate, `61.9 g ± 1.2` a measurement.
  package func text(in unit: MassUnit, isEstimate: Bool) -> String {
    guard let number = number(in: unit) else { return "no reading" }
    return ("\(number) \(unit.rawValue)" + (errorText(in: unit) ?? "")).estimated(isEstimate)
  }

  func errorText(in unit: MassUnit) -> String? { errorGrams.map { " ± \(unit.text($0))" } }

  /// The status as text, and what to do about it.
  package var advice: String {
    if isHeld { return "held" }
    if isDecaying { return "decaying: the surface does not treat it as a finger" }
    return switch status {
    case .known(.fault): "this device cannot weigh"
    case .known(.stableZero): "zero"
    case .known(.inMotion): "in motion"
    case .known(.stable): "stable"
    case .known(.underZero): "stable, below zero: a tared object was removed"
    case .known(.overWeight): "over the maximum"
    case .known(.calibrationNeeded): "no grams: run pressured calibrate"
    case .known(.rezeroNeeded):
      "zero has drifted: remove the load, then press z, or t with a tared object in place"
    case .unknown: "unknown status"
    }
  }
}

extension ReceivedScale.Target {
  /// The target, and its distance from a reading.
  package func text(at net: Double?, in unit: MassUnit, isEstimate: Bool) -> String {
    let target = "target \(unit.text(grams)) ± \(unit.text(tolerance)) \(unit.rawValue)"
    guard let net else { return target }
    if within { return "\(target): reached" }
    let rest = grams - net
    let distance = "\(unit.text(rest.magnitude)) \(unit.rawValue)".estimated(isEstimate)
    return "\(target): \(distance) \(rest > 0 ? "to go" : "too much")"
  }
}
