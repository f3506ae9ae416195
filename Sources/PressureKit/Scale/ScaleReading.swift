/// What a scale says at one moment.
public struct ScaleReading: Hashable, Sendable {
  /// The frame, the deadline or the request that it is of.
  public internal(set) var time: Timestamp

  public internal(set) var status: WeighingStatus

  /// What lies there, filtered, above its zero; nil where the device gives nothing to weigh by.
  public internal(set) var grossGrams: Double?

  /// What is taken off it.
  public internal(set) var tareGrams: Double

  /// How wrong it may be, or nil where that is not known.
  public internal(set) var errorGrams: Double?

  /// Grams gained in a second; nil where the device gives nothing to weigh by.
  public internal(set) var rate: Double?

  /// Whether it is kept as it was when somebody asked for that.
  public internal(set) var isHeld: Bool

  /// Whether it falls to zero although the contact stays: the surface takes the thing for no finger.
  public internal(set) var isDecaying: Bool

  /// What is to be reached, if anything is.
  public internal(set) var target: ScaleTarget?

  /// What lies there without the tare.
  public var netGrams: Double? { grossGrams.map { $0 - tareGrams } }

  /// Whether the target is reached; nil without a target.
  public var isWithinTarget: Bool? {
    target.map { target in netGrams.map(target.contains) ?? false }
  }
}

/// A net weight to be reached, and how exactly.
public struct ScaleTarget: Hashable, Sendable {
  public let grams: Double

  /// How far off it still counts as reached, in grams.
  public let tolerance: Double

  public init(grams: Double, tolerance: Double) {
    self.grams = grams
    self.tolerance = tolerance
  }

  package func contains(_ net: Double) -> Bool { (net - grams).magnitude <= tolerance }
}

extension ScaleReading {
  /// The same to the digits that are said: what is equal then is not said again.
  package var rounded: ScaleReading {
    var reading = self
    reading.grossGrams = grossGrams.map(ScaleReading.tenths)
    reading.tareGrams = ScaleReading.tenths(tareGrams)
    reading.errorGrams = errorGrams.map(ScaleReading.tenths)
    reading.rate = rate.map(ScaleReading.tenths)
    return reading
  }

  /// Rounded as the wire rounds grams.
  private static func tenths(_ grams: Double) -> Double { (grams * 10).rounded() / 10 }
}

/// What a scale is doing, in the words of the HID usage tables for point-of-sale scales.
///
/// The corresponding usages are those of `Scale Status` on the Weighing Devices page, without the
/// report that a scale is missing.
public enum WeighingStatus: String, CaseIterable, Sendable {
  /// The device cannot weigh: it has no axis of pressure, or one that says nothing.
  case fault
  /// At rest, and as good as nothing, net.
  case stableZero = "stable_zero"
  /// The reading has left its range within the last window, or has not stayed in it for long enough.
  case inMotion = "in_motion"
  /// At rest.
  case stable
  /// At rest, and less than nothing: what was tared has been taken away.
  case underZero = "under_zero"
  /// The sensor, or the law that makes grams of it, is at its end; it may be any weight above.
  case overWeight = "over_weight"
  /// The device feels pressure, but there is no law that makes grams of it.
  case calibrationNeeded = "calibration_needed"
  /// What is known to weigh nothing, a bare surface or what was tared, reads something: the zero has
  /// drifted by half of what readings say that they may be wrong, or by what counts as nothing where
  /// they say nothing of it.
  case rezeroNeeded = "rezero_needed"
}
