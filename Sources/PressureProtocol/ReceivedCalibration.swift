internal import PressureKit

/// The answer to a step of `calibrate`, as a client reads it.
public struct ReceivedCalibration: Hashable, Sendable, Decodable {
  /// A known weight, and what the sensor said of it.
  public struct Point: Hashable, Sendable, Decodable {
    public var grams: Double
    public var raw: Double
    public var spread: Double
  }

  /// How well the points fit.
  public struct Fit: Hashable, Sendable, Decodable {
    private enum CodingKeys: String, CodingKey {
      case shape
      case errorGrams = "error_grams"
      case worstGrams = "worst_grams"
      case worstAtGrams = "worst_at_grams"
      case rootMeanSquare = "rmse_grams"
      case determination = "r2"
      case line
    }

    /// `line` or `pieces`.
    public var shape: String
    public var errorGrams: Double
    public var worstGrams: Double
    public var worstAtGrams: Double
    public var rootMeanSquare: Double

    /// R².
    public var determination: Double

    /// The corners of the law, as pairs of grams and raw; an older daemon does not say them.
    public var line: [[Double]]?
  }

  public var points: [Point]
  public var fit: Fit?

  /// Why the points make no fit yet.
  public var refusal: String?
}
