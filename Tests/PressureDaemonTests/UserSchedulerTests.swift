import Testing

@testable import PressureDaemon

struct UserSchedulerTests {
  @Test func `a third user does not wait for all connections of two others`() {
    var order = UserScheduler()
    var queue: [Account] = [1, 1, 1, 2, 2, 2, 3]
    var served: [Account] = []
    // A served connection has further requests.
    for _ in 0..<9 {
      guard let next = order.next(of: queue) else { break }
      let user = queue.remove(at: next)
      served.append(user)
      order.note(user, connected: [])
      queue.append(user)
    }
    #expect(served == [1, 2, 3, 1, 2, 3, 1, 2, 3])
  }

  @Test func `connections of one user have their turns in order`() {
    var order = UserScheduler()
    order.note(7, connected: [])
    #expect(order.next(of: [7, 7]) == 0)
    #expect(order.next(of: [7, 8]) == 1)
    #expect(order.next(of: []) == nil)
  }

  @Test func `members have the turns of one user and share them`() {
    var order = UserScheduler()
    let members = [101, 102, 103].map { Account(userID: $0, kind: .member) }
    var queue = members + [1]
    var served: [UInt32] = []
    for _ in 0..<6 {
      guard let next = order.next(of: queue) else { break }
      let account = queue.remove(at: next)
      served.append(account.userID)
      order.note(account, connected: [])
      queue.append(account)
    }
    #expect(served == [101, 1, 102, 1, 103, 1])
  }

  @Test func `disconnected users are pruned`() {
    var order = UserScheduler()
    for user in 0..<10_000 as Range<UInt32> {
      order.note(Account(userID: user, kind: .individual), connected: [5])
    }
    #expect(order.lastTurns.count <= UserScheduler.pruneThreshold)
    #expect(order.lastTurns[5] != nil)
  }
}
