import Testing

@testable import PressureDaemon

struct UserSchedulerTests {
  @Test func `a third user does not wait for all connections of two others`() {
    var order = UserScheduler()
    var queue: [UInt32] = [1, 1, 1, 2, 2, 2, 3]
    var served: [UInt32] = []
    // A served connection has further requests.
    for _ in 0..<9 {
      guard let next = order.next(of: queue) else { break }
      let user = queue.remove(at: next)
      served.append(user)
      order.note(user) { _ in true }
      queue.append(user)
    }
    #expect(served == [1, 2, 3, 1, 2, 3, 1, 2, 3])
  }

  @Test func `connections of one user have their turns in order`() {
    var order = UserScheduler()
    order.note(7) { _ in true }
    #expect(order.next(of: [7, 7]) == 0)
    #expect(order.next(of: [7, 8]) == 1)
    #expect(order.next(of: []) == nil)
  }

  @Test func `disconnected users are pruned`() {
    var order = UserScheduler()
    for user in 0..<10_000 as Range<UInt32> { order.note(user) { $0 == 5 } }
    #expect(order.lastTurns.count <= UserScheduler.pruneThreshold)
    #expect(order.lastTurns[5] != nil)
  }
}
