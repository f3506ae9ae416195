internal import PressureKit

extension Daemon {
  /// Performs a quick action by its type; false where there is none of that type, and where the
  /// scale that it is for refuses.
  ///
  /// Who listens is told in the same turn, so that an action is performed once, whether the request
  /// found the daemon running or has started it.
  func perform(_ type: String, on name: String?) throws(RequestFault) -> Bool {
    guard let action = configuration.allActions.first(where: { $0.type == type }) else {
      return false
    }
    var served = try name.map(device)?.first
    if let request = action.scaleRequest {
      let scale = try sole(named: name)
      guard (try? ask(scale, request)) != nil else { return false }
      served = scale
    }
    perform(action, on: served ?? (devices.count == 1 ? devices.first : nil), at: now)
    return true
  }

  private func perform(
    _ action: Action, on served: ServedDevice?, at time: Timestamp
  ) {
    if let served {
      let time = served.come(to: time)
      publish(served)
      served.batch.encode(.action, at: time) { lines, time in
        lines.append(action, by: .request, on: served.id, at: time)
      }
      return deliver(served)
    }
    var line = JSONLines()
    line.append(action, by: .request, on: nil, at: time)
    for client in clients where client.hears(.action) { client.send(line) }
    sweepLater()
  }
}
