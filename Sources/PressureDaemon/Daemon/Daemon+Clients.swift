internal import CLinux
internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

extension Daemon {
  /// What connections may cost in one turn; the others wake the loop again.
  private static let acceptBudget = 16 * acceptedCost

  /// A connection that is served costs a snapshot, and one that is refused a line: one user's refused connections
  /// hold up those behind them in the listen backlog no longer than they must.
  private static let acceptedCost = 8
  private static let rejectedCost = 1

  /// What a refused connection costs besides its bytes, as work: some microseconds.
  private static let rejectedWork = 512

  /// Takes who waits at the door, unless that is too much for one turn.
  func accept() {
    var cost = 0
    while cost < Daemon.acceptBudget {
      let descriptor = pressured_accept(listener.descriptor)
      guard descriptor >= 0 else {
        if errno != EAGAIN, errno != ECONNABORTED, errno != EINTR {
          Log.warning("cannot let a client in: \(String(cString: strerror(errno)))")
          pauseAccepting()
        }
        return
      }
      cost += serveConnection(Descriptor(descriptor)) ? Daemon.acceptedCost : Daemon.rejectedCost
    }
  }

  /// Lets nobody in any more.
  func stopAccepting() {
    acceptRetryTimer.set(to: nil)
    listenerSource?.watch(for: [])
  }

  /// Without a descriptor to spare, who waits at the door would wake the loop again and again.
  private func pauseAccepting() {
    listenerSource?.watch(for: [])
    acceptRetryTimer.set(to: loop.now + 1_000_000)
  }

  /// Serves a connection, or refuses it; false where it was refused.
  private func serveConnection(_ file: consuming Descriptor) -> Bool {
    let user = PeerCredentials.userID(of: file.number) ?? .max
    let client = Client(
      number: newNumber(), file: file,
      bufferLimit: configuration.socket.clientBufferKibibytes * 1024, userID: user,
      since: loop.now)
    if let reason = rejectionReason(client) {
      reject(client, reason)
      return false
    }
    do throws(SystemError) {
      client.source = try loop.watch(client.descriptor, for: .reading) {
        [unowned self, unowned client] readiness in
        handleReadiness(client, readiness)
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
  private func rejectionReason(_ client: Client) -> String? {
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

  private func reject(_ client: Client, _ reason: String) {
    counts.refused += 1
    reply.removeAll()
    reply.appendFault(.busy(.clients, reason))
    countWork(Daemon.rejectedWork + reply.count)
    client.send(reply)
  }

  private func sendSnapshot(to client: Client) {
    reply.removeAll()
    reply.appendHello(version: Version.current, clock: .monotonic)
    for served in devices {
      reply.append(served.device, .present, at: served.time)
      for contact in served.engine.contacts {
        reply.append(present: contact, device: served.device, at: served.time)
      }
    }
    // A scale that weighs reports its next change; one that cannot has none to come.
    for served in devices where served.engine.time != nil && !served.canWeigh {
      reply.append(present: served.engine.scale, device: served.device, at: served.time)
    }
    countWork(reply.count)
    client.send(reply)
  }

  /// Closes the connections that are of no more use, and the devices with the last of them.
  func sweep() {
    for client in clients where client.isDone {
      cancelCalibrations(of: client)
      releaseGrabs(of: client)
      counts.add(client.totalCounts)
      if client.hasOverflowed { counts.stuck += 1 }
    }
    requestQueue.removeAll { $0.isDone }
    let gone = clients.filter(\.isDone).map(\.number)
    clients.removeAll { $0.isDone }
    if !gone.isEmpty {
      removeActions(ofClients: gone)
      trimLater()
    }
    // A device that were closed while it is grabbed would give the desktop the rest of a touch.
    let isGrabbing = devices.contains { $0.grab != .free }
    if isReading, clients.isEmpty, !readsWithoutClients, !isGrabbing { stopReading() }
    if isStopping, clients.isEmpty { end() }
  }

  /// Microseconds between two returns of memory: each walks the whole heap.
  private static let trimInterval: Int64 = 10_000_000

  /// Clients have left holes in the heap that only this gives back to the kernel.
  private func trimLater() {
    guard !isTrimDue, !isStopping else { return }
    isTrimDue = true
    trimTimer.set(to: loop.now + Daemon.trimInterval)
  }

  /// Gives the kernel what the heap does not use.
  func trimHeap() {
    isTrimDue = false
    _ = pressured_return_memory()
  }

  /// The same, once nobody is going through the clients or devices any more.
  func sweepLater() {
    if clients.contains(where: \.isDone) { sweepTimer.set(to: loop.now) }
  }
}
