import PressureKit
import Testing

@testable import PressureDevices

struct ReadAheadQueueTests {
  private func event(_ number: Int) -> InputEvent {
    InputEvent(
      time: Timestamp(microseconds: Int64(number)), code: .pressure, value: Int32(number))
  }

  @Test func `a reader that always lags a little uses constant memory`() {
    var ahead = ReadAheadQueue()
    for number in 0..<100 { ahead.append(event(number)) }
    for number in 100..<100_000 {
      ahead.append(event(number))
      #expect(ahead.time == event(number - 100).time)
      #expect(ahead.next() == event(number - 100))
      #expect(ahead.capacity <= 20_000)
    }
    #expect(!ahead.isEmpty)
  }

  @Test func `an empty queue has no time, and releases the memory of a peak`() {
    var ahead = ReadAheadQueue()
    for number in 0..<ReadAheadQueue.maximumCount {
      #expect(!ahead.isFull)
      ahead.append(event(number))
    }
    #expect(ahead.isFull)
    while let event = ahead.next() { #expect(event.time <= ahead.time ?? event.time) }
    #expect(ahead.time == nil)
    #expect(ahead.capacity == 0)
  }
}
