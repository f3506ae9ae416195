internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol

// Rights come in three steps: all that may connect may read; `use` is for changing what others read; `control` is for
// changing what the daemon does. How often is limited for each user: of `use` for root as well, of `control` for
// those of whom it must be looked up whether they may.

extension Daemon {
  /// Refuses a request that a client may not ask for, or not yet.
  func admit(_ command: Command, of client: Client) throws(RequestError) {
    switch command.right {
    case .read: return
    case .control where client.userID == 0 || client.userID == geteuid(): return
    case .use, .control: break
    }
    // First, as looking up names may take longer than what is asked for.
    if let wait = useLimits.admit(client.userID, at: loop.now, configuration.use) {
      throw .tooFast(retryAfterMilliseconds: wait)
    }
    switch command.right {
    case .read: break
    case .use: try requireUse(client)
    case .control: try requireControl(client)
    }
  }

  private func requireUse(_ client: Client) throws(RequestError) {
    let rules = configuration
    guard !rules.use.isOpen else { return }
    let peer = PeerCredentials(of: client.descriptor)
    guard peer?.mayUse(rules.use) == true || peer?.mayControl(rules.control) == true else {
      throw RequestError(
        .notPermitted,
        "this changes what others read, and is for root, the daemon's own user, and those under use: or "
          + "control: in its configuration")
    }
  }

  /// Refuses those who may only watch.
  private func requireControl(_ client: Client) throws(RequestError) {
    let peer = PeerCredentials(of: client.descriptor)
    guard peer?.mayControl(configuration.control) == true else {
      throw RequestError(
        .notPermitted,
        "this is for root, the daemon's own user, and those under control: in its "
          + "configuration")
    }
  }
}
