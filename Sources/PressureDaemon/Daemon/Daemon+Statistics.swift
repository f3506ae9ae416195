internal import PressureKit
internal import PressureLoop
internal import PressureProtocol

extension Daemon {
  /// Answers with what has been done so far.
  ///
  /// The sums are made here, so that each thing is counted in one place while it is done.
  ///
  /// - Parameters:
  ///   - asker: the client that asks.
  ///   - start: the number of the first client to tell of.
  /// - Returns: the number of the first client that was left out as the answer was long enough, or nil.
  func appendStatistics(for asker: Client, from start: Int) -> Int? {
    var sum = counts
    for served in devices { sum.add(served.allCounts) }
    for client in clients { sum.add(client.allCounts) }
    answers.append("{\"daemon\":")
    answers.append(sum, uptime: loop.now - since, rounds: loop.rounds)
    answers.append(",\"devices\":")
    append(devices) { [now] in
      $0.append(
        $1.allCounts, of: $1.id, uptime: now.microseconds - $1.since.microseconds)
    }
    answers.append(",\"clients\":")
    // They are in the order of their numbers.
    let told = clients.drop { $0.number < start }
    let left = append(told) { [loop] in
      $0.append(
        $1.allCounts, ofClient: $1.number, isYou: $1 === asker, uptime: loop.now - $1.since,
        waiting: $1.waiting)
    }
    answers.append("}")
    return left.map { told[told.startIndex + $0].number }
  }
}
