internal import PressureKit
internal import PressureProtocol

/// The stable readings of a scale, as the daemon counts them by its configuration.
///
/// The daemon is asked for its history whenever a scale is at rest; what is later than all before is new.
struct ReadingHistory {
  /// How many readings of the history are asked for: no scale comes to rest more often between two answers.
  static let asked = 10

  /// The net grams of those since we came, the newest first.
  private(set) var grams: [Double] = []

  /// Whether an answer is on its way.
  private(set) var isAsked = false

  /// Whether the scale has said something since it was asked for.
  private var isBehind = false

  /// When the last reading was; nil before the first answer.
  private var lastTime: Int64?

  /// The scale is at rest; true where the daemon is to be asked for its history.
  mutating func note() -> Bool {
    isBehind = isAsked
    defer { isAsked = true }
    return !isAsked
  }

  /// Takes an answer of the daemon's.
  ///
  /// - Parameters:
  ///   - history: the last readings, the oldest first.
  ///   - isResting: whether the last of them lies there now; the first answer may tell of others, too.
  /// - Returns: the readings that are new, and whether to ask again.
  mutating func take(
    _ history: [ReceivedScale], isResting: Bool
  ) -> (news: [ReceivedScale], asksAgain: Bool) {
    let news =
      lastTime.map { last in history.filter { ($0.time ?? .min) > last } }
      ?? (isResting ? Array(history.suffix(1)) : [])
    lastTime = max(history.compactMap(\.time).max() ?? .min, lastTime ?? .min)
    grams = Array((news.reversed().compactMap(\.grams) + grams).prefix(ScaleMemory.historyLength))
    defer { isBehind = false }
    isAsked = isBehind
    return (news, isBehind)
  }
}
