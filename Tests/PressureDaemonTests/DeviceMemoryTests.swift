import Testing

@testable import PressureDaemon
@testable import PressureKit

struct DeviceMemoryTests {
  private func device(_ number: Int) -> DeviceID {
    DeviceID(DeviceDescription()).numbered(number + 2)
  }

  private let reading = ScaleReading(
    time: Timestamp(microseconds: 0), status: .stable, grossGrams: 1, tareGrams: 0,
    errorGrams: nil, rate: 0, isHeld: false, isDecaying: false, target: nil)

  private func memory(tare: Double = 0, readings: Int = 1) -> ScaleMemory {
    var memory = ScaleMemory()
    memory.tareGrams = tare
    for _ in 0..<readings { memory.note(reading) }
    return memory
  }

  @Test func `a stored value is loaded unchanged`() {
    var cache = DeviceMemory(calibrations: nil)
    let kept = memory(tare: 5, readings: ScaleMemory.historyLength + 1)
    cache.keep(kept, of: device(1))
    #expect(cache.takeScale(of: device(1)) == kept)
    #expect(cache.takeScale(of: device(1)) == ScaleMemory())
    #expect(cache.count == 0)
  }

  @Test func `a change of users releases what is held at that seat only`() {
    var (cache, names, held) = (DeviceMemory(calibrations: nil), SeatNames(), memory())
    held.held = reading
    let (first, second) = (names.set(of: "seat0"), names.set(of: "seat1"))
    cache.keep(held, of: device(1), at: first)
    cache.keep(held, of: device(2), at: second)
    cache.releaseHolds(at: second)
    #expect(cache.takeScale(of: device(1)).held == reading)
    #expect(cache.takeScale(of: device(2)).held == nil)
  }

  @Test func `a device without scale state is not stored`() {
    var cache = DeviceMemory(calibrations: nil)
    for number in 0..<10_000 { cache.keep(ScaleMemory(), of: device(number)) }
    #expect(cache.count == 0)
  }

  @Test func `the capacity limits the number of devices`() {
    var cache = DeviceMemory(calibrations: nil)
    for number in 0..<DeviceMemory.capacity { cache.keep(memory(), of: device(number)) }
    #expect(cache.count == DeviceMemory.capacity)
    // The first one is used again, so that the second one is the oldest.
    let first = cache.takeScale(of: device(0))
    cache.keep(first, of: device(0))
    for number in 0..<10_000 {
      cache.keep(memory(), of: device(100_000 + number))
      #expect(cache.count == DeviceMemory.capacity)
      if number == 0 {
        #expect(cache.takeScale(of: device(1)) == ScaleMemory())
        #expect(cache.takeScale(of: device(0)) == memory())
        cache.keep(memory(), of: device(0))
      }
    }
    #expect(cache.takeScale(of: device(0)) == ScaleMemory())
  }

  @Test func `tared devices are removed last`() {
    var cache = DeviceMemory(calibrations: nil)
    cache.keep(memory(tare: 12), of: device(0))
    for number in 1...10_000 { cache.keep(memory(), of: device(number)) }
    #expect(cache.takeScale(of: device(0)).tareGrams == 12)
    // The oldest of the tared ones is removed.
    for number in 0...DeviceMemory.capacity {
      cache.keep(memory(tare: 1), of: device(number))
    }
    #expect(cache.takeScale(of: device(0)) == ScaleMemory())
    #expect(cache.takeScale(of: device(1)).tareGrams == 1)
  }
}
