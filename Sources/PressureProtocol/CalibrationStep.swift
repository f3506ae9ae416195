package import PressureKit

/// A step of a calibration.
package enum CalibrationStep: Hashable, Sendable {
  /// Measures the empty surface; with the tolerance of the weights, as a fraction, if one is given.
  case begin(tolerance: Double?)
  /// Measures a known weight on the surface.
  case point(grams: Double, CalibrationPoint.Condition, tolerance: Double?)
  /// Applies the fit and stores it.
  case finish
  /// Discards the points.
  case cancel

  package init(_ arguments: inout Arguments) throws(RequestError) {
    let grams = try arguments.number("grams", in: 0...CalibrationStep.maxGrams)
    let condition = try CalibrationStep.condition(&arguments)
    let percent = try arguments.number("weights_percent", in: 0...100)
    let tolerance = percent.map { $0 / 100 }
    let step = try arguments.text("step")
    let known = CalibrationStep.names.first { step?.hasSameBytes(as: $0) ?? false }
    guard known == "point" || condition == nil else {
      throw .badArgument("condition is only valid with step=point")
    }
    guard known == "point" || known == "begin" || percent == nil else {
      throw .badArgument("weights_percent is only valid with step=begin and step=point")
    }
    switch (known, grams) {
    case ("begin", nil): self = .begin(tolerance: tolerance)
    case ("point", let grams?):
      guard grams > 0 || (condition ?? .regular) == .regular else {
        throw .badArgument("condition needs a weight above 0 grams")
      }
      self = .point(grams: grams, condition ?? .regular, tolerance: tolerance)
    case ("finish", nil): self = .finish
    case ("cancel", nil): self = .cancel
    case ("point", nil):
      throw .badArgument("step=point needs the weight in grams, as in step=point grams=50")
    case ("begin", _), ("finish", _), ("cancel", _):
      throw .badArgument("grams is only valid with step=point")
    default:
      throw .badArgument("calibrate needs a step: begin, point, finish or cancel")
    }
  }

  private static func condition(
    _ arguments: inout Arguments
  ) throws(RequestError) -> CalibrationPoint.Condition? {
    guard let text = try arguments.text("condition") else { return nil }
    let all = CalibrationPoint.Condition.allCases
    guard let known = all.first(where: { text.hasSameBytes(as: $0.rawValue) }) else {
      let names = all.map(\.rawValue).joined(separator: ", ")
      throw .badArgument("condition must be one of \(names), not \(text.truncated)")
    }
    return known
  }

  private static let names = ["begin", "point", "finish", "cancel"]

  private static let maxGrams = ConfigurationLimits.grams.upperBound
}

extension JSONLinesWriter {
  /// Appends the points and their fit, as in the reply to `calibrate`, and once it is finished whether it was stored.
  package mutating func append(
    _ session: CalibrationSession, device: DeviceID, isStored: Bool? = nil
  ) {
    append("{\"device\":")
    append(quoted: device.text)
    append(",\"points\":[")
    for (index, point) in session.points.enumerated() {
      if index > 0 { append(",") }
      append(point)
    }
    append("],\"fit\":")
    do throws(CalibrationError) {
      append(try session.fit())
      append(",\"refusal\":null")
    } catch {
      append("null,\"refusal\":")
      append(quoted: error.description)
    }
    if let isStored {
      append(",\"stored\":")
      append(isStored)
    }
    append("}")
  }

  private mutating func append(_ point: CalibrationPoint) {
    append("{\"grams\":")
    append(point.grams, decimals: 3)
    append(",\"raw\":")
    append(point.raw, decimals: 2)
    append(",\"spread\":")
    append(point.spread, decimals: 2)
    append(",\"condition\":\"")
    append(plain: point.condition.rawValue)
    append("\",\"assumed\":")
    append(point.isAssumed)
    append(",\"weights_percent\":")
    append(point.tolerance * 100, decimals: 2)
    append("}")
  }

  private mutating func append(_ fit: CalibrationFit) {
    append("{\"shape\":")
    append(quoted: fit.shape.rawValue)
    append(",\"error_grams\":")
    append((fit.greatestError * 100).rounded(.up) / 100, decimals: 2)
    append(",\"worst_grams\":")
    append(fit.worstResidual, decimals: 2)
    append(",\"worst_at_grams\":")
    append(fit.worstResidualAt, decimals: 3)
    append(",\"rmse_grams\":")
    append(fit.rootMeanSquare, decimals: 2)
    append(",\"r2\":")
    append(fit.rSquared, decimals: 4)
    append(",\"line\":[")
    for (index, corner) in fit.breakpoints.enumerated() {
      if index > 0 { append(",") }
      append("[")
      append(corner.grams, decimals: 3)
      append(",")
      append(corner.raw, decimals: 2)
      append("]")
    }
    append("],\"budget_at_grams\":")
    append(fit.heaviest, decimals: 3)
    append(",\"budget\":[")
    for (index, part) in fit.budget.enumerated() {
      append(index > 0 ? ",{\"cause\":\"" : "{\"cause\":\"")
      append(plain: part.cause.rawValue)
      append("\",\"grams\":")
      append((part.grams * 100).rounded(.up) / 100, decimals: 2)
      append("}")
    }
    append("]}")
  }
}
