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
    var limits = UseLimits()
    for user in [1, 2, 3, 4] as [Account] {
      for _ in 0..<4 { #expect(limits.admit(user, at: 0, Self.rules) == nil) }
    }
    return limits
  }

  @Test func `root and the daemon's own user do not share the limit of others`() {
    var limits = drained()
    #expect(limits.admit(5, at: 0, Self.rules) == 250)
    for user in [0, 900].map({ Account(userID: $0, kind: .privileged) }) {
      for _ in 0..<4 { #expect(limits.admit(user, at: 0, Self.rules) == nil) }
      #expect(limits.admit(user, at: 0, Self.rules) == 1000)
    }
    // They do not consume it either.
    limits.charge(Account(userID: 0, kind: .privileged), bytes: 1 << 20)
    #expect(limits.admit(5, at: 250_000, Self.rules) == nil)
  }

  @Test func `a user refused because of others keeps their own tokens`() {
    var limits = drained()
    for _ in 0..<10 { #expect(limits.admit(5, at: 0, Self.rules) == 250) }
    for _ in 0..<4 { #expect(limits.admit(5, at: 1_000_000, Self.rules) == nil) }
    #expect(limits.admit(5, at: 1_000_000, Self.rules) == 1000)
  }

  @Test func `members together leave the burst of one user to others`() {
    var limits = UseLimits()
    let members = (1...100).map { Account(userID: $0, kind: .member) }
    #expect(members.count { limits.admit($0, at: 0, Self.rules) == nil } == 12)
    for _ in 0..<4 { #expect(limits.admit(107, at: 0, Self.rules) == nil) }
    #expect(limits.admit(108, at: 0, Self.rules) == 250)
  }

  @Test func `the default burst of all users fits into the buffer of a paused client`() {
    let rules = UseConfiguration()
    let buffer = SocketConfiguration().clientBufferKibibytes * 1024
    for size in [100, 255, 256, 500, 1000, 5000, 20_000] {
      var limits = UseLimits()
      var sent = 0
      for user in [1, 2, 3, 4, 5, 6, 7, 8] as [Account] {
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

extension Account: ExpressibleByIntegerLiteral {
  package init(integerLiteral userID: UInt32) { self.init(userID: userID, kind: .individual) }
}
