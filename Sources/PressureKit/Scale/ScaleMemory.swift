/// What a scale keeps although its device is closed, unplugged or played again.
public struct ScaleMemory: Hashable, Sendable {
  /// How many stable readings are remembered.
  public static let historyLength = 100

  /// What is taken off the gross weight, in grams.
  public internal(set) var tareGrams = 0.0

  /// What the scale reads with nothing on it, in grams.
  public internal(set) var zeroGrams = 0.0

  public internal(set) var target: ScaleTarget?

  /// What one of several equal pieces weighs, in grams, once that was asked for.
  public internal(set) var pieceGrams: Double?

  /// The last stable readings, the oldest first.
  public private(set) var history: [ScaleReading] = []

  /// How many stable readings there have been in all.
  public private(set) var stableCount = 0

  /// What all the grams here were made by; nil before anything could be weighed.
  package private(set) var law: GramLaw?

  public init() {
    reserve()
  }

  /// Whether a person has set something that would be missed: a tare, a zero, a target, a piece.
  public var isAdjusted: Bool {
    tareGrams != 0 || zeroGrams != 0 || target != nil || pieceGrams != nil
  }

  /// Gives back the room for readings that have not come yet.
  public mutating func compact() {
    history = history.map(\.self)
  }

  /// Makes room for all readings again, so that none allocates when it comes.
  public mutating func reserve() {
    history.reserveCapacity(ScaleMemory.historyLength)
  }

  /// Remembers a stable reading, for which the oldest may be forgotten.
  package mutating func note(_ reading: ScaleReading) {
    if history.count == ScaleMemory.historyLength { history.removeFirst() }
    history.append(reading)
    stableCount += 1
  }

  /// Weighs by a law from now on; what is in grams of another one is forgotten.
  ///
  /// The target stays: it is what somebody wants, and not what a law has made.
  package mutating func adopt(_ law: GramLaw?) {
    guard let law, law != self.law else { return }
    if self.law != nil {
      (tareGrams, zeroGrams, pieceGrams) = (0, 0, nil)
      history.removeAll(keepingCapacity: true)
    }
    self.law = law
  }

  /// The first stable reading after so many, if it has come.
  public func stable(after count: Int) -> ScaleReading? {
    let news = stableCount - count
    guard news > 0 else { return nil }
    return history.suffix(news).first
  }
}

/// What makes grams of a device's values: grams of two laws cannot be compared.
package struct GramLaw: Hashable {
  private let calibration: Calibration

  /// The values that an estimate's ratio is taken of; nil for a law that makes grams of the value itself.
  private let range: ClosedRange<Int32>?

  /// The law of a surface, or nil if it cannot weigh.
  init?(_ surface: Surface) {
    guard let calibration = surface.calibration else { return nil }
    self.calibration = calibration
    switch calibration {
    case .nominal: range = surface.pressure.map { $0.axis.minimum...$0.effectiveMaximum }
    case .fitted, .kernel: range = nil
    }
  }
}
