package import PressureKit
package import PressureProtocol

/// A quick action that a client has added.
struct ClientAction {
  /// The number of the client.
  let client: Int
  let action: Action
}

// Clients with control rights add and remove actions; what they added goes with their connection.

extension Daemon {
  /// The configuration with the actions of clients; where a reload brings one of the same type, the file's counts.
  var activeConfiguration: Configuration {
    var active = configuration
    if !actions.dynamic.isEmpty { active.actions += actions.dynamic }
    return active
  }

  /// Answers with all actions from one on, and gives where a list that is too long goes on.
  func appendActions(from start: Int) -> Int? {
    append(actions, from: start) { $0.append($1.action, isDynamic: $1.isDynamic) }
  }

  /// Adds an action for as long as the client is connected, and answers with it.
  package func add(_ action: Action, for client: Client) throws(RequestError) {
    guard clientActions.count(where: { $0.client == client.number }) < Action.mostPerClient else {
      throw RequestError(.failed, "a client may add \(Action.mostPerClient) actions")
    }
    guard clientActions.count < Action.mostOfClients else {
      throw RequestError(.failed, "all clients together may add \(Action.mostOfClients) actions")
    }
    guard actions.action(action.type) == nil else {
      throw RequestError(.failed, "there is an action \(action.type.glance) already")
    }
    if let trigger = action.trigger { try check(trigger) }
    clientActions.append(ClientAction(client: client.number, action: action))
    if action.trigger != nil { reconfigureDevices() }
    answers.append(action, isDynamic: true)
  }

  private func check(_ trigger: ActionTrigger) throws(RequestError) {
    let stages = configuration.stageNames
    guard stages.contains(where: { $0.hasSameBytes(as: trigger.stage) }) else {
      let list = stages.map(\.glance).prefix(8).joined(separator: ", ")
      throw RequestError(.failed, "there is no stage \(trigger.stage.glance); there are \(list)")
    }
    if let region = trigger.region,
      !configuration.regions.contains(where: { $0.name.hasSameBytes(as: region) })
    {
      throw RequestError(.failed, "there is no region \(region.glance)")
    }
  }

  /// Removes an action that the client has added.
  func removeAction(_ type: String, for client: Client) throws(RequestError) {
    let index = clientActions.firstIndex {
      $0.client == client.number && $0.action.type.hasSameBytes(as: type)
    }
    guard let index else {
      throw RequestError(.failed, "you have not added an action \(type.glance)")
    }
    if clientActions.remove(at: index).action.trigger != nil { reconfigureDevices() }
    answers.append("{}")
  }

  /// Removes what clients had added that are gone.
  func removeActions(ofClients numbers: [Int]) {
    guard !clientActions.isEmpty else { return }
    let bound = clientActions.contains {
      numbers.contains($0.client) && $0.action.trigger != nil
    }
    clientActions.removeAll { numbers.contains($0.client) }
    if bound { reconfigureDevices() }
  }

  private func reconfigureDevices() {
    for served in devices {
      served.configure(activeConfiguration, at: now)
      publish(served)
    }
  }
}
