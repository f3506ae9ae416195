/// The source of a weight in grams.
public enum WeightSource: String, Sendable {
  /// The device was calibrated with known weights.
  case calibrated
  /// The kernel states units per gram.
  case kernel
  /// An estimate: the ratio of the effective maximum times a nominal full scale.
  case nominal
  /// The device cannot weigh.
  case none
}

/// The law that converts a device's pressure to grams.
public enum Calibration: Hashable, Sendable {
  /// A law fitted to known weights on this device.
  ///
  /// Indirect, as a law is passed with every contact and the other cases are small.
  indirect case fitted(FittedLaw)
  /// The kernel's definition: raw / resolution, without subtracting the minimum.
  case kernel(unitsPerGram: Int32)
  /// An estimate: the ratio of the effective maximum times a nominal full scale in grams.
  case nominal(fullScaleGrams: Double)

  /// The source of the grams.
  public var source: WeightSource {
    switch self {
    case .fitted: .calibrated
    case .kernel: .kernel
    case .nominal: .nominal
    }
  }

  /// The weight of an empty surface; only a fitted law knows its error.
  package var zeroWeight: Weight {
    switch self {
    case .fitted: fittedZeroWeight
    case .kernel, .nominal: Weight(grams: 0, error: nil)
    }
  }

  /// The weight of a raw value and its ratio of the effective maximum.
  package func weight(raw: Int32, ratio: Double) -> Weight {
    switch self {
    case .fitted: fittedWeight(raw: raw)
    case .kernel(let unitsPerGram):
      Weight(grams: Double(raw) / Double(unitsPerGram), error: nil)
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

  /// The error of a weight relative to an earlier zero or tare.
  ///
  /// - Parameters:
  ///   - grams: the current weight by this law.
  ///   - reference: the weight at the zero or tare; 0 for an empty surface.
  /// - Returns: grams (see `Weight.error`), or nil if the device was not compared with known weights.
  package func errorGrams(at grams: Double, since reference: Double) -> Double? {
    switch self {
    case .fitted(let law):
      reference == 0 ? law.error(grams: grams) : law.error(grams: grams, since: reference)
    case .kernel, .nominal: nil
    }
  }
}
