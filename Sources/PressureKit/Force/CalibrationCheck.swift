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
    grams > 0 && grams.isFinite && shown.isFinite && (0...1).contains(tolerance)
      && (0...1).contains(place) && seconds >= 0 && seconds.isFinite && heaviest >= 0
      && heaviest.isFinite
  }

  func load(calibratedAt start: Int64?) -> Load {
    let age = date.flatMap { date in start.map { Double(max(date - $0, 0)) } }
    let crept = grams * (1 - SensorError.uncrept(after: seconds))
    return Load(grams: grams, place: place, crept: crept, heaviest: heaviest, age: age)
  }
}
