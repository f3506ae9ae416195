internal import Glibc
internal import PressureKit

// One client at a time has a device for the daemon and its clients alone, and no longer than it stays.

extension Daemon {
  /// Grabs a device or lets it go, and answers with whether it is grabbed.
  func grab(_ name: String?, _ isOn: Bool, for client: Client) throws(RequestFault) {
    let served = try sole(named: name, needsScale: false)
    guard case .live(let live, _) = served.feed else {
      throw RequestFault(
        .failed, "\(served.id.text) is no device of the kernel's; nobody else hears of its touches")
    }
    if case .held(let number) = served.grab, number != client.number {
      throw RequestFault.busy(.inUse, "another client has grabbed \(served.id.text)")
    }
    if isOn { try hold(served, live, for: client) } else { endGrab(of: served) }
    answers.appendGrab(served.grab != .free, of: served.id)
  }

  private func hold(
    _ served: ServedDevice, _ live: EvdevDevice, for client: Client
  ) throws(RequestFault) {
    // While it ends the kernel's grab is still there, and goes on.
    if served.grab == .free {
      defer { goOn(with: live) }
      guard served.engine.contacts.isEmpty, try take(live, served.id) else {
        throw RequestFault.busy(
          .touched, "something touches \(served.id.text) or holds its button; lift it and ask again"
        )
      }
    }
    served.grab = .held(by: client.number)
  }

  private func take(_ live: EvdevDevice, _ id: DeviceID) throws(RequestFault) -> Bool {
    do throws(SystemFault) {
      return try live.grab()
    } catch {
      throw error.number == EBUSY
        ? RequestFault.busy(.inUse, "another program has grabbed \(id.text)")
        : RequestFault(.failed, error.sentence)
    }
  }

  /// A client that goes lets go of what it had.
  func endGrabs(of client: Client) {
    for served in devices where served.grab == .held(by: client.number) { endGrab(of: served) }
  }

  private func endGrab(of served: ServedDevice) {
    guard served.grab != .free else { return }
    served.grab = .ending
    letGo(served)
  }

  /// Gives a device back whose grab is ending, once nothing touches it.
  func letGo(_ served: ServedDevice) {
    guard case .live(let live, _) = served.feed, served.engine.contacts.isEmpty else { return }
    defer { goOn(with: live) }
    guard !live.isTouched() else { return }
    live.ungrab()
    served.grab = .free
    // It may have been kept open, or kept as it is, for this alone.
    sweepTimer.set(noLaterThan: loop.now)
    renewalTimer.set(noLaterThan: loop.now)
  }

  /// To ask a device whether it is touched takes its events out of the kernel's queue.
  private func goOn(with live: EvdevDevice) {
    if live.hasMore { restTimer.set(noLaterThan: loop.now) }
  }
}
