/// Where grams come from.
public enum WeightSource: String, Sendable {
  /// Known weights were laid on this very device.
  case calibrated
  /// The kernel states units per gram.
  case kernel
  /// A ratio times a full scale: an estimate.
  case nominal
  /// The device gives nothing to weigh by.
  case none
}

/// The law that makes grams of a device's pressure.
public enum Calibration: Hashable, Sendable {
  /// What known weights on this very device have taught.
  ///
  /// Elsewhere in memory, as a law is handed on with every contact and most are but a number.
  indirect case fitted(FittedLaw)
  /// The kernel's: raw / resolution, without the minimum, as its documentation has it.
  case kernel(unitsPerGram: Int32)
  /// An estimate: the ratio times so many grams.
  case nominal(fullScaleGrams: Double)

  /// Where the grams come from.
  public var source: WeightSource {
    switch self {
    case .fitted: .calibrated
    case .kernel: .kernel
    case .nominal: .nominal
    }
  }

  /// What an empty surface weighs, by any law; how wrong that may be is a calibration's to know.
  package var zeroWeight: Weight {
    switch self {
    case .fitted: fittedZeroWeight
    case .kernel, .nominal: Weight(grams: 0, error: nil)
    }
  }

  /// The weight of a raw value whose ratio is known.
  package func weight(raw: Int32, ratio: Double) -> Weight {
    switch self {
    case .fitted: fittedWeight(raw: raw)
    case .kernel(let unitsPerGram):
      Weight(grams: Double(raw) / Double(unitsPerGram), error: nil)
    case .nominal(let fullScaleGrams): Weight(grams: ratio * fullScaleGrams, error: nil)
    }
  }

  // Apart from what only multiplies, as room for a law would be made for each weight.

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

  /// How wrong a weight may be that was read since a zero and a tare.
  ///
  /// - Parameters:
  ///   - grams: what is read, by this law alone.
  ///   - reference: what was read then, and counts for nothing; 0 for an empty surface.
  /// - Returns: grams, or nil where nobody has compared the device with known weights.
  package func errorGrams(at grams: Double, since reference: Double) -> Double? {
    switch self {
    case .fitted(let law):
      reference == 0 ? law.error(grams: grams) : law.error(grams: grams, since: reference)
    case .kernel, .nominal: nil
    }
  }
}
