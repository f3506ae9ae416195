@testable import PressureLoop
import Testing

/// Alice's session is active on the first seat; Bob has one there, too, and Zoe is at the second seat.
private func seats(isLocked: Bool? = false, isCurrent: Bool? = true) -> Seats {
  Seats(
    all: [
      Seats.Seat(name: "seat0", users: [1001, 1002], activeUser: 1001, isLocked: isLocked),
      Seats.Seat(name: "seat1", users: [1003], activeUser: 1003, isLocked: false),
    ], isCurrent: isCurrent)
}

private func access(
  _ seats: Seats, _ user: UInt32, _ seat: String, suspendsWhenLocked: Bool = true
) -> Seats.Access {
  seats.access(of: user, at: seat, suspendsWhenLocked: suspendsWhenLocked)
}

@Test func `only the user of the active session has access to a seat`() {
  #expect(access(seats(), 1001, "seat0") == .granted)
  #expect(access(seats(), 1002, "seat0") == .inactive)
  #expect(access(seats(), 1003, "seat0") == .refused)
  #expect(access(seats(), 1003, "seat1") == .granted)
  #expect(access(seats(), 1001, "seat1") == .refused)
  #expect(access(seats(), 1001, "seat2") == .refused)
  #expect(access(Seats(), 1001, "seat0") == .refused)
}

@Test func `while the terminal is being switched nobody has access`() {
  let between = Seats(all: [Seats.Seat(name: "seat0", users: [1001, 1002])], isCurrent: true)
  #expect(access(between, 1001, "seat0") == .inactive)
  #expect(access(between, 1002, "seat0") == .inactive)
}

@Test func `a locked session has no access unless the configuration permits it`() {
  #expect(access(seats(isLocked: true), 1001, "seat0") == .locked)
  #expect(access(seats(isLocked: true), 1002, "seat0") == .inactive)
  #expect(access(seats(isLocked: true), 1001, "seat0", suspendsWhenLocked: false) == .granted)
}

@Test func `what is unknown is pending, and refuses nobody who has no session`() {
  #expect(access(seats(isLocked: nil), 1001, "seat0") == .pending)
  #expect(access(seats(isLocked: nil), 1001, "seat0", suspendsWhenLocked: false) == .granted)
  #expect(access(seats(isCurrent: nil), 1001, "seat0") == .pending)
  #expect(access(seats(isCurrent: nil), 1001, "seat0", suspendsWhenLocked: false) == .pending)
  #expect(access(seats(isCurrent: nil), 1004, "seat0") == .refused)
}

@Test func `without a running login manager nobody is at a seat`() {
  for user: UInt32 in [1001, 1002] {
    #expect(access(seats(isCurrent: false), user, "seat0") == .unavailable)
  }
  #expect(access(seats(isCurrent: false), 1003, "seat0") == .refused)
}
