internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
package import PressureProtocol
internal import PressureSystem

/// The state of exclusive access to a device.
///
///              on, and nothing touches it      off, or the client disconnects
///      free ──────────────────────────────▶ held ────────────────────────▶ ending
///       ▲                                    ▲                               │  │
///       │                                    └──────────────on───────────────┘  │
///       └───────────────────────────────────────────────nothing touches it──────┘
///
/// A grab begins and ends only while nothing touches the surface: otherwise the desktop would receive the beginning
/// of a touch and not its end.
package enum Grab: Hashable {
  case free
  case held(by: Int)
  /// Released by the client, but still grabbed because something touches the surface.
  case ending
}

// A device can be grabbed by one client at a time, for as long as that client is connected.

extension Daemon {
  package func grab(_ name: String?, _ isOn: Bool, for client: Client) throws(RequestError) {
    let served = try soleDevice(named: name, for: client, needsScale: false)
    guard let live = served.kernelDevice else {
      throw RequestError(
        .failed, "\(served.id.text) is not a kernel device; no other program receives its touches")
    }
    if case .held(let number) = served.grab, number != client.number {
      throw RequestError.busy(.inUse, "another client has grabbed \(served.id.text)")
    }
    // While a release is pending the kernel's grab is still in place, and continues.
    if isOn, served.grab == .free {
      defer { scheduleRead(with: live) }
      guard served.engine.contacts.isEmpty, try acquire(live, served.id) else {
        throw RequestError.busy(
          .touched, "\(served.id.text) is touched or its button is held; release it and try again"
        )
      }
    }
    if isOn { served.grab = .held(by: client.number) } else { release(of: served) }
    reply.appendGrab(served.grab != .free, of: served.id)
  }

  private func acquire(_ live: EvdevDevice, _ id: DeviceID) throws(RequestError) -> Bool {
    do throws(SystemError) {
      return try live.grab()
    } catch {
      throw error.number == EBUSY
        ? RequestError.busy(.inUse, "another program has grabbed \(id.text)")
        : RequestError(.failed, error.sentence)
    }
  }

  func release(of served: ServedDevice) {
    guard served.grab != .free else { return }
    served.grab = .ending
    ungrabIfUntouched(served)
  }

  /// Ungrabs a device whose release is pending, once nothing touches it.
  package func ungrabIfUntouched(_ served: ServedDevice) {
    guard let live = served.kernelDevice, served.engine.contacts.isEmpty else { return }
    defer { scheduleRead(with: live) }
    guard !live.isTouched() else { return }
    live.ungrab()
    served.grab = .free
    // The grab may have been the only reason to keep the device open, or to postpone a change.
    timers.sweep.set(noLaterThan: loop.now)
    timers.pendingChanges.set(noLaterThan: loop.now)
  }

  /// Schedules a read: asking a device whether it is touched consumes events from the kernel's queue.
  private func scheduleRead(with live: EvdevDevice) {
    if live.hasMore { timers.resume.set(noLaterThan: loop.now) }
  }
}
