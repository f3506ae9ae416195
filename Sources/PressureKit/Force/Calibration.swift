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
    case .descriptor: "stated by the report descriptor"
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
  indirect case fitted(FittedLaw)
  /// The definition of the kernel, or of the report descriptor: raw / units per gram, without subtracting the minimum.
  ///
  /// The kernel rounds the units per gram to an integer.
  case units(perGram: Double, areRounded: Bool)
  /// An estimate: the ratio of the effective maximum times a nominal full scale in grams.
  case nominal(fullScaleGrams: Double)

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
    case .fitted: fittedZeroWeight
    case .units(let units, let areRounded):
      Weight(grams: 0, error: Calibration.error(of: 0, units, areRounded))
    case .nominal: Weight(grams: 0, error: nil)
    }
  }

  package func weight(raw: Int32, ratio: Double) -> Weight {
    switch self {
    case .fitted: fittedWeight(raw: raw)
    case .units(let units, let areRounded):
      Weight(
        grams: Double(raw) / units,
        error: Calibration.error(of: Double(raw) / units, units, areRounded))
    case .nominal(let fullScaleGrams): Weight(grams: ratio * fullScaleGrams, error: nil)
    }
  }

  // Not inlined, so that the common cases do not reserve stack space for a law.

  @inline(never)
  private func fittedWeight(raw: Int32) -> Weight {
    guard case .fitted(let law) = self else { return zeroWeight }
    return law.weight(raw: raw)
  }

  @inline(never)
  private var fittedZeroWeight: Weight {
    guard case .fitted(let law) = self else { return zeroWeight }
    return Weight(grams: 0, error: law.errorAtZero)
  }

  /// The error of stated units per gram.
  ///
  /// Rounded ones are off by at most 0.5: a pad of 0.7 units per gram states 1. The value is rounded, and what no weight has
  /// shown is assumed, as for a calibration.
  @inline(__always)
  private static func error(of grams: Double, _ units: Double, _ areRounded: Bool) -> Double {
    let step = 0.5 / units
    let part = part(of: grams, units, areRounded)
    return (part * part + step * step + FittedLaw.wireVariance).squareRoot()
  }

  /// The part of that error that is proportional to the weight.
  @inline(__always)
  private static func part(of grams: Double, _ units: Double, _ areRounded: Bool) -> Double {
    let scale = areRounded ? 0.5 / (units - 0.5) : 0
    let unseen = RelativeUncertainty.ofUncalibrated
    return grams * (scale * scale + unseen * unseen).squareRoot()
  }

  /// Grams per unit and the standard deviation of one value in grams, each where it is largest; for an estimate, the axis
  /// determines both.
  func resolution(on axis: PressureAxis?) -> (step: Double, noise: Double) {
    let step: Double
    switch self {
    case .fitted(let law): return (law.greatestStep, law.greatestNoise)
    case .units(let units, _): step = 1 / units
    case .nominal(let fullScaleGrams):
      let span = axis.map { Double($0.effectiveMaximum) - Double($0.axis.minimum) } ?? 1
      step = fullScaleGrams / max(span, 1)
    }
    return (step, step * CalibrationPoint.roundingVariance.squareRoot())
  }

  /// The error of a weight in grams relative to an earlier zero or tare (see `Weight.error`); nil if unknown.
  package func errorGrams(at grams: Double, since reference: Double) -> Double? {
    switch self {
    case .fitted(let law):
      reference == 0 ? law.error(grams: grams) : law.error(grams: grams, since: reference)
    case .units(let units, let areRounded):
      Calibration.error(of: grams - reference, units, areRounded)
    case .nominal: nil
    }
  }

  /// The error of a weight without the part that is proportional to it; nil if unknown.
  func absoluteErrorGrams(at grams: Double) -> Double? {
    switch self {
    case .fitted(let law): law.absoluteError(grams: grams)
    case .units(let units, let areRounded): Calibration.error(of: 0, units, areRounded)
    case .nominal: nil
    }
  }

  /// The error of a difference of weights, from the absolute errors of both.
  func errorGrams(of net: Double, since reference: Double, _ now: Double, _ then: Double) -> Double?
  {
    switch self {
    case .fitted(let law): law.combined(now, then, net: net, reference: reference)
    case .units, .nominal:
      proportionalErrorGrams(of: net).map {
        (now * now + then * then + $0 * $0).squareRoot()
      }
    }
  }

  /// The part of the error that is proportional to the weight; nil if unknown.
  func proportionalErrorGrams(of net: Double) -> Double? {
    switch self {
    case .fitted(let law): law.relative.expanded * net
    case .units(let units, let areRounded): Calibration.part(of: net, units, areRounded)
    case .nominal: nil
    }
  }

  /// The part of the error that differs each time that a weight is placed; nil if unknown.
  func repetitionErrorGrams(of net: Double) -> Double? {
    switch self {
    case .fitted(let law): FittedLaw.coverageFactor * law.relative[.repetition] * net
    case .units:
      FittedLaw.coverageFactor * RelativeUncertainty.assumed[.repetition] * net
    case .nominal: nil
    }
  }

  /// The error that a heavier load leaves in the reading of what remains of it; nil if unknown.
  @inline(never)
  func unloadingErrorGrams(from heavier: Double, to grams: Double) -> Double? {
    switch self {
    case .fitted(let law): law.relative.unloadingError(from: heavier, to: grams)
    case .units:
      RelativeUncertainty.assumed.unloadingError(from: heavier, to: grams)
    case .nominal: nil
    }
  }
}

/// A weight in grams; only a `Calibration` creates it, as a raw value alone has no weight.
public struct Weight: Hashable, Comparable, Sendable {
  /// Grams; below zero for a value below the law's zero.
  public let grams: Double

  /// The error in grams, plus or minus, within which 95 % of such weights lie.
  ///
  /// Of a calibrated device: 2.2 standard deviations of the calibration and the sensor, and what one calibration at one
  /// place and time cannot show, in proportion to the weight. Of the kernel's grams: the rounding of their units per gram, and the same
  /// proportion. Nil for an estimate, if the sensor is saturated, and below the lightest known weight if the zero was assumed.
  public let error: Double?

  package init(grams: Double, error: Double?) {
    self.grams = grams
    self.error = error
  }

  /// Compares the grams; errors do not count.
  public static func < (left: Weight, right: Weight) -> Bool { left.grams < right.grams }

  /// Adds weights; their errors add up too, as one law causes both.
  package static func + (left: Weight, right: Weight) -> Weight {
    guard let leftError = left.error, let rightError = right.error else {
      return Weight(grams: left.grams + right.grams, error: nil)
    }
    return Weight(grams: left.grams + right.grams, error: leftError + rightError)
  }

  /// An equal share of the weight that several contacts put on one sensor.
  package func shared(among contacts: Int) -> Weight {
    let count = Double(max(contacts, 1))
    return Weight(grams: grams / count, error: error.map { $0 / count })
  }
}

/// An optional number in the memory of the number alone, as NaN means nil: with the words of `Optional` a contact, which is
/// copied up to hundreds of times per frame, is too large to be moved without a call.
struct PackedOptional: Hashable, Sendable {
  private static let missing = Double.nan.bitPattern

  private let bits: UInt64

  init(_ number: Double?) {
    bits = number?.bitPattern ?? PackedOptional.missing
  }

  /// A result of arithmetic in which NaN stands for a missing operand.
  init(orMissing number: Double) {
    // NaN is not equal to itself; the comparison is faster than `isNaN`.
    bits = number == number ? number.bitPattern : PackedOptional.missing
  }

  var orNaN: Double { Double(bitPattern: bits) }

  var value: Double? { bits == PackedOptional.missing ? nil : Double(bitPattern: bits) }
}

/// An optional weight in the memory of its two numbers alone.
struct PackedWeight: Hashable, Sendable {
  private let grams: PackedOptional
  private let error: PackedOptional

  init(_ weight: Weight?) {
    grams = PackedOptional(weight?.grams)
    error = PackedOptional(weight?.error)
  }

  var value: Weight? { grams.value.map { Weight(grams: $0, error: error.value) } }
}
