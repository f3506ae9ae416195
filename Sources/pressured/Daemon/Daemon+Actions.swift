internal import PressureKit

extension Daemon {
  /// Performs a quick action by its type; false where there is none of that type.
  ///
  /// Who listens is told in the same turn, so that an action is performed once, whether the request
  /// found the daemon running or has started it.
  func perform(_ type: String, on served: ServedDevice?) -> Bool {
    guard let action = configuration.actions.first(where: { $0.type == type }) else {
      return false
    }
    perform(action, by: .request, on: served, at: now)
    return true
  }

  /// The actions that are bound to the stages which presses have just come into.
  func boundActions(of served: ServedDevice) -> [(Action, Timestamp)] {
    let bound = configuration.actions.filter { $0.trigger != nil }
    guard !bound.isEmpty else { return [] }
    return served.stagesReached.flatMap { press, time in
      bound.filter { $0.trigger?.fires(for: press, on: served.id) ?? false }.map { ($0, time) }
    }
  }

  func perform(
    _ action: Action, by origin: ActionOrigin, on served: ServedDevice?, at time: Timestamp
  ) {
    Log.note("performing \(action.type), asked for by a \(origin.rawValue)")
    if let served {
      served.batch.encode(.action, at: max(time, served.time)) { lines, time in
        lines.append(action, by: origin, on: served.id, at: time)
      }
      return deliver(served)
    }
    var line = JSONLines()
    line.append(action, by: origin, on: nil, at: time)
    for client in clients where client.hears(.action) { client.send(line) }
    sweepLater()
  }
}
