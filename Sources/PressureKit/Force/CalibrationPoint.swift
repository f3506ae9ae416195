/// A known weight and the sensor's values for it.
public struct CalibrationPoint: Hashable, Sendable {
  /// The assumed tolerance of known weights that are not reference weights, such as coins, as a fraction.
  public static let defaultTolerance = 0.02

  /// The known weight in grams; 0 for the empty surface.
  public var grams: Double

  /// The mean of the sensor's values, in units of its axis.
  public var raw: Double

  /// The standard deviation of the values.
  public var spread: Double

  /// The number of values.
  public var count: Int

  /// The maximum value, which shows whether the sensor was saturated.
  public var greatest: Int32

  /// The maximum value since the weight was put down, as a hand presses harder; nil if unknown.
  public var peak: Int32?

  /// By how many units the values drifted within half of the second; nil if unknown.
  public var drift: Double?

  /// Whether the zero was assumed, because the sensor sends nothing on an empty surface.
  public var isAssumed = false

  /// The tolerance of the known weight, as a fraction of it.
  public var tolerance = CalibrationPoint.defaultTolerance

  /// Creates a point; a fit checks it.
  public init(grams: Double, raw: Double, spread: Double, count: Int, greatest: Int32) {
    self.grams = grams
    self.raw = raw
    self.spread = spread
    self.count = count
    self.greatest = greatest
  }

  /// The variance of rounding to integers, a uniform distribution of width 1.
  static let roundingVariance = 1.0 / 12

  /// Whether the values do not stay the same for a second.
  var isNoiseVisible: Bool { spread >= 0.25 }

  var isUsable: Bool {
    grams >= 0 && grams.isFinite && raw.isFinite && spread >= 0 && spread.isFinite && count > 0
      && tolerance >= 0 && tolerance <= 1 && drift?.isFinite != false
  }

  /// The mean of repeated measurements of a weight.
  init(mean points: [CalibrationPoint]) {
    self = points[0]
    let number = Double(points.count)
    raw = points.reduce(0) { $0 + $1.raw } / number
    spread = (points.reduce(0) { $0 + $1.spread.squared } / number).squareRoot()
    tolerance = points.reduce(0) { $0 + $1.tolerance } / number
    greatest = points.reduce(.min) { max($0, $1.greatest) }
    peak = points.compactMap(\.peak).max()
    let drifts = points.compactMap(\.drift)
    drift = drifts.isEmpty ? nil : drifts.reduce(0, +) / Double(drifts.count)
  }
}

/// The reason why a weight cannot be measured, or why points do not make a calibration.
public enum CalibrationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The device has no usable pressure axis.
  case noPressure
  /// The surface is empty, or the device does not detect the weight.
  case empty
  /// Several contacts, each with its own pressure, share the weight.
  case several(contacts: Int)
  /// The weight has not been at rest for long enough.
  case tooShort
  /// The reading changed within the second by this many units.
  case inMotion(units: Double)
  /// Nothing was measured that could be dropped.
  case nothingToDrop
  /// There are fewer known weights than `CalibrationFit.minimumWeights`, besides zero.
  case tooFew(weights: Int)
  /// There are more points than `CalibrationFit.maximumPoints`.
  case tooMany(limit: Int)
  /// The empty surface was not measured.
  case noZero
  /// A value that cannot be measured: infinite, NaN or negative.
  case unusable(grams: Double)
  /// The sensor was saturated.
  case saturated(grams: Double)
  /// The heaviest weight moves the sensor by less than `CalibrationFit.minimumChange` of its range.
  case littleChange(percent: Double)
  /// A heavier weight does not read higher than a lighter one.
  case notRising(from: Double, to: Double)

  /// The reason for users, without the device's name.
  public var description: String {
    switch self {
    case .noPressure: "the device has no usable pressure axis"
    case .empty: "the device detects nothing; put the weight on its center"
    case .several(let contacts):
      "the device detects \(contacts) contacts; put the weight on a single foot"
    case .tooShort:
      "a weight is measured over the second before the request; leave it at rest for a second"
    case .inMotion(let units):
      "the reading is in motion: it changed by \(units.shortDescription(decimals: 1)) units within the last"
        + " second; leave the weight at rest for a second"
    case .nothingToDrop: "no such weight was measured"
    case .tooFew(let weights):
      "a calibration needs the empty surface and at least \(CalibrationFit.minimumWeights) known weights;"
        + " \(weights) measured so far"
    case .tooMany(let limit): "a calibration has at most \(limit) points"
    case .noZero: "the empty surface has not been measured"
    case .unusable(let grams): "a weight of \(grams.shortDescription) g cannot be measured"
    case .saturated(let grams):
      "with \(grams.shortDescription) g the sensor is saturated; use a lighter weight"
    case .littleChange(let percent):
      "the heaviest weight moves the sensor by \(percent.shortDescription) % of its range, less than the"
        + " required 1 %; use a heavier weight"
    case .notRising(let lighter, let heavier):
      "\(heavier.shortDescription) g does not read higher than \(lighter.shortDescription) g"
    }
  }
}

/// A known weight that was weighed with a calibration, which shows how far its readings can be believed.
public struct CalibrationCheck: Hashable, Sendable {
  /// The known weight in grams.
  public var grams: Double

  /// What the scale showed, in grams.
  public var shown: Double

  /// The tolerance of the known weight, as a fraction of it.
  public var tolerance: Double

  /// The distance from the center of the surface: 0 there, 1 in a corner.
  public var place: Double

  /// For how many seconds the weight had rested there.
  public var seconds: Double

  /// The greatest load before, in grams.
  public var heaviest: Double

  /// Seconds since 1970; nil if unknown.
  public var date: Int64?

  /// Creates a check; a fit ignores one that is not usable.
  public init(
    grams: Double, shown: Double, tolerance: Double = CalibrationPoint.defaultTolerance,
    place: Double = 0, seconds: Double = 0, heaviest: Double = 0, date: Int64? = nil
  ) {
    self.grams = grams
    self.shown = shown
    self.tolerance = tolerance
    self.place = place
    self.seconds = seconds
    self.heaviest = heaviest
    self.date = date
  }

  /// What the scale showed minus the known weight, in grams.
  public var deviation: Double { shown - grams }

  /// Whether its numbers are within their ranges.
  public var isUsable: Bool {
    [grams, shown, seconds, heaviest].allSatisfy(\.isFinite) && grams > 0 && seconds >= 0
      && heaviest >= 0 && (0...1).contains(tolerance) && (0...1).contains(place)
  }

  func load(calibratedAt start: Int64?) -> Load {
    let age = date.flatMap { date in start.map { max(Double(date) - Double($0), 0) } }
    var load = Load(grams: grams, place: place, heaviest: heaviest, age: age)
    load.creep(for: seconds)
    return load
  }
}
