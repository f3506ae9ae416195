package import PressureKit

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
    append("{\"device\":", quoted: device.text)
    append(",\"points\":[")
    append(list: session.points) { $0.append($1) }
    append("],\"fit\":")
    do throws(CalibrationError) {
      append(try session.fit())
      append(",\"refusal\":null")
    } catch {
      append("null,\"refusal\":", quoted: error.description)
    }
    if let isStored {
      append(",\"stored\":", isStored)
    }
    append("}")
  }

  private mutating func append(_ point: CalibrationPoint) {
    append("{\"grams\":", point.grams, decimals: 3)
    append(",\"raw\":", point.raw, decimals: 2)
    append(",\"spread\":", point.spread, decimals: 2)
    append(",\"condition\":", quoted: point.condition.rawValue)
    append(",\"assumed\":", point.isAssumed)
    append(",\"weights_percent\":", point.tolerance * 100, decimals: 2)
    append("}")
  }

  private mutating func append(_ fit: CalibrationFit) {
    append("{\"shape\":", quoted: fit.shape.rawValue)
    append(",\"error_grams\":", (fit.greatestError * 100).rounded(.up) / 100, decimals: 2)
    append(",\"worst_grams\":", fit.worstResidual, decimals: 2)
    append(",\"worst_at_grams\":", fit.worstResidualAt, decimals: 3)
    append(",\"rmse_grams\":", fit.rootMeanSquare, decimals: 2)
    append(",\"r2\":", fit.rSquared, decimals: 4)
    append(",\"line\":[")
    append(list: fit.breakpoints) { writer, corner in
      writer.append("[", corner.grams, decimals: 3)
      writer.append(",", corner.raw, decimals: 2)
      writer.append("]")
    }
    append("],\"budget_at_grams\":", fit.heaviest, decimals: 3)
    append(",\"budget\":[")
    append(list: fit.budget) { writer, part in
      writer.append("{\"cause\":", quoted: part.cause.rawValue)
      writer.append(",\"grams\":", (part.grams * 100).rounded(.up) / 100, decimals: 2)
      writer.append("}")
    }
    append("]}")
  }
}
