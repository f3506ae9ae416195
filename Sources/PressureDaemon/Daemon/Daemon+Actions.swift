package import PressureKit
package import PressureProtocol

extension Daemon {
  /// Performs a quick action by its type.
  ///
  /// Subscribed clients receive the event in the same turn, so that an action is performed exactly once, whether the
  /// request found the daemon running or started it.
  ///
  /// - Parameters:
  ///   - type: the action's type.
  ///   - name: the device to perform it for, if the request names one.
  ///   - asker: the requesting client, which does not count as a recipient.
  ///   - origin: its user and the request.
  /// - Returns: the result; not handled if the type is unknown or the scale refuses the request.
  /// - Throws: why no device can be selected.
  package func perform(
    _ type: String, on name: String?, for asker: Client, by origin: RequestOrigin
  ) throws(RequestError) -> PerformedAction {
    guard let action = actions.action(type) else { return .notHandled }
    var served = try name.map(device)?.first
    if let request = action.scaleRequest {
      let scale = try soleDevice(named: name)
      guard (try? perform(scale, request, by: origin)) != nil else { return .notHandled }
      served = scale
    }
    let device = served ?? (devices.count == 1 ? devices.first : nil)
    let told = clients.count { $0 !== asker && $0.receives(.action, of: device?.id) }
    perform(action, on: device, at: now, by: origin)
    return PerformedAction(
      isHandled: true, isBuiltIn: action.scaleRequest != nil, clientCount: told)
  }

  private func perform(
    _ action: Action, on served: ServedDevice?, at time: Timestamp, by origin: RequestOrigin
  ) {
    if let served {
      let time = served.advance(clampingTo: time)
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
    for client in clients where client.receives(.action) {
      countWork(line.count)
      client.send(line)
    }
    sweepLater()
  }
}

/// A quick action that a client has added.
struct ClientAction {
  /// The number of the client.
  let client: Int
  let action: Action
}

// Clients with control rights add and remove actions; a client's actions are removed when it disconnects.

extension Daemon {
  /// The configuration including client actions; a configured action replaces a client's of the same type.
  var activeConfiguration: Configuration {
    var active = configuration
    if !actions.dynamic.isEmpty { active.actions += actions.dynamic }
    return active
  }

  /// Appends all actions from an index on, and returns the index at which a truncated list continues.
  func appendActions(from start: Int) -> Int? {
    append(actions, from: start) { $0.append($1.action, isDynamic: $1.isDynamic) }
  }

  /// Adds an action for as long as the client is connected, and replies with it.
  package func add(_ action: Action, for client: Client) throws(RequestError) {
    guard clientActions.count(where: { $0.client == client.number }) < Action.maxPerClient else {
      throw RequestError(.failed, "a client may add \(Action.maxPerClient) actions")
    }
    guard clientActions.count < Action.maxForAllClients else {
      throw RequestError(.failed, "all clients together may add \(Action.maxForAllClients) actions")
    }
    guard actions.action(action.type) == nil else {
      throw RequestError(.failed, "an action \(action.type.truncated) exists already")
    }
    if let trigger = action.trigger { try check(trigger) }
    clientActions.append(ClientAction(client: client.number, action: action))
    if action.trigger != nil { reconfigureDevices() }
    reply.append(action, isDynamic: true)
  }

  private func check(_ trigger: ActionTrigger) throws(RequestError) {
    let stages = configuration.stageNames
    guard stages.contains(where: { $0.hasSameBytes(as: trigger.stage) }) else {
      let list = stages.map(\.truncated).prefix(8).joined(separator: ", ")
      throw RequestError(.failed, "there is no stage \(trigger.stage.truncated); there are \(list)")
    }
    if let region = trigger.region,
      !configuration.regions.contains(where: { $0.name.hasSameBytes(as: region) })
    {
      throw RequestError(.failed, "there is no region \(region.truncated)")
    }
  }

  /// Removes an action that the client has added.
  func removeAction(_ type: String, for client: Client) throws(RequestError) {
    let index = clientActions.firstIndex {
      $0.client == client.number && $0.action.type.hasSameBytes(as: type)
    }
    guard let index else {
      throw RequestError(.failed, "this client has not added an action \(type.truncated)")
    }
    if clientActions.remove(at: index).action.trigger != nil { reconfigureDevices() }
    reply.append("{}")
  }

  /// Removes the actions of disconnected clients.
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

/// All quick actions in listing order: configured ones, those of clients, and built-in ones that are not replaced.
///
/// Types are looked up by their UTF-8 bytes: hashing or comparing untrusted text as a `String` would normalize it.
struct ActionTable {
  struct Entry: Hashable {
    let action: Action

    /// Whether a client has added it.
    let isDynamic: Bool
  }

  private let configured: [Action]
  private let builtIn: [Action]

  /// The first index of each type among the configured actions.
  private let places: [[UInt8]: Int]

  /// The actions of clients, except those whose type is configured.
  private(set) var dynamic: [Action] = []

  init(_ configuration: Configuration, added: [ClientAction] = []) {
    configured = configuration.actions
    let pairs = configured.enumerated().map { (Array($1.type.utf8), $0) }
    let places = Dictionary(pairs) { first, _ in first }
    self.places = places
    builtIn = Action.builtIn.filter { places[Array($0.type.utf8)] == nil }
    setDynamic(added)
  }

  /// Replaces the actions of clients.
  mutating func setDynamic(_ added: [ClientAction]) {
    dynamic = added.map(\.action).filter { places[Array($0.type.utf8)] == nil }
  }

  /// The action with a type, or nil.
  func action(_ type: String) -> Action? {
    if let place = places[Array(type.utf8)] { return configured[place] }
    return dynamic.first { $0.type.hasSameBytes(as: type) }
      ?? builtIn.first { $0.type.hasSameBytes(as: type) }
  }
}

extension ActionTable: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { configured.count + dynamic.count + builtIn.count }

  subscript(place: Int) -> Entry {
    var place = place
    if place < configured.count { return Entry(action: configured[place], isDynamic: false) }
    place -= configured.count
    if place < dynamic.count { return Entry(action: dynamic[place], isDynamic: true) }
    return Entry(action: builtIn[place - dynamic.count], isDynamic: false)
  }
}
