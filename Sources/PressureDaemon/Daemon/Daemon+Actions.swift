internal import PressureKit
package import PressureProtocol

extension Daemon {
  /// Performs a quick action by its type.
  ///
  /// Clients that listen get the event in the same turn, so that an action is performed once, whether the
  /// request found the daemon running or has started it.
  ///
  /// - Parameters:
  ///   - type: the action's.
  ///   - name: the device that it is for, where one is named.
  ///   - asker: the client that asks, which is not counted among those that are told.
  ///   - origin: its user and the request.
  /// - Returns: what became of it; not handled where the type is unknown or the scale refuses.
  /// - Throws: why no device can be chosen.
  package func perform(
    _ type: String, on name: String?, for asker: Client, by origin: RequestOrigin
  ) throws(RequestError) -> PerformedAction {
    guard let action = actions.action(type) else { return .notHandled }
    var served = try name.map(device)?.first
    if let request = action.scaleRequest {
      let scale = try sole(named: name)
      guard (try? ask(scale, request, by: origin)) != nil else { return .notHandled }
      served = scale
    }
    let device = served ?? (devices.count == 1 ? devices.first : nil)
    let told = clients.count { $0 !== asker && $0.hears(.action, of: device?.id) }
    perform(action, on: device, at: now, by: origin)
    return PerformedAction(
      isHandled: true, isBuiltIn: action.scaleRequest != nil, clientCount: told)
  }

  private func perform(
    _ action: Action, on served: ServedDevice?, at time: Timestamp, by origin: RequestOrigin
  ) {
    if let served {
      let time = served.come(to: time)
      publish(served)
      served.batch.encode(.action, at: time) { lines, time in
        lines.append(action, by: .request, on: served.id, at: time, request: origin)
      }
      useLimits.charge(origin.userID, bytes: served.batch.byteCount)
      return deliver(served)
    }
    var line = JSONLinesWriter()
    line.append(action, by: .request, on: nil, at: time, request: origin)
    useLimits.charge(origin.userID, bytes: line.count)
    for client in clients where client.hears(.action) {
      spend(line.count)
      client.send(line)
    }
    sweepLater()
  }
}
