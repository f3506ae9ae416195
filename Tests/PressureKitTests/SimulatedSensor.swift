import Glibc

@testable import PressureKit
import PressureTestSupport

/// A simulated sensor, whose true characteristic is known.
struct SimulatedSensor {
  /// The imperfection of the sensor.
  enum Kind: String, CaseIterable {
    /// Linear, with little noise.
    case linear
    /// Nonlinear: like a contact area, saturating or hardening.
    case curved
    /// Linear, with noise of up to 2 % of its range.
    case noisy
    /// Linear and nearly without noise, in whole units of 0 to 255.
    case quantized
    /// Linear, with a drifting zero: a little during the calibration, far more until the reading.
    case drifting
  }

  /// The seeds of as many sensors as `trials` gives.
  static func seeds(_ count: Int, few: Int) -> Range<UInt64> {
    0..<UInt64(trials(count, few: few))
  }

  let axis: Axis
  let heaviest: Double
  private(set) var random: TinyRandom

  /// The fraction of `gain` for a fraction of `heaviest`.
  private let response: (Double) -> Double
  private let offset: Double
  private let gain: Double
  private let noise: Double
  private let wander: Double
  private var drift = 0.0

  init(_ kind: Kind, seed: UInt64) {
    var random = TinyRandom(seed: seed)
    let range = kind == .quantized ? 255.0 : 4095.0
    axis = Axis(minimum: 0, maximum: Int32(range))
    heaviest = random.between(200, 450)
    offset = range * random.between(0, 0.1)
    gain = range * random.between(0.4, 0.75)
    response = kind == .curved ? SimulatedSensor.bent(&random) : { $0 }
    noise =
      switch kind {
      case .linear: random.between(0.5, 4)
      case .curved: random.between(0.5, 6)
      case .noisy: random.between(10, 80)
      case .quantized: random.between(0, 0.3)
      case .drifting: random.between(1, 6)
      }
    wander = kind == .drifting ? random.between(0.5, 4) : 0
    self.random = random
  }

  /// One of three nonlinear characteristics.
  private static func bent(_ random: inout TinyRandom) -> (Double) -> Double {
    let power = random.between(0.7, 1.4)
    let depth = random.between(0.4, 1.2)
    return switch random.below(3) {
    case 0: { pow($0, power) }
    case 1: { (1 - exp(-depth * $0)) / (1 - exp(-depth)) }
    default: { (exp(depth * $0) - 1) / (exp(depth) - 1) }
    }
  }
}

extension SimulatedSensor {
  var isDrifting: Bool { wander > 0 }

  /// A number of its own random generator.
  mutating func between(_ low: Double, _ high: Double) -> Double { random.between(low, high) }

  /// Advances by a number of minutes, in which the zero may drift.
  mutating func wait(minutes: Double) {
    drift += wander * minutes.squareRoot() * random.normal
  }

  mutating func value(of grams: Double) -> Int32 {
    let value = offset + gain * response(grams / heaviest) + drift + noise * random.normal
    return Int32(min(max(value.rounded(), 0), Double(axis.maximum)))
  }

  mutating func mean(of grams: Double, count: Int) -> Double {
    (0..<count).reduce(0) { sum, _ in sum + Double(value(of: grams)) } / Double(count)
  }

  /// Measures a weight as a calibration does.
  mutating func point(_ grams: Double, count: Int = 50) -> CalibrationPoint {
    wait(minutes: 1)
    let values = (0..<count).map { _ in value(of: grams) }
    return CalibrationPoint(grams: grams, values: values)
  }

  /// Calibrates with zero and two to seven known weights, evenly spaced or not.
  mutating func calibrated(
    scatter: RelativeUncertainty? = nil
  ) throws(CalibrationError) -> CalibrationFit {
    let count = 2 + random.below(6)
    var weights = [0, heaviest]
    let isEven = random.below(2) == 0
    while weights.count <= count {
      let even = heaviest * Double(weights.count - 1) / Double(count)
      let weight = isEven ? even : heaviest * random.between(0.05, 0.95)
      let isApart = weights.allSatisfy { abs($0 - weight) > 0.05 * heaviest }
      if isApart { weights.append(weight) }
    }
    let samples = 20 + random.below(100)
    var points: [CalibrationPoint] = []
    for weight in weights { points.append(point(weight, count: samples)) }
    return try CalibrationFit(points, axis: axis, scatter: scatter)
  }
}

extension CalibrationPoint {
  init(grams: Double, values: [Int32]) {
    let mean = values.reduce(0) { $0 + Double($1) } / Double(values.count)
    let squares = values.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
    self.init(
      grams: grams, raw: mean,
      spread: (squares / Double(max(values.count - 1, 1))).squareRoot(), count: values.count,
      greatest: values.max() ?? 0)
  }
}

extension TinyRandom {
  mutating func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * fraction }

  /// Mean 0 and standard deviation 1, by the Box-Muller transform.
  var normal: Double {
    mutating get { (-2 * log(1 - fraction)).squareRoot() * cos(2 * .pi * fraction) }
  }
}
