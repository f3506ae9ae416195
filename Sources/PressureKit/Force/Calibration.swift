/// A weight in grams, made by a calibration alone: a raw number by itself weighs nothing.
public struct Weight: Hashable, Comparable, Sendable {
  public let grams: Double

  fileprivate init(grams: Double) {
    self.grams = grams
  }

  public static func < (left: Weight, right: Weight) -> Bool { left.grams < right.grams }

  public static func + (left: Weight, right: Weight) -> Weight {
    Weight(grams: left.grams + right.grams)
  }

  /// An equal part of a weight that several contacts bring upon one sensor.
  public func shared(among contacts: Int) -> Weight {
    Weight(grams: grams / Double(max(contacts, 1)))
  }
}

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
  /// The kernel's: raw / resolution, without the minimum, as its documentation has it.
  case kernel(unitsPerGram: Int32)
  /// An estimate: the ratio times so many grams.
  case nominal(fullScaleGrams: Double)

  /// Where the grams come from.
  public var source: WeightSource {
    switch self {
    case .kernel: .kernel
    case .nominal: .nominal
    }
  }

  /// What an empty surface weighs, by any law.
  var nothing: Weight { Weight(grams: 0) }

  /// The weight of a raw value whose ratio is known.
  func weight(raw: Int32, ratio: Double) -> Weight {
    switch self {
    case .kernel(let unitsPerGram): Weight(grams: Double(raw) / Double(unitsPerGram))
    case .nominal(let fullScaleGrams): Weight(grams: ratio * fullScaleGrams)
    }
  }

  /// How wrong grams made by this law may be, or nil where nobody has compared them with known weights.
  func errorGrams(at grams: Double) -> Double? {
    switch self {
    case .kernel, .nominal: nil
    }
  }
}
