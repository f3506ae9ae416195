/// Knows since when a value has stayed within a range of its own.
///
///     value        ┌─┐
///       ┌─┐  ┌─────┘ └───────── ┐
///       │ └──┘                  ├ range
///     ──┘      ◀──── steady ───▶┘
///
/// The span begins where the last value ended that is too far from a later one. So nothing has to be
/// looked at again while time passes: a value is stable once its span is as long as the window.
struct StabilityWindow {
  /// What sums of rounded numbers may be wrong by, in grams; far below any sensor's step.
  private static let slack = 1e-6

  private let range: Double
  private var highs: MonotonicDeque

  /// The lows, as highs of the negative values.
  private var depths: MonotonicDeque

  private(set) var value: Double

  /// Since when it has been steady; the beginning of time where it always has.
  private(set) var since = Timestamp(microseconds: .min)

  init(range: Double, value: Double) {
    self.range = range + StabilityWindow.slack
    self.value = value
    highs = MonotonicDeque(value)
    depths = MonotonicDeque(-value)
  }

  /// The value is another one from now on; time never runs backwards.
  mutating func take(_ value: Double, at time: Timestamp) {
    self.value = value
    shorten(to: highs.take(value, at: time))
    shorten(to: depths.take(-value, at: time))
    shorten(to: highs.remove(above: value + range))
    shorten(to: depths.remove(above: -value + range))
  }

  /// Begins anew: nothing is known from before.
  mutating func restart(with value: Double, at time: Timestamp) {
    highs.restart(with: value)
    depths.restart(with: -value)
    (self.value, since) = (value, time)
  }

  private mutating func shorten(to end: Timestamp?) {
    if let end { since = max(since, end) }
  }
}
