/// Detects what a surface or its firmware takes away of a load that stays.
///
///     grams
///       │╲___ put down           │‾‾‾‾‾│ taken away by a hand
///       │    ╲___ firmware       │     │
///       │        ╲___            │     └──────
///       └──────────────────── seconds
///
/// A hand takes something away at once; firmware that follows its zero, a hole in a vessel and evaporation do it smoothly,
/// and look alike. What a smooth fall has taken is therefore a possible loss, which the error of a reading contains. So is
/// more than half of a load at rest, however fast: a hand that takes so much changes the contacts.
///
/// Such a load decays, and its reading does not count, in three cases: if the sensor reports nothing for it, if it has become
/// nothing, or if it has fallen since it was put down, steadily and more slowly the less is left.
struct DecayDetector {
  /// The change within a block that is not creep, as a fraction.
  private static let sudden = 0.03

  /// The most blocks that a hand needs.
  private static let blocksOfHand = 3

  /// The blocks after a contact has come in which a hand still puts it down.
  private static let blocksOfPutting = 2

  /// The blocks in which it may still let go, so that what is lost by then is no loss of the load.
  private static let blocksOfLettingGo = 3

  /// How many blocks a load has rested before its loss is not a hand's that let go.
  private static let blocksOfRest = 4

  /// A fall that slows down needs this much longer for its second fifth than for its first: 1.29 if it is exponential.
  private static let slowing = 1.15

  private let window: Double
  private let blockLength: Double
  private let zero: Double

  /// Whether the zero was measured with a contact, which then remains when a load is taken off.
  private let isZeroMeasured: Bool

  /// Changes in grams that noise and rounding explain, and a rise within a block.
  private let tolerance: Double
  private let quietRise: Double

  /// The present value, and the block of which it is a part.
  private var value = 0.0
  private var pushedAt = -Double.infinity
  private var blockEnd = Double.infinity
  private var area = 0.0
  private var lowest = Double.infinity
  private var greatestRise = 0.0

  /// The mean of the last block; nil before the first.
  private var level: Double?
  private var blocks = 0

  /// What the load would be without smooth falls, and what it lost in the last block.
  private var kept = 0.0
  private var lastDrop = 0.0

  /// What the present sudden fall has taken, and in how many blocks; whether it began without another fall, and at rest.
  private var sudden = (grams: 0.0, blocks: 0, isAbrupt: false, isAtRest: false)
  private var restingBlocks = 0

  /// The level and the time since which the load was not moved, and when a fifth of it was lost.
  private var fall = (level: 0.0, start: 0.0, fifthAt: Double?.none)
  private var hasTrembled = false

  /// The level before a fall that is flagged; nil if none is.
  private var levelBefore: Double?

  /// The time since which the sensor reports nothing for a load that it has weighed.
  private var silentSince: Timestamp?
  private var hasWeighed = false

  init(_ rules: ScaleConfiguration, _ limits: RestLimits, _ law: Calibration?) {
    window = Double(rules.window)
    blockLength = Double(rules.window) / 2
    zero = rules.zeroGrams
    tolerance = 1.2 * limits.step + limits.noise
    // The range of some hundred values is six standard deviations.
    quietRise = 2 * limits.step + 8 * limits.noise
    isZeroMeasured = if case .fitted(let law) = law { !law.isZeroAssumed } else { false }
  }

  /// The grams that smooth falls have taken so far.
  var possibleLoss: Double {
    guard let level else { return 0 }
    // The present block may lose as much as the last one.
    let present = sudden.blocks == 0 ? max(lastDrop, 0) : 0
    let loss = kept - (isByHand ? sudden.grams : 0) - level + present
    return loss > tolerance ? loss : 0
  }

  /// Whether a hand seems to take what the sudden fall has taken.
  private var isByHand: Bool {
    sudden.isAbrupt && sudden.blocks <= DecayDetector.blocksOfHand
      && (sudden.grams < kept / 2 || !sudden.isAtRest || isZeroMeasured)
  }

  /// Adds a reading in grams of the same contacts as before; silent if the sensor reports no pressure at all.
  mutating func push(_ value: Double, isSilent: Bool, at time: Timestamp) {
    advance(to: time)
    self.value = value
    lowest = min(lowest, value)
    greatestRise = max(greatestRise, value - lowest)
    if value > zero { hasWeighed = true }
    silentSince = isSilent && hasWeighed ? silentSince ?? time : nil
    if let levelBefore, value > 0.95 * levelBefore { restart(with: value, at: time) }
  }

  /// Starts over with other contacts, or with more weight.
  mutating func restart(with value: Double, at time: Timestamp) {
    let now = Double(time.microseconds)
    (self.value, pushedAt, blockEnd, area) = (value, now, now + blockLength, 0)
    (lowest, greatestRise) = (value, 0)
    (level, levelBefore, silentSince, blocks) = (nil, nil, nil, 0)
    (sudden, restingBlocks) = ((0, 0, false, false), 0)
    hasWeighed = value > zero
  }

  @inline(__always)
  mutating func advance(to time: Timestamp) {
    let now = Double(time.microseconds)
    if now >= blockEnd { closeBlocks(at: now) }
    if now > pushedAt {
      area += value * (now - pushedAt)
      pushedAt = now
    }
  }

  func isDecaying(at time: Timestamp) -> Bool {
    levelBefore != nil || (silentUntil.map { $0 <= time } ?? false)
  }

  func deadline(after time: Timestamp) -> Timestamp? {
    silentUntil.flatMap { $0 > time ? $0 : nil }
  }

  private var silentUntil: Timestamp? { silentSince?.advanced(byMicroseconds: Int64(window)) }

  // MARK: - Levels

  @inline(never)
  private mutating func closeBlocks(at now: Double) {
    // While nothing is sent, all blocks but the first few are alike.
    let most = Double(2 * DecayDetector.blocksOfRest) * blockLength
    while now >= blockEnd {
      area += value * (blockEnd - pushedAt)
      append(area / blockLength)
      (pushedAt, area, lowest, greatestRise) = (blockEnd, 0, value, 0)
      blockEnd += blockLength
      if now - blockEnd > most {
        blockEnd += ((now - blockEnd) / blockLength).rounded(.down) * blockLength
        pushedAt = blockEnd - blockLength
      }
    }
  }

  private mutating func append(_ level: Double) {
    blocks += 1
    guard let before = self.level, blocks > DecayDetector.blocksOfPutting else {
      (self.level, kept, lastDrop) = (level, level, 0)
      return beginFall(at: level)
    }
    self.level = level
    let drop = before - level
    let former = lastDrop
    lastDrop = drop
    if -drop > max(2 * tolerance, DecayDetector.sudden * before) {
      // More weight.
      kept = max(kept - drop, level)
      return beginFall(at: level)
    }
    kept = max(kept, level)
    let isSudden = drop > max(2 * tolerance, DecayDetector.sudden * kept, sudden.grams / 6)
    if isSudden {
      if sudden.blocks == 0 {
        sudden.isAbrupt = former < drop / 3
        sudden.isAtRest = restingBlocks >= DecayDetector.blocksOfRest
      }
      (sudden.grams, sudden.blocks) = (sudden.grams + drop, sudden.blocks + 1)
    } else if sudden.blocks > 0 {
      endSuddenFall(at: level)
    } else {
      restingBlocks += 1
    }
    if greatestRise > quietRise { hasTrembled = true }
    evaluate(level, from: before)
    if blocks <= DecayDetector.blocksOfLettingGo { (kept, lastDrop) = (level, 0) }
  }

  /// Subtracts what a hand has taken away.
  private mutating func endSuddenFall(at level: Double) {
    if isByHand {
      kept = max(kept - sudden.grams, level)
      beginFall(at: level)
    }
    sudden = (0, 0, false, false)
  }

  private mutating func beginFall(at level: Double) {
    fall = (level, blockEnd, nil)
    (hasTrembled, restingBlocks, sudden) = (false, 0, (0, 0, false, false))
  }

  private mutating func evaluate(_ level: Double, from before: Double) {
    guard levelBefore == nil else { return }
    if sudden.blocks == 0, level <= zero, kept > 10 * zero, !isZeroMeasured {
      levelBefore = kept
      return
    }
    if fall.fifthAt == nil { fall.fifthAt = crossing(0.8 * fall.level, level, before) }
    guard let fifthAt = fall.fifthAt, let end = crossing(0.6 * fall.level, level, before) else {
      return
    }
    let isSlowing = end - fifthAt > DecayDetector.slowing * (fifthAt - fall.start)
    if isSlowing, !hasTrembled, fall.level > zero { levelBefore = fall.level }
  }

  /// When the level fell to a limit; nil if that was not in the last block.
  private func crossing(_ limit: Double, _ level: Double, _ before: Double) -> Double? {
    guard before > limit, level <= limit else { return nil }
    return blockEnd - blockLength * (limit - level) / (before - level)
  }
}
