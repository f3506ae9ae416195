public import PressureKit

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

/// The result of a step of `calibrate`.
public struct ReceivedCalibration: Hashable, Sendable, Decodable {
  /// A known weight and its measurement.
  public struct Point: Hashable, Sendable, Decodable {
    /// The known weight in grams.
    public var grams: Double

    /// The mean of the raw values.
    public var raw: Double

    /// The spread of the raw values.
    public var spread: Double

    /// How it was measured; nil from older daemons.
    public var condition: ProtocolValue<CalibrationPoint.Condition>?

    /// Whether the zero was assumed, as the device sends nothing when empty; nil from older daemons.
    public var assumed: Bool?

    /// The tolerance of the known weight in percent; nil from older daemons.
    public var weightsPercent: Double?

    private enum CodingKeys: String, CodingKey {
      case grams, raw, spread, condition, assumed
      case weightsPercent = "weights_percent"
    }
  }

  /// A part of the error of a reading.
  public struct BudgetPart: Hashable, Sendable, Decodable {
    /// What causes it.
    public var cause: ProtocolValue<ErrorCause>

    /// The error in grams if it was the only one.
    public var grams: Double
  }

  /// The law that was fitted to the points, and its errors.
  public struct Fit: Hashable, Sendable, Decodable {
    private enum CodingKeys: String, CodingKey {
      case shape
      case errorGrams = "error_grams"
      case worstGrams = "worst_grams"
      case worstAtGrams = "worst_at_grams"
      case rootMeanSquare = "rmse_grams"
      case rSquared = "r2"
      case line, budget
      case budgetAtGrams = "budget_at_grams"
    }

    /// One straight line, or straight segments.
    public var shape: ProtocolValue<CalibrationFit.Shape>

    /// The maximum error of a reading in grams, within which 95 % of readings lie.
    public var errorGrams: Double

    /// The maximum residual of a point in grams.
    public var worstGrams: Double

    /// The weight of that point in grams.
    public var worstAtGrams: Double

    /// The root mean square of the residuals in grams.
    public var rootMeanSquare: Double

    /// The coefficient of determination, R².
    public var rSquared: Double

    /// The breakpoints of the law as pairs of grams and raw value; nil from older daemons.
    public var line: [[Double]]?

    /// The weight for which `budget` is stated, in grams; nil from older daemons.
    public var budgetAtGrams: Double?

    /// The error by cause, whose squares add up; nil from older daemons.
    public var budget: [BudgetPart]?
  }

  /// The device; nil after `cancel`.
  public var device: String?

  /// The points, in the order in which they were measured.
  public var points: [Point]

  /// The law; nil if the points do not make one yet.
  public var fit: Fit?

  /// The reason why there is no fit yet, as a message for people.
  public var refusal: String?

  /// Whether the calibration is stored; if not, it is in effect until the daemon ends.
  ///
  /// Nil before `finish`, and from older daemons.
  public var stored: Bool?
}
