internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

// There are three levels of rights: every client may read what is touched at its seat (see `Daemon+Access`); `use`
// covers requests that change what other clients receive; `control` covers requests that change what the daemon does.
// Request rates are limited per user: for `use` including root, for `control` except for root and the daemon's own
// user.

extension Daemon {
  /// Throws if a client may not make a request, or not yet.
  func admit(_ command: Command, of client: Client) throws(RequestError) {
    switch command.requiredPermission {
    case .read: return
    case .control where client.account.kind == .privileged: return
    case .use, .control: break
    }
    if let wait = requests.limits.admit(client.account, at: loop.now, configuration.use) {
      throw .tooFast(retryAfterMilliseconds: wait)
    }
    switch command.requiredPermission {
    case .read: break
    case .use: try requireUse(client)
    case .control: try requireControl(client)
    }
  }

  private func requireUse(_ client: Client) throws(RequestError) {
    guard
      access.permissions.mayUse(client.userID, in: client.groupIDs) || mayControlBySeat(client)
    else {
      throw RequestError(
        .notPermitted,
        "this request changes what other clients receive; it is permitted to root, the daemon's own user, and "
          + "the users and groups under use: or control: in the configuration")
    }
  }

  /// Whether the configuration permits users at a seat to control, and the client's user is at the seat of all devices
  /// that it may know.
  private func mayControlBySeat(_ client: Client) -> Bool {
    guard configuration.control.seat else { return false }
    let seats = access.seats(of: client.userID, configuration.access)
    return !seats.isEmpty && visibleDevices(to: client).allSatisfy { seats.isSuperset(of: $0.seat) }
  }

  /// Throws if the client has no control rights.
  private func requireControl(_ client: Client) throws(RequestError) {
    guard
      access.permissions.mayControl(client.userID, in: client.groupIDs) || mayControlBySeat(client)
    else {
      throw RequestError(
        .notPermitted,
        "this request is permitted to root, the daemon's own user, and the users and groups under "
          + "control: in the configuration")
    }
  }
}
