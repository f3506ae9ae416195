import Glibc
import Testing

@testable import PressureLoop

@Suite struct EventLoopTests {
  @Test func `a due timer fires although a ready source sets it again in each round`() throws {
    let loop = try EventLoop()
    var rounds = 0
    let timer = try loop.timer(priority: .normal) { loop.stop() }
    let busy = try loop.recurring {
      rounds += 1
      timer.set(noLaterThan: loop.now)
      if rounds == 1000 { loop.stop(status: 1) }
    }
    busy.resume()
    #expect(try loop.run() == 0)
  }

  @Test func `a timer is set to an earlier time, and not to a later one`() throws {
    let loop = try EventLoop()
    let timer = try loop.timer { loop.stop() }
    let end = try loop.timer { loop.stop(status: 1) }
    let now = try #require(loop.now as Int64?)
    timer.set(to: now + 3_600_000_000)
    timer.set(noLaterThan: now)
    timer.set(noLaterThan: now + 3_600_000_000)
    end.set(to: now + 10_000_000)
    #expect(try loop.run() == 0)
    withExtendedLifetime((timer, end)) {}
  }

  @Test func `a timer that has fired can be set again`() throws {
    let loop = try EventLoop()
    var count = 0
    var again: EventSource?
    let timer = try loop.timer {
      count += 1
      if count == 3 { loop.stop() } else { again?.set(noLaterThan: loop.now) }
    }
    again = timer
    timer.set(to: loop.now)
    #expect(try loop.run() == 0)
    #expect(count == 3)
  }
}
