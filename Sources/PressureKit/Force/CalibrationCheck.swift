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

  /// The greatest load since the surface was empty, in grams.
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
    grams > 0 && grams.isFinite && shown.isFinite && (0...1).contains(tolerance)
      && (0...1).contains(place) && seconds >= 0 && seconds.isFinite && heaviest >= 0
      && heaviest.isFinite
  }

  func conditions(calibratedAt start: Int64?) -> LoadConditions {
    let age = date.flatMap { date in start.map { Double(max(date - $0, 0)) } }
    let crept = grams * (1 - AssumedError.uncrept(after: seconds))
    return LoadConditions(place: place, crept: crept, heaviest: heaviest, age: age)
  }
}

/// What is known of a load beside the sensor's reading.
struct LoadConditions: Hashable, Sendable {
  /// The distance from the center of the surface: 0 there, 1 in a corner.
  var place = 0.0

  /// The load that creep has followed, in grams; nil if it is that of a calibration's weights.
  var crept: Double?

  /// The greatest load since the surface was empty, in grams.
  var heaviest = 0.0

  /// The age of the calibration in seconds; nil if unknown, which counts as a day.
  var age: Double? = 0

  /// Anywhere, after minutes and on another day.
  static func unfavorable(for grams: Double) -> LoadConditions {
    LoadConditions(place: 1, crept: grams, age: nil)
  }
}

extension Location {
  /// The distance from the center of a surface: 0 there, 1 in a corner, and in between if it is unknown.
  var eccentricity: Double {
    let (across, down) = (2 * x - 1, 2 * y - 1)
    let distance = ((across * across + down * down) / 2).squareRoot()
    return distance.isNaN ? 0.5 : min(distance, 1)
  }
}

enum StudentDistribution {
  private static let factors = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
  ]

  /// The number of estimated standard deviations within which 95 % of values lie.
  static func factor(freedom: Int) -> Double {
    freedom <= factors.count ? factors[max(freedom, 1) - 1] : 1.96 + 2.5 / Double(freedom)
  }
}
