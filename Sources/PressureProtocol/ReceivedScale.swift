internal import PressureKit

/// What a scale reads, in a `scale` line and in the answers of scales.
public struct ReceivedScale: Hashable, Sendable, Decodable {
  /// What a scale is doing.
  public enum Status: String, ReceivedWord {
    /// The device cannot weigh.
    case fault
    /// At rest, and as good as nothing, net.
    case stableZero = "stable_zero"
    /// Not, or not yet, at rest.
    case inMotion = "in_motion"
    /// At rest.
    case stable
    /// At rest, and less than nothing.
    case underZero = "under_zero"
    /// It may be any weight above.
    case overWeight = "over_weight"
    /// Nothing makes grams of the pressure.
    case calibrationNeeded = "calibration_needed"
    /// What weighs nothing reads something: the zero has moved.
    case rezeroNeeded = "rezero_needed"
    /// Something that only a later daemon knows.
    case unknown
  }

  /// A net weight to be reached.
  public struct Target: Hashable, Sendable, Decodable {
    public var grams: Double

    /// How far off still counts, in grams.
    public var tolerance: Double

    /// Whether it is reached.
    public var within: Bool

    package init(grams: Double, tolerance: Double, within: Bool) {
      self.grams = grams
      self.tolerance = tolerance
      self.within = within
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

  /// Microseconds of the clock that `hello` names; nil in answers that are of the moment.
  public var time: Int64?

  /// Nil in answers that name none.
  public var device: String?

  public var status: Status

  /// Net; nil where there is nothing to weigh by.
  public var grams: Double?

  public var grossGrams: Double?
  public var tareGrams: Double

  /// How wrong the reading may be, or nil where nobody knows.
  public var errorGrams: Double?

  /// Grams gained in a second.
  public var rate: Double?

  /// Whether the reading was asked to stay as it is.
  public var isHeld: Bool

  /// Whether it falls to zero while the contact stays.
  public var isDecaying: Bool

  public var target: Target?

  /// The number of the user whose request has changed the reading.
  public var user: Int64?

  /// The verb of that request.
  public var request: String?

  package init(
    time: Int64? = nil, device: String? = nil, status: Status, grams: Double? = nil,
    grossGrams: Double? = nil, tareGrams: Double, errorGrams: Double? = nil, rate: Double? = nil,
    isHeld: Bool, isDecaying: Bool, target: Target? = nil, user: Int64? = nil,
    request: String? = nil
  ) {
    self.time = time
    self.device = device
    self.status = status
    self.grams = grams
    self.grossGrams = grossGrams
    self.tareGrams = tareGrams
    self.errorGrams = errorGrams
    self.rate = rate
    self.isHeld = isHeld
    self.isDecaying = isDecaying
    self.target = target
    self.user = user
    self.request = request
  }
}
