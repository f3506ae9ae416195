public import PressureKit

/// A reading of the scale, in a `scale` line and in replies.
public struct ReceivedScale: Hashable, Sendable, Decodable {
  /// A target net weight.
  public struct Target: Hashable, Sendable, Decodable {
    /// The target net weight in grams.
    public var grams: Double

    /// The tolerance in grams, plus or minus.
    public var tolerance: Double

    /// Whether the net weight is within the tolerance.
    public var within: Bool

    package init(grams: Double, tolerance: Double, within: Bool) {
      (self.grams, self.tolerance, self.within) = (grams, tolerance, within)
    }
  }

  private enum CodingKeys: String, CodingKey {
    case time, device, status, grams, rate, target, user, request
    case grossGrams = "gross_grams"
    case tareGrams = "tare_grams"
    case errorGrams = "error_grams"
    case isHeld = "held"
    case isDecaying = "decaying"
  }

  /// The time in microseconds on the clock that `hello` names; nil in the reply to `state`.
  public var time: Int64?

  /// The device; nil in the reply to `state`.
  public var device: String?

  /// The status of the scale.
  public var status: ProtocolValue<WeighingStatus>

  /// The net weight in grams; nil if the device has no weight source.
  public var grams: Double?

  /// The gross weight in grams.
  public var grossGrams: Double?

  /// The tare in grams.
  public var tareGrams: Double

  /// The uncertainty in grams, plus or minus; nil if unknown.
  public var errorGrams: Double?

  /// The rate of change in grams per second.
  public var rate: Double?

  /// Whether the reading is held.
  public var isHeld: Bool

  /// Whether the reading decays to zero although the contact stays.
  public var isDecaying: Bool

  /// The target; nil if none is set.
  public var target: Target?

  /// The user ID of the client whose request changed the reading.
  public var user: Int64?

  /// The verb of that request; nil if no request changed the reading.
  public var request: String?
}
