internal import CSystemd
internal import Glibc
internal import PressureKit

extension Daemon {
  /// Takes everybody who waits at the door.
  func accept() {
    while true {
      let descriptor = pressured_accept(listener.descriptor)
      guard descriptor >= 0 else {
        if errno != EAGAIN, errno != ECONNABORTED, errno != EINTR {
          Log.warning("cannot let a client in: \(String(cString: strerror(errno)))")
          rest()
        }
        return
      }
      welcome(Descriptor(descriptor))
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

  private func welcome(_ file: consuming Descriptor) {
    let client = Client(
      number: newNumber(), file: file,
      bufferLimit: configuration.socket.clientBufferKibibytes * 1024, since: loop.now)
    guard clients.count < configuration.socket.maxClients else { return turnAway(client) }
    do throws(SystemFault) {
      client.source = try loop.watch(client.descriptor, for: .reading) {
        [unowned self, unowned client] readiness in
        attend(client, readiness)
      }
    } catch {
      return Log.warning(error.sentence)
    }
    // The devices are opened before the snapshot, so that it tells of what lies on them.
    startReading()
    sendSnapshot(to: client)
    clients.append(client)
    counts.accepted += 1
    sweepLater()
  }

  private func turnAway(_ client: Client) {
    counts.refused += 1
    answers.removeAll()
    answers.appendFault(
      .busy(
        .clients, "there are \(clients.count) clients, as many as socket.max_clients allows"))
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
    client.send(answers)
  }

  private func attend(_ client: Client, _ readiness: Readiness) {
    if readiness.contains(.reading) {
      for line in client.read() where !client.isBroken && !client.isLeaving {
        answer(line, for: client)
      }
      client.settleAfterReading()
    }
    if readiness.contains(.writing) { client.flush() }
    if !readiness.isDisjoint(with: .gone) { client.abandon() }
    sweep()
  }

  /// Closes the connections that are of no more use, and the devices with the last of them.
  func sweep() {
    for client in clients where client.isDone {
      cancelCalibrations(of: client)
      endGrabs(of: client)
      counts.add(client.allCounts)
      if client.isStuck { counts.stuck += 1 }
    }
    clients.removeAll { $0.isDone }
    // A device that were closed while it is grabbed would give the desktop the rest of a touch.
    let isGrabbing = devices.contains { $0.grab != .free }
    if isReading, clients.isEmpty, !readsAlone, !isGrabbing { stopReading() }
    if isStopping, clients.isEmpty { end() }
  }

  /// The same, once nobody is going through the clients or devices any more.
  func sweepLater() {
    if clients.contains(where: \.isDone) { sweepTimer.set(to: loop.now) }
  }
}
