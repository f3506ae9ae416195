import PressureKit
import Testing

@testable import PressureDevices

struct PipeClockTests {
  private static let second: Int64 = 1_000_000

  private func moment(_ clock: inout PipeClock, _ given: Int64, at now: Int64) -> Int64 {
    clock.time(given: Timestamp(microseconds: given), at: now).microseconds
  }

  @Test func `local times are unchanged, even after a stall`() {
    var clock = PipeClock()
    let start = 100 * PipeClockTests.second
    for delay in [0, 3, 5000, 9_999_999, 2 * PipeClockTests.second, 19_000] {
      #expect(moment(&clock, start, at: start + delay) == start)
    }
  }

  @Test(arguments: [21_000, 8 * second, 3600 * second])
  func `a clock that is ahead is corrected at once and permanently`(ahead: Int64) {
    var clock = PipeClock()
    let start = 100 * PipeClockTests.second
    #expect(moment(&clock, start, at: start) == start)
    for step in 1...5 {
      let now = start + Int64(step) * 8000
      #expect(moment(&clock, now + ahead, at: now) == now)
    }
  }

  @Test func `a clock that was suspended is corrected after a second`() {
    var clock = PipeClock()
    let (start, sleep) = (100 * PipeClockTests.second, 8 * PipeClockTests.second)
    #expect(moment(&clock, start, at: start) == start)
    var last: Int64 = 0
    for step in 1...150 {
      let given = start + Int64(step) * 8000
      last = given + sleep - moment(&clock, given, at: given + sleep)
    }
    #expect(last == 0)
  }

  @Test func `frames that arrive together after a stall keep their intervals`() {
    var clock = PipeClock()
    let start = 100 * PipeClockTests.second
    // Four seconds of frames, of which those of the second and third second arrive together.
    for step in 0..<500 {
      let given = start + Int64(step) * 8000
      let stalls = (1...3).contains(Double(step) * 0.008)
      let now = stalls ? start + 3 * PipeClockTests.second : given
      #expect(moment(&clock, given, at: now) == given)
    }
  }

  @Test(arguments: [Int64.min, -1, 1, .max]) func `no foreign timestamp stops it`(given: Int64) {
    var clock = PipeClock()
    for now in [0, 5, Int64.max - 20_000] {
      let moment = moment(&clock, given, at: now)
      #expect((now - 10_000_000...now + 20_000).contains(moment))
      #expect(self.moment(&clock, 0, at: now) == now)
    }
  }
}
