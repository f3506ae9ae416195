/// The time-weighted mean of a value over a fixed span.
///
///     value      ┌──┐
///            ┌───┘  └──────────┐
///       ─────┘                 └────
///              └───── span ─────┘
///
/// Once a value has been constant for the whole span, the mean equals it: older values have no influence, unlike in an
/// exponential filter, so the delay is bounded. Memory is allocated once: values that follow each other within one grain
/// are merged.
struct MovingMean {
  private struct Piece {
    var start = 0.0
    var end = 0.0
    var mean = 0.0

    var length: Double { end - start }

    var area: Double { mean * length }
  }

  /// Grains per span.
  ///
  /// Two adjacent pieces last longer than one grain, so twice as many pieces suffice.
  private static let grains = 128.0

  private static let capacity = 260

  /// Microseconds.
  private let span: Double

  private var pieces = [Piece](repeating: Piece(), count: capacity)
  private var first = 0
  private var count = 0

  /// The sums over all pieces, so that the cost of a mean does not depend on their number.
  private var area = 0.0
  private var length = 0.0

  private var value: Double

  /// The time since which the value has been constant; nil if it always was.
  private var since: Double?

  init(spanMicroseconds: Int64, value: Double) {
    span = Double(spanMicroseconds)
    self.value = value
  }

  /// Sets the value from `time` on.
  mutating func push(_ value: Double, at time: Timestamp) {
    let now = Double(time.microseconds)
    close(at: now)
    self.value = value
    since = now
  }

  /// The mean of the span that ends at `time`, which must not precede the last value.
  func mean(at time: Timestamp) -> Double {
    guard span > 0 else { return value }
    let start = Double(time.microseconds) - span
    var (area, length) = (area, length)
    for index in 0..<count {
      let piece = pieces[ringIndex(index)]
      guard piece.start < start else { break }
      let past = min(piece.end, start) - piece.start
      length -= past
      area -= piece.mean * past
    }
    // A value that is constant for the whole span is the exact mean.
    return length > 0 ? value + (area - value * length) / span : value
  }

  /// Removes all history, as if the value had always been this one.
  mutating func restart(with value: Double) {
    (self.value, since, first, count) = (value, nil, 0, 0)
    (area, length) = (0, 0)
  }

  private func ringIndex(_ index: Int) -> Int { (first + index) % MovingMean.capacity }

  /// Ends the current value's piece and removes pieces older than the span.
  private mutating func close(at now: Double) {
    while count > 0, pieces[first].end <= now - span {
      area -= pieces[first].area
      length -= pieces[first].length
      first = ringIndex(1)
      count -= 1
    }
    if count == 0 { (area, length) = (0, 0) }
    let piece = Piece(start: max(since ?? -.infinity, now - span), end: now, mean: value)
    guard piece.length > 0 else { return }
    area += piece.area
    length += piece.length
    let last = ringIndex(count - 1 + MovingMean.capacity)
    if count > 0,
      pieces[last].length + piece.length < span / MovingMean.grains || count == MovingMean.capacity
    {
      pieces[last] = MovingMean.joined(pieces[last], piece)
    } else {
      pieces[ringIndex(count)] = piece
      count += 1
    }
  }

  private static func joined(_ left: Piece, _ right: Piece) -> Piece {
    let length = left.length + right.length
    let mean = (left.mean * left.length + right.mean * right.length) / length
    return Piece(start: left.start, end: right.end, mean: mean)
  }
}
