internal import CSystemd
internal import Glibc

package struct Seats: Hashable {
  package struct Seat: Hashable {
    package let name: String

    /// The users that have a session on the seat, active or not.
    package var users: Set<UInt32> = []

    /// The user whose session is the active one; nil if there is none, or while the terminal is being switched.
    package var activeUser: UInt32?

    /// Whether another terminal was active for a while, whose user is unknown.
    package var wasLeft = false

    /// Whether the active session is locked; nil while it is unknown.
    package var isLocked: Bool? = false
  }

  package var all: [Seat] = []

  /// Whether the login manager runs; nil while it is unknown.
  ///
  /// Without it, what it has reported may be outdated.
  package var isCurrent: Bool? = false

  /// What a user may receive of the devices at a seat.
  package enum Access: Hashable {
    /// All events: the user's session is the active one.
    case granted
    /// Nothing now; the user has a session on the seat.
    case inactive, locked, unavailable
    /// Nothing until the login manager has answered.
    case pending
    /// Nothing: the user has no session on the seat.
    case refused
  }

  /// What a user may receive of the devices at a seat, if the session must be unlocked or need not be.
  package func access(of user: UInt32, at name: String, suspendsWhenLocked: Bool) -> Access {
    guard let seat = all.first(where: { $0.name == name }), seat.users.contains(user) else {
      return .refused
    }
    guard isCurrent != false else { return .unavailable }
    guard seat.activeUser == user else { return .inactive }
    guard isCurrent != nil else { return .pending }
    guard suspendsWhenLocked else { return .granted }
    guard let isLocked = seat.isLocked else { return .pending }
    return isLocked ? .locked : .granted
  }
}

package enum DeviceSeat {
  /// The seat of all devices that udev assigns to no other.
  package static let standard = "seat0"

  /// The name of the seat that a device node belongs to.
  ///
  /// The corresponding property of udev is `ID_SEAT`. A node without one, and one that udev has not handled yet,
  /// belongs to the standard seat.
  package static func name(of node: String) -> String {
    var status = stat()
    var device: OpaquePointer?
    guard stat(node, &status) == 0, status.st_mode & S_IFMT == S_IFCHR,
      sd_device_new_from_devnum(&device, CChar(UInt8(ascii: "c")), status.st_rdev) >= 0
    else { return standard }
    defer { sd_device_unref(device) }
    var value: UnsafePointer<CChar>?
    guard sd_device_get_property_value(device, "ID_SEAT", &value) >= 0, let value else {
      return standard
    }
    return String(cString: value)
  }
}
