/// Whose turn is next: the user's whose last turn is longest ago, however many connections others have.
struct TurnOrder {
  /// With more users than this, those that are not connected are forgotten.
  static let usualUsers = 64

  private(set) var lastTurns: [UInt32: UInt64] = [:]
  private var turn: UInt64 = 0

  /// Gives the place of the next in a queue, the first of those of one user; nil where nobody waits.
  func next(of users: some Collection<UInt32>) -> Int? {
    var best: (place: Int, turn: UInt64)?
    for (place, user) in users.enumerated() {
      let turn = lastTurns[user] ?? 0
      if best.map({ turn < $0.turn }) ?? true { best = (place, turn) }
      // Nothing is longer ago than never.
      if turn == 0 { break }
    }
    return best?.place
  }

  /// Counts a turn of a user.
  ///
  /// - Parameters:
  ///   - user: whose it is.
  ///   - isConnected: whether a user still is, asked where there are many.
  mutating func note(_ user: UInt32, isConnected: (UInt32) -> Bool) {
    turn += 1
    if lastTurns[user] == nil, lastTurns.count >= TurnOrder.usualUsers {
      lastTurns = lastTurns.filter { isConnected($0.key) }
    }
    lastTurns[user] = turn
  }
}
