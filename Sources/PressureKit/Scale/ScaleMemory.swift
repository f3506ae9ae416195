/// The state of a scale that outlives its device: it survives closing, unplugging and replaying.
public struct ScaleMemory: Hashable, Sendable {
  /// The maximum number of stored stable readings.
  public static let historyLength = 100

  /// The tare, subtracted from the gross weight, in grams.
  public internal(set) var tareGrams = 0.0

  /// The reading that counts as zero, in grams.
  public internal(set) var zeroGrams = 0.0

  /// The load that was tared or zeroed; nil if it was an empty surface.
  var reference: LoadReference?

  /// The target weight; nil if none is set.
  public internal(set) var target: ScaleTarget?

  /// The weight of one of several equal pieces, in grams; nil before a sample was counted.
  public internal(set) var pieceGrams: Double?

  /// The error of `pieceGrams`, without what is proportional to the weight; nil if unknown.
  public internal(set) var sampleError: Double?

  /// The held reading, with the time of its request; nil without one.
  var held: ScaleReading?

  /// When the hold ends; nil without one.
  var heldUntil: Timestamp? { held?.time.advanced(byMicroseconds: ScaleConfiguration.hold) }

  /// The latest stable readings, the oldest first.
  public private(set) var history: [ScaleReading] = []

  /// The total number of stable readings.
  public private(set) var stableCount = 0

  /// The law for all grams stored here; nil before the first.
  package private(set) var law: Calibration?

  /// Creates the state of a scale that was never used.
  public init() {}

  /// Whether a user has set a tare, a zero, a target or a piece, or holds a reading.
  public var isAdjusted: Bool {
    tareGrams != 0 || zeroGrams != 0 || target != nil || pieceGrams != nil || held != nil
  }

  /// Releases a held reading whose time has passed.
  package mutating func releaseHold(at time: Timestamp) {
    if let heldUntil, time >= heldUntil { held = nil }
  }

  /// Stores a stable reading, replacing the oldest if necessary.
  package mutating func note(_ reading: ScaleReading) {
    if history.count == ScaleMemory.historyLength { history.removeFirst() }
    history.append(reading)
    stableCount += 1
  }

  /// Sets the law; values in grams of another law are removed.
  ///
  /// The target stays, as the user has set it independently of any law.
  package mutating func adopt(_ law: Calibration?) {
    guard let law, law != self.law else { return }
    if let former = self.law, !law.converts(as: former) {
      (tareGrams, zeroGrams, pieceGrams) = (0, 0, nil)
      (reference, sampleError, held) = (nil, nil, nil)
      history.removeAll(keepingCapacity: true)
    }
    self.law = law
  }

  /// The first stable reading after the first `count` ones; nil if there is none yet.
  package func stable(after count: Int) -> ScaleReading? {
    history.suffix(max(stableCount - count, 0)).first
  }
}

/// A load that was tared or zeroed.
struct LoadReference: Hashable {
  /// The variance of its reading by rounding, noise and motion, in square grams.
  let noise: Double

  /// The load that creep had followed, in grams.
  let crept: Double
}
