/// Detects a reading that decays although its load stays.
///
/// A capacitive surface, or firmware that tracks its zero, adapts to an object at rest and gradually stops reporting it:
///
///     grams
///       │╲___ start: the load was put down
///       │    ╲___
///       │        ╲___ flagged: twelfth part gone, in a smooth fall since the start
///       │            ╲___
///       └──────────────────── seconds
///
/// Such a fall has begun with the load, and no part of it is much faster than the rest. A vessel that runs empty has rested
/// first. A hand that takes things away shakes the surface, and a finger trembles: what is lost while the reading also rises by
/// more than noise is not flagged. A smooth fall that begins later is flagged when a tenth is left. Until then it may be either, so
/// what it has taken is a possible loss, which the error contains.
///
/// The levels are means of blocks of half a window. When there is no space for more, pairs of blocks are merged, so that the
/// whole time of a load is known, however long it is.
///
/// Once flagged, a load remains so, even if the fall stops, until other contacts or more weight come.
struct DecayDetector {
  private static let capacity = 64

  /// The loss from which on a fall since the start is flagged, as a fraction.
  private static let lossSinceStart = 0.08

  /// The same for a later fall.
  private static let lossLater = 0.9

  /// The greatest part of a later fall that one block may take: what a hand takes away is in two of them at most.
  private static let greatestPart = 0.4

  /// The rise, as a fraction, that is another load.
  private static let rise = 0.03

  private let window: Double
  private let zero: Double

  /// Grams per unit of the sensor, and changes in grams that noise and rounding explain.
  private var step = 0.0
  private var tolerance = 0.0

  /// A rise within a block that noise and rounding explain.
  private var quietRise = 0.0

  private var levels = [Double](repeating: 0, count: capacity)

  /// Whether the reading rose by more than that in each block.
  private var wasMoved = [Bool](repeating: false, count: capacity)
  private var count = 0
  private var blockLength: Double
  private var blockEnd = Double.infinity
  private var area = 0.0
  private var length = 0.0

  /// The lowest reading of the block, and the greatest rise since such a one.
  private var lowest = Double.infinity
  private var greatestRise = 0.0

  private var value = 0.0
  private var pushedAt = -Double.infinity

  /// The level before a fall that is flagged; nil if none is.
  private var levelBefore: Double?

  /// The time since which the sensor reports nothing for a load that it has weighed.
  private var silentSince: Timestamp?
  private var hasWeighed = false

  /// The grams that a fall since the start has taken so far, with what it took before the first level.
  private var lossSinceStart = 0.0

  /// The level that the load would have without smooth falls; nil if there was none.
  private var levelWithoutFalls: Double?

  /// The grams that smooth falls have taken so far, each of which may be a decay.
  var possibleLoss: Double {
    guard let levelWithoutFalls, count > 1 else { return lossSinceStart }
    let last = levels[count - 1]
    // The present block continues the fall, unless it is much faster.
    let present = min(max(last - value, 0), 3 * max(levels[count - 2] - last, 0))
    return max(lossSinceStart, levelWithoutFalls - last + present)
  }

  init(_ rules: ScaleConfiguration) {
    window = Double(rules.window)
    zero = rules.zeroGrams
    blockLength = Double(rules.window) / 2
  }

  mutating func setResolution(step: Double, noise: Double) {
    (self.step, tolerance) = (step, 1.2 * step + noise)
    // The range of some hundred values is six standard deviations.
    quietRise = 2 * step + 8 * noise
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
    self.value = value
    pushedAt = Double(time.microseconds)
    (count, area, length, lossSinceStart) = (0, 0, 0, 0)
    levelWithoutFalls = nil
    (lowest, greatestRise) = (value, 0)
    blockLength = window / 2
    blockEnd = pushedAt + blockLength
    (levelBefore, silentSince) = (nil, nil)
    hasWeighed = value > zero
  }

  @inline(__always)
  mutating func advance(to time: Timestamp) {
    let now = Double(time.microseconds)
    if now >= blockEnd { closeBlocks(at: now) }
    if now > pushedAt {
      area += value * (now - pushedAt)
      length += now - pushedAt
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
    while now >= blockEnd {
      area += value * (blockEnd - pushedAt)
      length += blockEnd - pushedAt
      append(length > 0 ? area / length : value)
      (pushedAt, area, length) = (blockEnd, 0, 0)
      (lowest, greatestRise) = (value, 0)
      blockEnd += blockLength
    }
    if levelBefore == nil { evaluate() }
  }

  private mutating func append(_ level: Double) {
    if count > 0, level > levels[count - 1] + max(3 * tolerance, DecayDetector.rise * level) {
      // More weight: the history of this load begins here.
      levelWithoutFalls = levelWithoutFalls.map { $0 + level - levels[count - 1] }
      (count, lossSinceStart) = (0, 0)
      blockLength = window / 2
    }
    if count == DecayDetector.capacity {
      for index in 0..<count / 2 {
        levels[index] = (levels[2 * index] + levels[2 * index + 1]) / 2
        wasMoved[index] = wasMoved[2 * index] || wasMoved[2 * index + 1]
      }
      count /= 2
      blockLength *= 2
    }
    levels[count] = level
    wasMoved[count] = greatestRise > quietRise
    count += 1
  }

  /// Looks for a smooth fall up to now.
  private mutating func evaluate() {
    lossSinceStart = 0
    guard count > 2, let fall = smoothFall else { return }
    let (first, last) = (levels[fall.start], levels[count - 1])
    let loss = first - last
    noteFall(fall, loss)
    // A hand takes something away at once.
    guard loss > 2 * tolerance, fall.steepest <= max(loss / 2, 2 * tolerance) else { return }
    let seconds = Double(count - 1 - fall.start) * blockLength
    let isSinceStart = begins(fall.start, loss)
    // What was lost before the first level is extrapolated.
    if isSinceStart { lossSinceStart = loss * (1 + Double(fall.start + 1) * blockLength / seconds) }
    let part = isSinceStart ? DecayDetector.lossSinceStart : DecayDetector.lossLater
    guard seconds >= 2 * window, first > zero, loss >= max(part * first, 2.5 * step),
      quietLoss(since: fall.start) >= loss / 2
    else { return }
    levelBefore = first
  }

  /// Notes what a smooth fall has taken, or that something was taken away.
  private mutating func noteFall(_ fall: (start: Int, steepest: Double), _ loss: Double) {
    let drop = levels[count - 2] - levels[count - 1]
    if fall.steepest > max(DecayDetector.greatestPart * loss, 2 * tolerance) {
      if drop > 2 * tolerance { levelWithoutFalls = levelWithoutFalls.map { $0 - drop } }
    } else if loss > 2 * tolerance, quietLoss(since: fall.start) >= loss / 2 {
      levelWithoutFalls = max(levelWithoutFalls ?? 0, levels[fall.start])
    }
  }

  /// What was lost between blocks in neither of which the reading rose.
  private func quietLoss(since start: Int) -> Double {
    var loss = 0.0
    for index in start + 1..<count where !wasMoved[index - 1] && !wasMoved[index] {
      loss += levels[index - 1] - levels[index]
    }
    return loss
  }

  /// The longest fall up to now of which no part is much faster than the rest, and nothing rises.
  private var smoothFall: (start: Int, steepest: Double)? {
    var (start, steepest) = (count - 1, 0.0)
    while start > 0 {
      let drop = levels[start - 1] - levels[start]
      let number = Double(count - 1 - start)
      let mean = number > 0 ? (levels[start] - levels[count - 1]) / number : drop
      // The fall may have been faster at its beginning, as it slows down with what is left.
      guard drop >= -tolerance, number < 2 || drop <= 3 * max(mean, tolerance) else { break }
      steepest = max(steepest, drop)
      start -= 1
    }
    return start < count - 1 ? (start, steepest) : nil
  }

  /// Whether a fall has begun with the load, and not after a rest.
  private func begins(_ start: Int, _ loss: Double) -> Bool {
    guard Double(start) * blockLength <= 2 * window else { return false }
    // A decay is fastest at its beginning: its first two windows take at least half of what others take.
    let early = min(start + max(1, Int(2 * window / blockLength)), count - 1)
    let mean = loss * Double(early - start) / Double(count - 1 - start)
    guard levels[start] - levels[early] >= mean / 2 - tolerance else { return false }
    // A straight line through the quarter and the half of the loss leads back to the beginning of the fall.
    let quarter = crossing(levels[start] - loss / 4, from: start)
    let half = crossing(levels[start] - loss / 2, from: start)
    let begin = (2 * quarter - half - Double(start)) * blockLength
    let counts = max(loss / max(step, .leastNormalMagnitude), 1)
    let interval = Double(count - 1 - start) * blockLength / counts
    return begin <= window / 2 + 2 * interval + (blockLength - window / 2)
  }

  /// Where the levels fall to one for the first time, in blocks.
  private func crossing(_ level: Double, from start: Int) -> Double {
    var index = start
    while index < count - 1, levels[index + 1] > level { index += 1 }
    guard index < count - 1 else { return Double(index) }
    let drop = levels[index] - levels[index + 1]
    return Double(index) + (drop > 0 ? (levels[index] - level) / drop : 0)
  }
}
