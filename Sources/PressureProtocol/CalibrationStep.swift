public import PressureKit

package enum CalibrationStep: Hashable, Sendable {
  /// Measures the empty surface; with the tolerance of the weights, as a fraction, if one is given.
  case begin(tolerance: Double?)
  /// Measures a known weight on the surface.
  case point(grams: Double, tolerance: Double?)
  /// Compares a known weight with the calibration in progress or the current one.
  case check(grams: Double, tolerance: Double?)
  /// Removes what was measured last or, of a calibration in progress, the last point of this weight.
  case drop(grams: Double?)
  /// Applies the fit and stores it.
  case finish
  /// Discards the points.
  case cancel
}

extension JSONLinesWriter {
  /// Appends the points, the checks and their fit, as in the reply to `calibrate`; once it is in effect whether it was stored, and
  /// after a check whether that contradicts it.
  package mutating func append(
    _ points: [CalibrationPoint], _ checks: [CalibrationCheck],
    _ fit: Result<CalibrationFit, CalibrationError>, device: DeviceID, isStored: Bool? = nil,
    isContradicted: Bool? = nil
  ) {
    append("{\"device\":", quoted: device.text)
    append(",\"points\":[")
    append(list: points) { writer, point in
      writer.append("{\"grams\":", point.grams, decimals: 3)
      writer.append(",\"raw\":", point.raw, decimals: 2)
      writer.append(",\"spread\":", point.spread, decimals: 2)
      writer.append(",\"assumed\":", point.isAssumed)
      writer.append(",\"weights_percent\":", point.tolerance * 100, decimals: 2)
      writer.append("}")
    }
    append("],\"checks\":[")
    append(list: checks) { $0.append($1) }
    append("],\"fit\":")
    switch fit {
    case .success(let fit):
      append(fit)
      append(",\"refusal\":null")
    case .failure(let error): append("null,\"refusal\":", quoted: error.description)
    }
    if let isContradicted { append(",\"contradicted\":", isContradicted) }
    if let isStored { append(",\"stored\":", isStored) }
    append("}")
  }

  private mutating func append(_ check: CalibrationCheck) {
    append("{\"grams\":", check.grams, decimals: 3)
    append(",\"shown\":", check.shown, decimals: 2)
    append(",\"deviation\":", check.deviation, decimals: 2)
    append(",\"seconds\":", check.seconds, decimals: 1)
    append(",\"place\":", check.place, decimals: 2)
    append(",\"date\":")
    if let date = check.date { append(date) } else { append("null") }
    append(",\"weights_percent\":", check.tolerance * 100, decimals: 2)
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

    /// Whether the zero was assumed, as the device sends nothing when empty; nil from older daemons.
    public var assumed: Bool?

    /// The tolerance of the known weight in percent; nil from older daemons.
    public var weightsPercent: Double?

    private enum CodingKeys: String, CodingKey {
      case grams, raw, spread, assumed
      case weightsPercent = "weights_percent"
    }
  }

  /// A known weight and what the calibration made of it.
  public struct Check: Hashable, Sendable, Decodable {
    /// The known weight in grams.
    public var grams: Double

    /// The reading in grams.
    public var shown: Double

    /// The reading minus the known weight, in grams.
    public var deviation: Double

    /// How long the weight had been on the surface, in seconds.
    public var seconds: Double

    /// Where it was: 0 in the center, 1 in a corner.
    public var place: Double

    /// When it was made, in seconds since 1970; nil if unknown.
    public var date: Int64?

    /// The tolerance of the known weight in percent.
    public var weightsPercent: Double

    private enum CodingKeys: String, CodingKey {
      case grams, shown, deviation, seconds, place, date
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

  /// The calibration curve that was fitted to the points, and its errors.
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

    /// The breakpoints of the calibration curve as pairs of grams and raw value; nil from older daemons.
    public var line: [[Double]]?

    /// The weight for which `budget` is stated, in grams; nil from older daemons.
    public var budgetAtGrams: Double?

    /// The error by cause; nil from older daemons.
    public var budget: [BudgetPart]?
  }

  /// The device; nil after `cancel`.
  public var device: String?

  /// The points, in the order in which they were measured.
  public var points: [Point]

  /// The checks, the oldest first; nil from older daemons.
  public var checks: [Check]?

  /// The calibration curve; nil if the points do not make one yet.
  public var fit: Fit?

  /// The reason why there is no fit yet, as a message for people.
  public var refusal: String?

  /// Whether a check contradicts the calibration; nil before a check, and from older daemons.
  public var contradicted: Bool?

  /// Whether the calibration is stored; if not, it is in effect until the daemon ends.
  ///
  /// Nil unless the step changed the current calibration, and from older daemons.
  public var stored: Bool?
}
