/// What causes the error of a calibrated reading.
public enum ErrorCause: String, CaseIterable, Sendable {
  /// Noise and rounding of a single reading.
  case noise
  /// The fit between and beyond the known weights.
  case fit
  /// The tolerance of the known weights.
  case weights
  /// Another place than the center of the surface.
  case place
  /// The minutes that a load lies there.
  case time
  /// A heavier load before.
  case unloading
  /// Placing a weight again.
  case repetition
  /// Another temperature, which no calibration of a few minutes shows.
  case temperature
}

/// The errors that are proportional to the weight and that a law does not show, as it is measured at one place and time.
///
/// Each is assumed until points of a calibration show it, so that it shrinks, or grows, by evidence:
///
///     place        corners compared with the center
///     time         a weight after a minute compared with the same weight at once
///     unloading    a weight after a heavier one compared with the same weight after none
///     repetition   the same weight several times
package struct RelativeUncertainty: Hashable, Sendable {
  /// The standard deviations, as fractions of the weight.
  private var deviations: [Double]
  private let tolerance: Double

  /// The error within which 95 % of readings lie, as a fraction of the weight.
  let expanded: Double

  /// The standard deviation of what remains of a heavier load, as a fraction of that load.
  private let ofHeavierLoad: Double

  /// The standard deviation of `.unloading`, as a fraction of the weight: a hand presses on what it puts down.
  private let ofPlacedLoad: Double

  /// The assumption for what remains of a heavier load; data sheets state 10 % (FSR 400) and below 4.5 % (FlexiForce).
  private static let assumedOfHeavierLoad = 0.03

  /// How many points replace the assumption for a cause; with fewer it is a part of the error.
  ///
  /// Nil if nothing is assumed, and more than any calibration has if no point is evidence.
  package static func pointsNeeded(for cause: ErrorCause) -> Int? {
    switch cause {
    case .place: 4
    case .time, .unloading: 1
    case .repetition: 3
    case .temperature: .max
    case .noise, .fit, .weights: nil
    }
  }

  /// Causes of which points may be evidence, and the standard deviation, in percent, assumed without: 3 % together.
  private static let assumptions: KeyValuePairs<ErrorCause, Double> = [
    .place: 2, .time: 1.5, .unloading: 1.5, .repetition: 0.8, .temperature: 1,
  ]

  /// Without evidence, and with weights of the default tolerance.
  package static let assumed = RelativeUncertainty(
    assumptions.map { $0.value / 100 }, tolerance: CalibrationPoint.defaultTolerance)

  /// The error, as a fraction of the weight, of grams that were never compared with known weights, beyond their units'.
  ///
  /// `assumed` without the tolerance of weights; a literal, as it is used for each contact.
  static var ofUncalibrated: Double { 0.07005 }

  /// Nothing but what the law shows.
  static let none = RelativeUncertainty(
    assumptions.map { _ in 0 }, tolerance: 0, ofHeavierLoad: 0)

  private init(
    _ deviations: [Double], tolerance: Double, ofHeavierLoad: Double = assumedOfHeavierLoad
  ) {
    self.deviations = deviations
    self.tolerance = tolerance
    self.ofHeavierLoad = ofHeavierLoad
    let index = RelativeUncertainty.assumptions.firstIndex { $0.key == .unloading }
    ofPlacedLoad = index.map { deviations[$0] } ?? 0
    let variance = deviations.reduce(0) { $0 + $1 * $1 }
    let factor = FittedLaw.coverageFactor
    expanded = (factor * factor * variance + tolerance * tolerance).squareRoot()
  }

  init(_ points: [CalibrationPoint], by law: FittedLaw) {
    let weights = points.filter { $0.grams > 0 && $0.isRegular }
    let tolerance = weights.reduce(0) { $0 + $1.tolerance } / Double(max(weights.count, 1))
    let deviations = RelativeUncertainty.assumptions.map { cause, percent in
      RelativeUncertainty.evidence(of: cause, in: points, weights, by: law)?.deviation(
        assuming: percent / 100) ?? percent / 100
    }
    self.init(
      deviations, tolerance: tolerance,
      ofHeavierLoad: RelativeUncertainty.ofHeavierLoad(points, weights, by: law))
  }

  private static func ofHeavierLoad(
    _ points: [CalibrationPoint], _ weights: [CalibrationPoint], by law: FittedLaw
  ) -> Double {
    let unloaded = points.lazy.filter { $0.condition == .descending }.map(\.grams).max()
    guard let unloaded, let heaviest = weights.lazy.map(\.grams).max(), heaviest > 0,
      let evidence = evidence(of: .unloading, in: points, weights, by: law)
    else { return assumedOfHeavierLoad }
    return evidence.deviation(assuming: assumedOfHeavierLoad) * unloaded / heaviest
  }

  /// The error that a heavier load leaves in the reading of what remains of it, in grams, beyond that of a load that was put down.
  ///
  /// Hysteresis grows with how far a load has come down: to its share of the heavier load once half of that is gone.
  func unloadingError(from heavier: Double, to grams: Double) -> Double {
    let remaining = ofHeavierLoad * min(heavier, 2 * (heavier - grams))
    let placed = ofPlacedLoad * grams
    let factor = FittedLaw.coverageFactor
    return factor * max(remaining * remaining - placed * placed, 0).squareRoot()
  }

  subscript(cause: ErrorCause) -> Double {
    let index = RelativeUncertainty.assumptions.firstIndex { $0.key == cause }
    return index.map { deviations[$0] } ?? 0
  }

  func budget(grams: Double) -> [(cause: ErrorCause, grams: Double)] {
    let causes = zip(RelativeUncertainty.assumptions, deviations).map { assumption, deviation in
      (assumption.key, FittedLaw.coverageFactor * deviation * grams)
    }
    return [(.weights, tolerance * grams)] + causes
  }
}

// MARK: - Evidence

extension RelativeUncertainty {
  private struct Evidence {
    /// The sum of the squares of the deviations, as fractions of the weight.
    var squares = 0.0
    var count = 0

    /// The number of deviations that replaces the assumption.
    let needed: Int

    /// The standard deviation of readings for one of the measured deviations.
    let factor: Double

    /// The sum of the variances of the measurements themselves.
    var noise = 0.0

    init(of cause: ErrorCause, factor: Double) {
      needed = pointsNeeded(for: cause) ?? 0
      self.factor = factor
    }

    /// The standard deviation; missing evidence counts as assumed.
    func deviation(assuming assumed: Double) -> Double {
      let missing = Double(max(0, needed - count))
      let number = Double(max(needed, count))
      // A deviation below the noise of its measurement may be as large as that.
      let variance = factor * factor * max(squares, noise) + missing * assumed * assumed
      return (variance / number).squareRoot()
    }
  }

  private static func evidence(
    of cause: ErrorCause, in points: [CalibrationPoint], _ weights: [CalibrationPoint],
    by law: FittedLaw
  ) -> Evidence? {
    switch cause {
    // Readings at any place: at the corners a deviation is largest.
    case .place: compared(points, .corner, as: cause, factor: 0.7, weights, law)
    // After several minutes a load has crept on, less and less.
    case .time: compared(points, .minute, as: cause, factor: 0.9, weights, law)
    case .unloading: compared(points, .descending, as: cause, factor: 0.9, weights, law)
    case .repetition: repeated(weights, law)
    case .noise, .fit, .weights, .temperature: nil
    }
  }

  /// Compares points with regular ones of the same weight, or with the law.
  private static func compared(
    _ points: [CalibrationPoint], _ condition: CalibrationPoint.Condition,
    as cause: ErrorCause, factor: Double, _ weights: [CalibrationPoint], _ law: FittedLaw
  ) -> Evidence? {
    var evidence = Evidence(of: cause, factor: factor)
    for point in points where point.condition == condition {
      let same = weights.filter { $0.grams == point.grams }.merged.first
      let units = law.slope(grams: point.grams) * point.grams
      let reference = same?.raw ?? law.raw(grams: point.grams)
      let deviation = (point.raw - reference) / units
      evidence.squares += deviation * deviation
      evidence.noise +=
        (point.meanVariance + (same?.meanVariance ?? point.meanVariance)) / (units * units)
      evidence.count += 1
    }
    return evidence.count > 0 ? evidence : nil
  }

  private static func repeated(_ weights: [CalibrationPoint], _ law: FittedLaw) -> Evidence? {
    var evidence = Evidence(of: .repetition, factor: 1)
    for mean in weights.merged {
      let same = weights.filter { $0.grams == mean.grams }
      guard same.count > 1 else { continue }
      let units = law.slope(grams: mean.grams) * mean.grams
      for point in same {
        let deviation = (point.raw - mean.raw) / units
        evidence.squares += deviation * deviation
      }
      evidence.count += same.count - 1
    }
    return evidence.count > 0 ? evidence : nil
  }
}
