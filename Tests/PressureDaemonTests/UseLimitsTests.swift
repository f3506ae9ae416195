import PressureKit
import Testing

@testable import PressureDaemon

struct UseLimitsTests {
  private static let rules = {
    var rules = UseConfiguration()
    rules.requestsPerSecond = 1
    return rules
  }()

  /// The limits after four users have exhausted the shared limit.
  private func drained() -> UseLimits {
    var limits = UseLimits(ownUser: 900)
    for user in 1...4 as ClosedRange<UInt32> {
      for _ in 0..<4 { #expect(limits.admit(user, at: 0, Self.rules) == nil) }
    }
    return limits
  }

  @Test func `root and the daemon's own user do not share the limit of others`() {
    var limits = drained()
    #expect(limits.admit(5, at: 0, Self.rules) == 250)
    for user in [0, 900] as [UInt32] {
      for _ in 0..<4 { #expect(limits.admit(user, at: 0, Self.rules) == nil) }
      #expect(limits.admit(user, at: 0, Self.rules) == 1000)
    }
    // They do not consume it either.
    limits.charge(0, bytes: 1 << 20)
    #expect(limits.admit(5, at: 250_000, Self.rules) == nil)
  }

  @Test func `a user refused because of others keeps their own tokens`() {
    var limits = drained()
    for _ in 0..<10 { #expect(limits.admit(5, at: 0, Self.rules) == 250) }
    for _ in 0..<4 { #expect(limits.admit(5, at: 1_000_000, Self.rules) == nil) }
    #expect(limits.admit(5, at: 1_000_000, Self.rules) == 1000)
  }

  @Test func `the default burst of all users fits into the buffer of a paused client`() {
    let rules = UseConfiguration()
    let buffer = SocketConfiguration().clientBufferKibibytes * 1024
    for size in [100, 255, 256, 500, 1000, 5000, 20_000] {
      var limits = UseLimits(ownUser: 900)
      var sent = 0
      for user in 1...8 as ClosedRange<UInt32> {
        while limits.admit(user, at: 0, rules) == nil {
          limits.charge(user, bytes: size)
          sent += size
        }
      }
      #expect(sent > 0)
      #expect(sent < buffer, "lines of \(size) bytes")
    }
  }
}
