internal import CSystemd
internal import Glibc
internal import PressureKit

extension Daemon {
  /// What connections may cost in one turn; the others wake the loop again.
  private static let acceptBudget = 16 * acceptedCost

  /// A connection that is served costs a snapshot, and one that is refused a line: one user's refused connections
  /// hold up those behind them in the listen backlog no longer than they must.
  private static let acceptedCost = 8
  private static let refusedCost = 1

  /// What a refused connection costs besides its bytes, as work: some microseconds.
  private static let refusedWork = 512

  /// Takes who waits at the door, unless that is too much for one turn.
  func accept() {
    var cost = 0
    while cost < Daemon.acceptBudget {
      let descriptor = pressured_accept(listener.descriptor)
      guard descriptor >= 0 else {
        if errno != EAGAIN, errno != ECONNABORTED, errno != EINTR {
          Log.warning("cannot let a client in: \(String(cString: strerror(errno)))")
          rest()
        }
        return
      }
      cost += welcome(Descriptor(descriptor)) ? Daemon.acceptedCost : Daemon.refusedCost
    }
  }

  /// Lets nobody in any more.
  func shutDoor() {
    doorTimer.set(to: nil)
    door?.watch(for: [])
  }

  /// Without a descriptor to spare, who waits at the door would wake the loop again and again.
  private func rest() {
    door?.watch(for: [])
    doorTimer.set(to: loop.now + 1_000_000)
  }

  /// Serves a connection, or refuses it; false where it was refused.
  private func welcome(_ file: consuming Descriptor) -> Bool {
    let user = PeerCredentials.userID(of: file.number) ?? .max
    let client = Client(
      number: newNumber(), file: file,
      bufferLimit: configuration.socket.clientBufferKibibytes * 1024, userID: user,
      since: loop.now)
    if let reason = reasonToTurnAway(client) {
      turnAway(client, reason)
      return false
    }
    do throws(SystemFault) {
      client.source = try loop.watch(client.descriptor, for: .reading) {
        [unowned self, unowned client] readiness in
        attend(client, readiness)
      }
    } catch {
      Log.warning(error.sentence)
      return true
    }
    // The devices are opened before the snapshot, so that it tells of what lies on them.
    startReading()
    sendSnapshot(to: client)
    clients.append(client)
    counts.accepted += 1
    sweepLater()
    return true
  }

  /// Why a client cannot be served beside those that are there, or nil if it can.
  ///
  /// One user cannot keep the others out, except root and the user that the daemon runs as.
  private func reasonToTurnAway(_ client: Client) -> String? {
    let socket = configuration.socket
    if clients.count >= socket.maxClients {
      return "there are \(clients.count) clients, as many as socket.max_clients allows"
    }
    guard client.userID != 0, client.userID != geteuid() else { return nil }
    let count = clients.count { $0.userID == client.userID }
    guard count >= socket.clientLimitPerUser else { return nil }
    return "user \(client.userID) has \(count) connections, as many as "
      + "socket.max_clients_per_user allows"
  }

  private func turnAway(_ client: Client, _ reason: String) {
    counts.refused += 1
    answers.removeAll()
    answers.appendFault(.busy(.clients, reason))
    spend(Daemon.refusedWork + answers.count)
    client.send(answers)
  }

  private func sendSnapshot(to client: Client) {
    answers.removeAll()
    answers.appendHello(version: Version.current, clock: .monotonic)
    for served in devices {
      answers.append(served.device, .present, at: served.time)
      for contact in served.engine.contacts {
        answers.append(present: contact, device: served.device, at: served.time)
      }
    }
    // A scale that weighs reports its next change; one that cannot has none to come.
    for served in devices where served.engine.time != nil && !served.canWeigh {
      answers.append(present: served.engine.scale, device: served.device, at: served.time)
    }
    spend(answers.count)
    client.send(answers)
  }

  /// Closes the connections that are of no more use, and the devices with the last of them.
  func sweep() {
    for client in clients where client.isDone {
      cancelCalibrations(of: client)
      endGrabs(of: client)
      counts.add(client.allCounts)
      if client.isStuck { counts.stuck += 1 }
    }
    queue.removeAll { $0.isDone }
    let gone = clients.filter(\.isDone).map(\.number)
    clients.removeAll { $0.isDone }
    if !gone.isEmpty {
      removeActions(ofClients: gone)
      trimLater()
    }
    // A device that were closed while it is grabbed would give the desktop the rest of a touch.
    let isGrabbing = devices.contains { $0.grab != .free }
    if isReading, clients.isEmpty, !readsAlone, !isGrabbing { stopReading() }
    if isStopping, clients.isEmpty { end() }
  }

  /// Microseconds between two returns of memory: each walks the whole heap.
  private static let trimPause: Int64 = 10_000_000

  /// Clients have left holes in the heap that only this gives back to the kernel.
  private func trimLater() {
    guard !isTrimDue, !isStopping else { return }
    isTrimDue = true
    trimTimer.set(to: loop.now + Daemon.trimPause)
  }

  /// Gives the kernel what the heap does not use.
  func returnMemory() {
    isTrimDue = false
    _ = pressured_return_memory()
  }

  /// The same, once nobody is going through the clients or devices any more.
  func sweepLater() {
    if clients.contains(where: \.isDone) { sweepTimer.set(noLaterThan: loop.now) }
  }
}
