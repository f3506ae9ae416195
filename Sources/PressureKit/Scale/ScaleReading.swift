/// The reading of a scale at one time.
public struct ScaleReading: Hashable, Sendable {
  /// The time of the frame, deadline or request.
  public internal(set) var time: Timestamp

  /// The status of the scale.
  public internal(set) var status: WeighingStatus

  /// The filtered weight of the load above its zero, in grams; nil without a weight source.
  public internal(set) var grossGrams: Double?

  /// The tare in grams.
  public internal(set) var tareGrams = 0.0

  /// The error in grams (see `Weight.error`); nil if unknown.
  public internal(set) var errorGrams: Double?

  /// What may differ if the same thing is put there again now, in grams: noise and rounding; nil if unknown.
  public internal(set) var repeatGrams: Double?

  /// The change of weight in grams per second; nil without a weight source.
  public package(set) var rate: Double?

  /// Whether a hold request keeps the reading unchanged.
  public internal(set) var isHeld = false

  /// Whether it decays to zero although the contact stays, as the surface stops reporting an object at rest.
  public internal(set) var isDecaying = false

  /// The target; nil if none is set.
  public internal(set) var target: ScaleTarget?

  package func at(_ time: Timestamp) -> ScaleReading {
    var reading = self
    reading.time = time
    return reading
  }

  /// The gross weight minus the tare, in grams.
  public var netGrams: Double? { grossGrams.map { $0 - tareGrams } }

  /// Whether the net weight is within the target's tolerance; nil without a target.
  public var isWithinTarget: Bool? {
    target.map { aim in netGrams.map { ($0 - aim.grams).magnitude <= aim.tolerance } ?? false }
  }

  /// The reading rounded as on the wire; equal readings are not emitted again.
  package var rounded: ScaleReading {
    var reading = self
    reading.grossGrams = grossGrams.map(ScaleReading.tenths)
    reading.tareGrams = ScaleReading.tenths(tareGrams)
    reading.errorGrams = errorGrams.map(ScaleReading.tenthsAbove)
    reading.repeatGrams = repeatGrams.map(ScaleReading.tenthsAbove)
    reading.rate = rate.map(ScaleReading.tenths)
    return reading
  }

  /// Rounds an error up to 0.1 g, as a rounded one may be too small.
  package static func tenthsAbove(_ grams: Double) -> Double {
    // A number that was rounded up stays, although it is not exactly a multiple.
    (grams * 10 - 1e-6).rounded(.up) / 10
  }

  /// Rounds to 0.1 g, as the wire does.
  private static func tenths(_ grams: Double) -> Double { (grams * 10).rounded() / 10 }
}

/// A net target weight and its tolerance.
public struct ScaleTarget: Hashable, Sendable {
  /// The net weight to reach, in grams, −1 000 000…1 000 000.
  public let grams: Double

  /// The maximum deviation from the target, in grams, 0…1 000 000.
  public let tolerance: Double

  /// The maximum magnitude of both numbers, in grams.
  package static let maximumGrams = 1_000_000.0

  /// Creates a target; a number outside its range is clamped, NaN counts as 0.
  public init(grams: Double, tolerance: Double) {
    let limit = ScaleTarget.maximumGrams
    self.grams = grams.isNaN ? 0 : min(max(grams, -limit), limit)
    self.tolerance = tolerance.isNaN ? 0 : min(max(tolerance, 0), limit)
  }
}

/// The status of a scale, with the terms of the HID usage tables for point-of-sale scales.
///
/// The corresponding usages are those of `Scale Status` on the Weighing Devices page, except the one for a missing scale.
public enum WeighingStatus: String, CaseIterable, Sendable {
  /// The device cannot weigh: it has no pressure axis, or an unusable one.
  case fault
  /// At rest, and the net weight counts as zero.
  case stableZero = "stable_zero"
  /// The reading left its range within the last window, or has not stayed in it for long enough.
  case inMotion = "in_motion"
  /// At rest.
  case stable
  /// At rest and below zero: a tared load was removed.
  case underZero = "under_zero"
  /// The sensor or its conversion to grams is at its maximum; the actual weight may be higher.
  case overWeight = "over_weight"
  /// There is no law that converts the pressure to grams; not sent any more, as any pressure is an estimate at least.
  case calibrationNeeded = "calibration_needed"
  /// The zero has drifted: an empty surface does not read zero.
  ///
  /// The limit is the error of an empty surface, or the magnitude that counts as zero if that is greater.
  case rezeroNeeded = "rezero_needed"
}

/// A request to a scale.
public enum ScaleRequest: Hashable, Sendable {
  /// Tares the current load.
  case tare
  /// Clears the tare.
  case clearTare
  /// Makes the current reading the zero.
  case zero
  /// Holds the reading.
  case hold
  /// Releases a held reading.
  case release
  /// Sets a net target weight; nil clears it.
  case aim(ScaleTarget?)
  /// Derives the weight of one piece from a number of equal pieces on the scale.
  case sample(pieces: Int)
}

/// The reason why a scale rejects a request.
public enum ScaleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The device has no weight source.
  case cannotWeigh
  /// The pressure of a contact is unknown, as a recording does not contain it.
  case unknownLoad
  /// The load exceeds the range of the sensor or the law.
  case overWeight
  /// The reading exceeds the range for a zero request; both in grams.
  case farFromZero(grams: Double, limit: Double)
  /// The reading is not at rest.
  case inMotion
  /// There is no load that could be divided into pieces.
  case nothingToCount
  /// The device has no calibration that could be checked.
  case notCalibrated
  /// There is no load that could be compared with a known weight.
  case nothingToCheck
  /// A known weight must be a number above zero.
  case unusableWeight(grams: Double)

  /// The reason for users, without the device's name.
  public var description: String {
    switch self {
    case .cannotWeigh: "this device reports no pressure, so it cannot weigh"
    case .unknownLoad: "the pressure of a contact is unknown: the recording does not contain it"
    case .overWeight: "the load exceeds the capacity of the device"
    case .farFromZero(let grams, let limit):
      "the scale reads \(grams.shortDescription(decimals: 1)) g, and zero may be off by"
        + " \(limit.shortDescription(decimals: 1)) g; try tare"
    case .inMotion: "the scale is in motion; retry when it is stable"
    case .nothingToCount: "there is nothing on the scale to count"
    case .notCalibrated: "the device is not calibrated"
    case .nothingToCheck: "there is no known weight on the scale"
    case .unusableWeight(let grams): "\(grams.shortDescription) g is not a known weight"
    }
  }
}
