/// The user of a client, and what limits it.
///
/// A user with subordinate user IDs has tens of thousands of them in a user namespace, and keeps its groups there. So a limit for
/// each user ID does not limit those who are served because of a group.
package struct Account: Hashable {
  package enum Kind: Hashable {
    /// Root and the daemon's own user: limits that users share do not apply.
    case privileged
    /// A user that the configuration names, or that has a session at a seat.
    case individual
    /// Any other user: all of them together are limited, too.
    case member
  }

  package let userID: UInt32
  package let kind: Kind

  package init(userID: UInt32, _ kind: Kind) {
    (self.userID, self.kind) = (userID, kind)
  }
}
