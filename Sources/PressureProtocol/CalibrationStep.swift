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
