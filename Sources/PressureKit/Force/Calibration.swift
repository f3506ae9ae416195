/// The source of a weight in grams.
public enum WeightSource: String, CaseIterable, Sendable {
  /// The device was calibrated with known weights.
  case calibrated
  /// The kernel states units per gram.
  case kernel
  /// The device's report descriptor states a unit of mass or force.
  case descriptor
  /// An estimate: the ratio of the effective maximum times a nominal full scale.
  case nominal
  /// The device cannot weigh.
  case none

  /// What grams are, as the end of a sentence.
  package var meaning: String {
    switch self {
    case .calibrated: "measured with weights"
    case .kernel: "rounded by the kernel"
    case .descriptor: "declared by the report descriptor"
    case .nominal: "an estimate"
    case .none: "unknown"
    }
  }
}

/// The law that converts a device's pressure to grams.
public enum Calibration: Hashable, Sendable {
  /// A law fitted to known weights on this device.
  ///
  /// Indirect, as a law is passed with every contact and the other cases are small.
  indirect case fitted(CalibrationFit)
  /// The definition of the kernel, or of the report descriptor: raw / units per gram, without subtracting the minimum.
  ///
  /// The kernel rounds the units per gram to an integer.
  case units(perGram: Double, areRounded: Bool)
  /// An estimate: the ratio of the effective maximum times a nominal full scale in grams; the range leads to that maximum.
  case nominal(fullScaleGrams: Double, over: ClosedRange<Int32>)

  /// The source of the grams.
  public var source: WeightSource {
    switch self {
    case .fitted: .calibrated
    case .units(_, let areRounded): areRounded ? .kernel : .descriptor
    case .nominal: .nominal
    }
  }

  /// The weight of an empty surface; an estimate has no error.
  package var zeroWeight: Weight {
    switch self {
    case .fitted: fittedWeight(raw: nil)
    case .units: weight(raw: 0, ratio: 0)
    // Not a product, as the full scale may be infinite or NaN.
    case .nominal: Weight(grams: 0, error: nil)
    }
  }

  package func weight(raw: Int32, ratio: Double) -> Weight {
    switch self {
    case .fitted: fittedWeight(raw: raw)
    case .units(let units, _):
      Weight(
        grams: Double(raw) / units,
        error: statedError(of: Double(raw) / units, noise: step.squared / 4))
    case .nominal(let fullScaleGrams, over: _): Weight(grams: ratio * fullScaleGrams, error: nil)
    }
  }

  /// The weight of a value; nil is that of an empty surface.
  ///
  /// Not inlined, so that the common cases do not reserve stack space for a law.
  @inline(never)
  private func fittedWeight(raw: Int32?) -> Weight {
    guard case .fitted(let law) = self else { return Weight(grams: 0, error: nil) }
    return raw.map(law.weight) ?? Weight(grams: 0, error: law.errorAtZero)
  }

  /// Whether another law converts all values to the same grams, so that tare and zero stay valid.
  func converts(as other: Calibration?) -> Bool {
    if case .fitted(let law) = self, case .fitted(let otherLaw) = other {
      return law.breakpoints == otherLaw.breakpoints
    }
    return self == other
  }

  /// Grams per unit, where that is largest.
  var step: Double {
    switch self {
    case .fitted(let law): law.greatestStep
    case .units(let units, _): 1 / units
    case .nominal(let fullScaleGrams, let range):
      fullScaleGrams / max(Double(range.upperBound) - Double(range.lowerBound), 1)
    }
  }

  /// The standard deviation of one value in grams, where that is largest.
  var noise: Double {
    if case .fitted(let law) = self { return law.greatestNoise }
    return step * CalibrationPoint.roundingVariance.squareRoot()
  }

  // MARK: - Errors of the scale

  /// The error, as a fraction of the weight, of grams that were never compared with known weights, beyond their units'.
  private static let unseen = 0.07

  /// The error of stated units per gram.
  ///
  /// Rounded ones are off by at most 0.5: a pad of 0.7 units per gram states 1.
  @inline(__always)
  private func statedError(of grams: Double, noise: Double) -> Double? {
    guard case .units(let units, let areRounded) = self else { return nil }
    let rounding = areRounded ? 0.5 / (units - 0.5) : 0
    let ofUnits = grams.squared * (rounding.squared + Calibration.unseen.squared)
    return (ofUnits + noise + CalibrationFit.wireVariance).squareRoot()
  }

  /// The variance of rounding of each contact that shares a load, in square grams.
  @inline(never)
  func rounding(of load: Load) -> Double {
    let each = load.grams / Double(max(load.contacts, 1))
    let step = if case .fitted(let law) = self { law.step(at: each) } else { self.step }
    return Double(load.contacts) * step.squared * CalibrationPoint.roundingVariance
  }

  /// The error of a load, with a variance of noise and rounding in square grams; nil if unknown.
  @inline(never)
  func error(of load: Load, noise: Double) -> Double? {
    if case .fitted(let law) = self { return law.error(of: load, noise: noise) }
    return statedError(of: load.grams, noise: SensorError.coverageFactor.squared * noise)
  }

  /// The part of a reading that may differ when the same thing is put there again, as a fraction (one standard deviation).
  private static let repetition = 0.0005

  /// What differs if the same load is put there again, in grams; nil if unknown.
  @inline(never)
  func repeatability(of grams: Double, noise: Double) -> Double? {
    if case .nominal = self { return nil }
    return CalibrationFit.error(noise + (Calibration.repetition * grams).squared)
  }
}

/// A weight in grams; only a `Calibration` creates it, as a raw value alone has no weight.
public struct Weight: Hashable, Comparable, Sendable {
  /// Grams; below zero for a value below the law's zero.
  public let grams: Double

  /// The error in grams, plus or minus, within which 95 % of such weights lie.
  ///
  /// Of a calibrated device: anywhere on the surface, after a minute and on another day; a scale knows more and states less.
  /// Of the kernel's grams: the rounding of their units per gram, and 7 %. Nil for an estimate, if the sensor is saturated,
  /// and above 1.05 times the heaviest known weight.
  public let error: Double?

  package init(grams: Double, error: Double?) {
    self.grams = grams
    self.error = error
  }

  /// Compares the grams; errors do not count.
  public static func < (left: Weight, right: Weight) -> Bool { left.grams < right.grams }

  /// Adds weights; their errors add up too, as one law causes both.
  package static func + (left: Weight, right: Weight) -> Weight {
    let error = left.error.flatMap { error in right.error.map { error + $0 } }
    return Weight(grams: left.grams + right.grams, error: error)
  }

  /// An equal share of the weight that several contacts put on one sensor.
  package func shared(among contacts: Int) -> Weight {
    let count = Double(max(contacts, 1))
    return Weight(grams: grams / count, error: error.map { $0 / count })
  }
}
