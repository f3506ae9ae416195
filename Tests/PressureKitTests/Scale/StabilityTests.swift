import PressureTestSupport
import Testing

@testable import PressureKit

/// No load in motion is reported as stable, and every load at rest is in time.
struct StabilityTests {
  /// Ten units per gram.
  private static let device =
    "slots=5 x=0..1216@12 y=0..680@12 pressure=0..20000@10".split(separator: " ")

  /// A pad, its load, and the events of its scale.
  private struct Bench {
    var engine: Engine
    var buffer = EventBuffer()
    var stable: [ScaleReading] = []

    init() throws {
      engine = Engine(surface: try Surface(DeviceDescription(words: StabilityTests.device)))
    }

    mutating func lay(_ grams: Double, at time: Int64, isNew: Bool) {
      let touch: [(EventCode, Int32)] = isNew ? [(.trackingID, 7)] : []
      let raw = Int32(max(0, grams * 10).rounded())
      engine.receive(frame: touch + [(.pressure, raw)], at: time, into: &buffer)
      listen()
    }

    mutating func wait(until time: Int64) {
      engine.advance(to: Timestamp(microseconds: time), into: &buffer)
      listen()
    }

    private mutating func listen() {
      for event in buffer.events {
        if case .scale(let reading, isNewStable: _) = event.kind, reading.status == .stable {
          stable.append(reading)
        }
      }
      buffer.removeAll()
    }
  }

  /// A load in motion: its readings and their times.
  private struct Load {
    var readings: [(time: Int64, grams: Double)] = []
    let isSlope: Bool

    /// A random load that leaves its range within every second, but only slightly.
    init(seed: UInt64) {
      var random = TinyRandom(seed: seed)
      isSlope = [2, 3].contains(seed % 5)
      let base = 20 + random.fraction * 400
      let swing = 6.06 + random.fraction * (seed % 3 == 0 ? 0.2 : 30)
      let period = 40_000 + random.fraction * 900_000
      let slope = 2.3 + random.fraction * 40
      let isLong = seed % 51 == 0
      let interval = isLong ? Int64(2_000) : Int64(10_000 + random.below(30_000))
      let length: Int64 = isLong ? 3_000_000 : 1_300_000
      var time = Int64(random.below(1_000_000))
      let start = time
      var walk = 0.0
      while time < start + length {
        let seconds = Double(time - start) / 1_000_000
        let phase = (Double(time - start) / period).truncatingRemainder(dividingBy: 1)
        let grams: Double
        switch seed % 5 {
        case 0: grams = base + swing * (phase < 0.5 ? 1 : -1)
        case 1: grams = base + swing * (4 * abs(phase - 0.5) - 1)
        case 2: grams = base + slope * seconds
        case 3: grams = base + 130 - slope * seconds
        default:
          walk += (random.fraction - 0.5) * swing
          grams = base + walk
        }
        readings.append((time, grams))
        time += interval + Int64(random.below(4_000))
      }
    }

    /// Whether the readings leave their range within every second of the load: 2 g on a slope, 12 g if they may be a vibration.
    var leavesEveryWindow: Bool {
      let limit = isSlope ? 2.05 : 12.05
      var first = 0
      for last in readings.indices {
        let end = last + 1 < readings.count ? readings[last + 1].time : readings[last].time
        // Of all windows with this reading as the last, the one ending just before the next has the smallest range.
        while first + 1 < readings.count, readings[first + 1].time <= end - 1_000_000 { first += 1 }
        guard end - readings[0].time >= 1_000_000 else { continue }
        let grams = readings[first...last].map { ($0.grams * 10).rounded() / 10 }
        guard let low = grams.min(), let high = grams.max(), high - low > limit else {
          return false
        }
      }
      return true
    }
  }

  /// Of ten thousand in a thorough run.
  @Test func `of many loads in motion none is reported as stable`() throws {
    let wanted = trials(10_000, few: 800)
    var (count, seed) = (0, UInt64(0))
    while count < wanted {
      seed += 1
      let load = Load(seed: seed)
      guard load.leavesEveryWindow else { continue }
      count += 1
      var bench = try Bench()
      for (index, reading) in load.readings.enumerated() {
        bench.lay(reading.grams, at: reading.time, isNew: index == 0)
      }
      if let stable = bench.stable.first {
        Issue.record("seed \(seed) is stable at \(stable.time.microseconds)")
      }
    }
    #expect(seed < 4 * wanted, "most random loads are usable")
  }

  /// With noise of 1 g, for a while or forever.
  @Test(arguments: 1...500)
  func `a load at rest is stable within window and filter`(seed: UInt64) throws {
    var random = TinyRandom(seed: seed)
    var bench = try Bench()
    let grams = 5 + random.fraction * 480
    let start = Int64(random.below(1_000_000))
    for index in 0..<random.below(30) {
      bench.lay(grams * random.fraction, at: start + Int64(index) * 8000, isNew: index == 0)
    }
    let laid = start + 30 * 8000
    bench.lay(grams, at: laid, isNew: bench.engine.contacts.isEmpty)
    for index in 1...random.below(140) + 1 {
      bench.lay(grams + random.fraction * 2 - 1, at: laid + Int64(index) * 8000, isNew: false)
    }
    bench.wait(until: laid + 1_100_000)
    let stable = try #require(bench.stable.first)
    #expect(stable.time.microseconds <= laid + 1_100_000)
    #expect(stable.time.microseconds >= start + 1_000_000)
    #expect(abs((stable.netGrams ?? 0) - grams) <= 2)
  }

  @Test func `a load that comes to rest is reported with its final weight`() throws {
    var bench = try Bench()
    bench.lay(50, at: 0, isNew: true)
    bench.lay(62.3, at: 300_000, isNew: false)
    bench.wait(until: 10_000_000)
    #expect(bench.stable.map(\.time.microseconds) == [1_300_000])
    #expect(bench.stable.first?.netGrams == 62.3)
    #expect(bench.engine.deadline == nil, "a load at rest has no deadline")
  }
}
