package import PressureKit
package import PressureProtocol

extension Daemon {
  /// Performs a quick action by its type; not handled if the type is unknown or the scale refuses the request.
  ///
  /// Subscribed clients, of which `asker` does not count as a recipient, receive the event in the same turn, so that an action
  /// is performed exactly once, whether the request found the daemon running or started it.
  package func perform(
    _ type: String, on name: String?, for asker: Client, by origin: RequestOrigin
  ) throws(RequestError) -> PerformResult {
    guard let named = actions.find(type, at: asker.seats)?.action else {
      return PerformResult(handled: false)
    }
    var served: ServedDevice?
    if let name { served = try device(named: name, for: asker) }
    // The last component of the type decides, so that all actions of a type send the same request.
    if named.scaleRequest != nil { served = try soleDevice(named: name, for: asker) }
    let devices = visibleDevices(to: asker)
    let device = served ?? (devices.count == 1 ? devices.first : nil)
    // Without a device it is for clients that share a seat with the requesting one; never for a seat that does not know it.
    let asked = device?.seat ?? asker.seats
    guard let known = actions.find(type, at: asked) else { return PerformResult(handled: false) }
    let (action, seats) = (known.action, known.seats.intersection(asked))
    if let request = action.scaleRequest, let served {
      guard (try? perform(served, request, by: origin)) != nil else {
        return PerformResult(handled: false)
      }
    }
    let recipients = clients.filter {
      !$0.seats.isDisjoint(with: seats) && $0.receives(.action, of: device?.id)
    }
    let result = PerformResult(
      handled: true, isBuiltIn: action.scaleRequest != nil,
      clientCount: recipients.count { $0 !== asker })
    if let device {
      let time = device.advance(clampingTo: now)
      publish(device)
      device.batch.encode(.action, at: time) { lines, time in
        lines.append(action, by: .request, on: device.id, at: time, request: origin)
      }
      requests.limits.charge(asker.account, bytes: device.batch.bytes.count)
      deliver(device)
      return result
    }
    var line = JSONLinesWriter()
    line.append(action, by: .request, on: nil, at: now, request: origin)
    requests.limits.charge(asker.account, bytes: line.count)
    for client in recipients {
      work.count(line.count)
      client.send(line)
    }
    sweepLater()
    return result
  }
}

// Clients with control rights add and remove actions. Those of a client are removed when it disconnects, or may not control the
// seats any longer that it added them for.

extension Daemon {
  /// The configuration of a device, including actions of clients; a configured action replaces a client's of the same type.
  func activeConfiguration(at seat: SeatSet) -> Configuration {
    var active = configuration
    active.actions += actions.free(at: seat).map(\.action)
    return active
  }

  /// Adds an action for as long as the client is connected and may control its seats, and replies with it.
  package func add(_ action: Action, for client: Client) throws(RequestError) {
    let seats = controlledSeats(of: client)
    try actions.checkRoom(for: action, of: client.number, at: seats.union(client.seats))
    if let trigger = action.trigger { try check(trigger) }
    actions.added.append(ListedAction(action: action, client: client.number, seats: seats))
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

  func removeAction(_ type: String, for client: Client) throws(RequestError) {
    let index = actions.added.firstIndex {
      $0.client == client.number && $0.action.type.hasSameBytes(as: type)
    }
    guard let index else {
      throw RequestError(.failed, "this client has not added an action \(type.truncated)")
    }
    if actions.added.remove(at: index).action.trigger != nil { reconfigureDevices() }
    reply.append("{}")
  }

  /// Removes the actions of clients that a condition accepts, by the client's number.
  func removeActions(where isRemoved: @escaping (Int, ListedAction) -> Bool) {
    let isGone = { (action: ListedAction) in action.client.map { isRemoved($0, action) } ?? false }
    let isTriggerGone = actions.added.contains { $0.action.trigger != nil && isGone($0) }
    actions.added.removeAll(where: isGone)
    if isTriggerGone { reconfigureDevices() }
  }

  private func reconfigureDevices() {
    for served in devices {
      served.update(at: now) {
        $0.configure(activeConfiguration(at: served.seat), at: $1, into: &$2)
      }
      publish(served)
    }
  }
}

struct ListedAction {
  let action: Action

  /// The number of the client that has added it; nil for one that is configured or built in.
  var client: Int?

  /// The seats whose presses perform it and whose users know it: those that the client may control.
  var seats = SeatSet.all

  func isKnown(at seats: SeatSet) -> Bool {
    client == nil || !self.seats.isDisjoint(with: seats)
  }
}

/// All quick actions in listing order: configured ones, those of clients, and built-in ones that are not replaced.
///
/// Types are looked up by their UTF-8 bytes: hashing or comparing untrusted text as a `String` would normalize it.
struct ActionTable {
  private let configured: [ListedAction]
  private let builtIn: [ListedAction]
  private let configuredTypes: Set<RequestKey>
  var added: [ListedAction]

  init(_ configuration: Configuration, added: [ListedAction] = []) {
    configured = configuration.actions.map { ListedAction(action: $0) }
    let types = Set(configured.map { RequestKey($0.action.type) })
    configuredTypes = types
    builtIn = Action.builtIn.filter { !types.contains(RequestKey($0.type)) }
      .map { ListedAction(action: $0) }
    self.added = added
  }

  /// The actions of clients that users at some seats know, without those whose type is configured.
  func free(at seats: SeatSet) -> [ListedAction] {
    added.filter {
      $0.isKnown(at: seats) && !configuredTypes.contains(RequestKey($0.action.type))
    }
  }

  func known(at seats: SeatSet) -> [ListedAction] { configured + free(at: seats) + builtIn }

  func find(_ type: String, at seats: SeatSet = .all) -> ListedAction? {
    for list in [configured, added, builtIn] {
      let found = list.first { $0.action.type.hasSameBytes(as: type) && $0.isKnown(at: seats) }
      if let found { return found }
    }
    return nil
  }

  /// Throws if a client, by its number, may not add an action that users at some seats know.
  func checkRoom(
    for action: Action, of client: Int, at seats: SeatSet = .all
  ) throws(RequestError) {
    guard added.count(where: { $0.client == client }) < Action.maxPerClient else {
      throw RequestError(.failed, "a client may add \(Action.maxPerClient) actions")
    }
    guard added.count < Action.maxForAllClients else {
      throw RequestError(.failed, "all clients together may add \(Action.maxForAllClients) actions")
    }
    guard find(action.type, at: seats) == nil else {
      throw RequestError(.failed, "an action \(action.type.truncated) exists already")
    }
  }
}
