/// The range of a value within the last window, in blocks of an eighth of it.
///
///     value   ┌─┐    ┌──┐
///        ┌─┐  │ └──┐ │  │ ─ highest
///       ─┘ └──┘    └─┘  └ ─ lowest
///        ├──┼──┼──┼──┼──┤ blocks
///
/// The window is therefore up to an eighth longer. Unlike `StabilityWindow`, a range is known before the value is stable.
struct RecentRange {
  private struct Block {
    var low: Double
    var high: Double
  }

  private static let blocksPerWindow = 8

  private let length: Double
  private var blocks: [Block]
  private var current = 0
  private var value: Double

  /// When the current block ends, in microseconds.
  private var end = -Double.infinity

  /// The range of all blocks but the current one.
  private var closed: Block

  /// Tracks a value over a window.
  ///
  /// - Parameters:
  ///   - window: its length in microseconds.
  ///   - omitted: a part at its beginning to leave out, in microseconds.
  ///   - value: the value before.
  init(window: Int64, omitting omitted: Int64 = 0, value: Double) {
    length = Double(max(window, 1)) / Double(RecentRange.blocksPerWindow)
    let used = Double(window - omitted) / length
    let count = omitted > 0 ? max(1, Int(used.rounded(.down))) : RecentRange.blocksPerWindow + 1
    self.value = value
    closed = Block(low: value, high: value)
    blocks = Array(repeating: closed, count: min(count, RecentRange.blocksPerWindow + 1))
  }

  /// The highest minus the lowest value.
  var range: Double {
    max(closed.high, blocks[current].high) - min(closed.low, blocks[current].low)
  }

  /// Sets the value from `time` on.
  @inline(__always)
  mutating func push(_ value: Double, at time: Timestamp) {
    advance(to: time)
    self.value = value
    if value < blocks[current].low { blocks[current].low = value }
    if value > blocks[current].high { blocks[current].high = value }
  }

  /// Continues with the same value until `time`.
  @inline(__always)
  mutating func advance(to time: Timestamp) {
    if Double(time.microseconds) >= end { beginBlocks(at: Double(time.microseconds)) }
  }

  @inline(never)
  private mutating func beginBlocks(at now: Double) {
    let passed = end.isFinite ? ((now - end) / length).rounded(.down) + 1 : .infinity
    for _ in 0..<Int(min(passed, Double(blocks.count))) {
      current = (current + 1) % blocks.count
      blocks[current] = Block(low: value, high: value)
    }
    end = passed.isFinite ? end + passed * length : now + length
    closed = Block(low: value, high: value)
    for index in blocks.indices where index != current {
      closed.low = min(closed.low, blocks[index].low)
      closed.high = max(closed.high, blocks[index].high)
    }
  }

  /// Starts over without history.
  mutating func restart(with value: Double) {
    self.value = value
    closed = Block(low: value, high: value)
    for index in blocks.indices { blocks[index] = closed }
  }
}
