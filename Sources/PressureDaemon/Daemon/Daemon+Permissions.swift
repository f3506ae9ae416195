internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

// There are three levels of rights: every client may read what is touched at its seat (see `Daemon+Access`); `use`
// covers requests that change what other clients receive; `control` covers requests that change what the daemon does.
// The right to control extends to the seats that the client receives events of, and by `control.seat` to those that its
// user is at. What was done by it ends with it: see `revokeControl`. Only users and groups that the configuration names
// may change what belongs to no seat, which is the configuration itself.
// Request rates are limited per user: for `use` including root, for `control` except for root and the daemon's own
// user.

extension Daemon {
  func admit(_ pending: PendingRequest, of client: Client) throws(RequestError) {
    // It would tell what is touched, or change it.
    if client.seats.isEmpty, !pending.isForSuspended { throw Daemon.suspendedError }
    let isPermitted: Bool
    switch pending.permission {
    case .read: return
    case .use, .useWith:
      try limitRate(of: client)
      isPermitted =
        access.permissions.mayUse(client.userID, in: client.groupIDs)
        || controls(client, deviceNamed: nil)
    case .control(let scope):
      if client.account.kind == .privileged { return }
      try limitRate(of: client)
      isPermitted =
        switch scope {
        case .daemon: mayControlDaemon(client)
        case .device: controls(client, deviceNamed: pending.request?.deviceName)
        case .seat: !controlledSeats(of: client).isEmpty
        }
    }
    guard isPermitted else {
      let isUse = pending.permission == .use
      throw RequestError(
        .notPermitted,
        (isUse ? "this request changes what other clients receive; it" : "this request")
          + " is permitted to root, the daemon's own user, and the users and groups under "
          + (isUse ? "use: or control:" : "control:") + " in the configuration")
    }
  }

  private func limitRate(of client: Client) throws(RequestError) {
    if let wait = requests.limits.admit(client.account, at: loop.now, configuration.use) {
      throw .tooFast(retryAfterMilliseconds: wait)
    }
  }

  /// Whether the client may control all devices that it knows, or all of them with a name.
  private func controls(_ client: Client, deviceNamed name: String?) -> Bool {
    let seats = controlledSeats(of: client)
    return !seats.isEmpty
      && visibleDevices(to: client).allSatisfy {
        seats.isSuperset(of: $0.seat) || name?.hasSameBytes(as: $0.id.text) == false
      }
  }

  func controlledSeats(of client: Client) -> SeatSet {
    if mayControlDaemon(client) { return client.seats }
    guard configuration.control.seat else { return [] }
    return client.seats.intersection(access.seats(of: client.userID, configuration.access))
  }

  private func mayControlDaemon(_ client: Client) -> Bool {
    access.permissions.mayControl(client.userID, in: client.groupIDs)
  }

  /// Ends what clients have done that may not control it any longer: grabs, calibrations and actions.
  func revokeControl() {
    releaseDevices()
    removeActions { [unowned self] in !controls($0, $1.seats) }
  }

  /// Ends grabs and calibrations of clients that have disconnected, or may not control the device any longer.
  func releaseDevices() {
    for served in devices {
      if case .held(let number) = served.grab, !controls(number, served.seat) {
        release(of: served)
      }
      if let current = served.calibration, !controls(current.client, served.seat) {
        served.calibration = nil
      }
    }
  }

  /// Whether the client with a number may control seats; false if it has disconnected.
  private func controls(_ number: Int, _ seats: SeatSet) -> Bool {
    clients.first { $0.number == number }.map { controlledSeats(of: $0).isSuperset(of: seats) }
      ?? false
  }
}
