internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

extension Daemon {
  /// The cost of a rejected connection besides its bytes: some microseconds.
  private static let rejectedWork = 512

  /// Serves a connection or rejects it; returns false if it was rejected.
  func serveConnection(_ file: consuming Descriptor) -> Bool {
    fireOverdueTimers()
    let user = PeerCredentials.userID(of: file.number) ?? .max
    let client = Client(
      number: statistics.newNumber(), file: file,
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
    // Open the devices before the snapshot, so that it includes their contacts.
    startReading()
    sendSnapshot(to: client)
    clients.append(client)
    statistics.counts.accepted += 1
    sweepLater()
    return true
  }

  /// Why a client is rejected, or nil if it is served.
  ///
  /// A user's connections are limited so as not to exclude other users; root and the daemon's own user are exempt.
  private func rejectionReason(_ client: Client) -> String? {
    let socket = configuration.socket
    if clients.count >= socket.maxClients {
      return "\(clients.count) clients are connected, the maximum set by socket.max_clients"
    }
    guard client.userID != 0, client.userID != geteuid() else { return nil }
    let count = clients.count { $0.userID == client.userID }
    guard count >= socket.clientLimitPerUser else { return nil }
    return "user \(client.userID) has \(count) connections, the maximum set by "
      + "socket.max_clients_per_user"
  }

  private func reject(_ client: Client, _ reason: String) {
    statistics.counts.refused += 1
    reply.removeAll()
    reply.appendError(.busy(.clients, reason))
    work.count(Daemon.rejectedWork + reply.count)
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
    // A scale that can weigh emits its next change; any other would never emit its state.
    for served in devices where served.engine.time != nil && !served.canWeigh {
      reply.append(present: served.engine.scale, device: served.device, at: served.time)
    }
    work.count(reply.count)
    client.send(reply)
  }

  /// Closes finished connections, and the devices after the last of them.
  func sweep() {
    for client in clients where client.isDone {
      cancelCalibrations(of: client)
      releaseGrabs(of: client)
      statistics.counts.add(client.totalCounts)
      if client.hasOverflowed { statistics.counts.stuck += 1 }
    }
    requests.removeDone()
    let gone = clients.filter(\.isDone).map(\.number)
    clients.removeAll { $0.isDone }
    if !gone.isEmpty {
      removeActions(ofClients: gone)
      trimmer.trimLater()
    }
    // Closing a device while it is grabbed would pass the rest of a touch to the desktop.
    let isGrabbing = devices.contains { $0.grab != .free }
    if discovery.isOpen, clients.isEmpty, !readsWithoutClients, !isGrabbing { stopReading() }
    if shutdown.hasBegun, clients.isEmpty { end() }
  }

  /// Schedules a sweep, for callers that iterate over clients or devices.
  func sweepLater() {
    if clients.contains(where: \.isDone) { timers.sweep.set(noLaterThan: loop.now) }
  }
}
