import PressureTestSupport
import Testing

@testable import PressureKit

/// Behavior that is not visible in events, and therefore in no scenario.
struct WeighingTests {
  private struct Bench {
    var engine: Engine
    var buffer = EventBuffer()

    init(_ words: String = "slots=2 x=0..9 y=0..9 pressure=0..6000@10", memory: ScaleMemory? = nil)
      throws
    {
      let description = try DeviceDescription(words: words.split(separator: " "))
      engine = Engine(surface: try Surface(description), scale: memory ?? ScaleMemory())
    }

    /// Adds or removes a load, and waits until it is at rest.
    mutating func lay(_ grams: Double?, at seconds: Int64) {
      let raw = Int32(((grams ?? 0) * 10).rounded())
      engine.receive(
        frame: [(.trackingID, grams == nil ? -1 : 7), (.pressure, raw)], at: seconds * 1_000_000,
        into: &buffer)
      engine.advance(to: Timestamp(microseconds: (seconds + 2) * 1_000_000), into: &buffer)
    }

    mutating func request(_ request: ScaleRequest, at seconds: Int64) throws(ScaleError) {
      try engine.perform(request, at: Timestamp(microseconds: seconds * 1_000_000), into: &buffer)
    }

    /// The emitted stable readings, of which none may be lost.
    var stableReadings: [Double?] {
      buffer.events.compactMap { event in
        if case .scale(let reading, isNewStable: true) = event.kind {
          reading.netGrams
        } else {
          nil
        }
      }
    }
  }

  @Test func `each stable reading is emitted as new once, and is stored`() throws {
    var bench = try Bench()
    bench.lay(62, at: 0)
    bench.lay(62.5, at: 3)
    bench.lay(64.1, at: 6)
    bench.lay(nil, at: 9)
    bench.lay(62, at: 12)
    #expect(bench.stableReadings == [62, 64.1, 62])
    #expect(bench.engine.scaleMemory.history.map(\.netGrams) == [62, 64.1, 62])
    #expect(bench.engine.stableCount == 3)
    #expect(bench.engine.scaleMemory.stable(after: 1)?.netGrams == 64.1)
    #expect(bench.engine.scaleMemory.stable(after: 3) == nil)
  }

  @Test func `a hundred stable readings are stored`() throws {
    var bench = try Bench()
    for index in 0..<120 { bench.lay(Double(10 + 3 * index), at: Int64(3 * index)) }
    let history = bench.engine.scaleMemory.history
    #expect(history.count == 100)
    #expect(history.first?.netGrams == 70)
    #expect(history.last?.netGrams == 367)
    #expect(bench.engine.scaleMemory.stable(after: 0)?.netGrams == 70)
  }

  @Test func `there is no stable reading of a load that counts as zero`() throws {
    var bench = try Bench()
    #expect(bench.engine.scale.status == .stableZero)
    #expect(bench.engine.stableReading == nil)
    bench.lay(0.8, at: 0)
    #expect(bench.engine.scale.status == .stableZero)
    #expect(bench.engine.stableCount == 0)
    bench.lay(62, at: 3)
    #expect(bench.engine.stableReading?.netGrams == 62)
    bench.lay(nil, at: 6)
    #expect(bench.engine.stableReading == nil)
  }

  @Test func `a tared load is a stable reading, but is not stored`() throws {
    var bench = try Bench()
    bench.lay(62, at: 0)
    try bench.request(.tare, at: 3)
    #expect(bench.engine.scale.status == .stableZero)
    #expect(bench.engine.stableReading?.netGrams == 0)
    #expect(bench.engine.stableCount == 1)
    bench.lay(nil, at: 4)
    #expect(bench.engine.stableReading == nil)
  }

  /// The emitted readings of a load on a trembling table.
  private func trembling(from start: Int64) throws -> [String] {
    var bench = try Bench()
    var random = TinyRandom(seed: 3)
    for number in 0..<2400 {
      let spike = random.below(250) == 0 ? 40 : 0
      let raw = 620 + random.below(29 + spike) - 14
      bench.engine.receive(
        frame: [(.trackingID, 7), (.pressure, Int32(raw))], at: start + Int64(number) * 4167,
        into: &bench.buffer)
    }
    return bench.buffer.events.compactMap { event in
      guard case .scale(let reading, _) = event.kind else { return nil }
      let grams = reading.rounded.netGrams ?? 0
      return "\(event.time.microseconds - start) \(reading.status) \(grams)"
    }
  }

  @Test(arguments: [10_000, 61_234, 123_456, 86_400_000_000] as [Int64])
  func `rest does not depend on the time of day`(start: Int64) throws {
    let readings = try trembling(from: start)
    #expect(try readings == trembling(from: 0))
    #expect(readings.contains { $0.contains("stable") })
    #expect(readings.contains { $0.contains("inMotion") })
  }

  @Test func `zero has hysteresis`() throws {
    var bench = try Bench()
    for (grams, status) in [
      (1.1, WeighingStatus.stable), (0.8, .stable), (0.5, .stableZero), (0.9, .stableZero),
      (1.1, .stable),
    ] {
      bench.lay(grams, at: (bench.engine.time?.microseconds ?? 0) / 1_000_000 + 1)
      #expect(bench.engine.scale.status == status, "at \(grams) g")
    }
  }

  @Test func `while a reading is held, others are still stored`() throws {
    var bench = try Bench()
    bench.lay(62, at: 0)
    try bench.request(.hold, at: 3)
    bench.lay(80, at: 4)
    #expect(bench.engine.scale.netGrams == 62)
    #expect(bench.engine.stableReading == bench.engine.scale)
    #expect(bench.engine.scaleMemory.history.map(\.netGrams) == [62, 80])
    #expect(bench.stableReadings == [62], "readings during a hold are not emitted")
  }

  @Test func `a repeated hold request does not extend the hold`() throws {
    var bench = try Bench()
    bench.lay(62, at: 0)
    try bench.request(.hold, at: 3)
    for seconds in stride(from: 100 as Int64, through: 600, by: 100) {
      try bench.request(.hold, at: seconds)
      #expect(bench.engine.scale.isHeld)
    }
    bench.engine.advance(to: Timestamp(microseconds: 603_000_000), into: &bench.buffer)
    #expect(!bench.engine.scale.isHeld)
    try bench.request(.hold, at: 604)
    #expect(bench.engine.scale.isHeld)
  }

  @Test func `equal pieces are counted by a sample`() throws {
    var bench = try Bench()
    #expect(throws: ScaleError.nothingToCount) { try bench.request(.sample(pieces: 10), at: 0) }
    #expect(bench.engine.pieces == nil)
    bench.lay(23, at: 1)
    try bench.request(.sample(pieces: 10), at: 4)
    #expect(bench.engine.pieces == 10)
    bench.lay(57.4, at: 5)
    #expect(bench.engine.pieces == 25)
    bench.lay(nil, at: 8)
    #expect(bench.engine.pieces == 0)
  }

  @Test func `a load in motion or over the maximum is rejected as a sample`() throws {
    var bench = try Bench()
    bench.lay(100, at: 0)
    bench.lay(600, at: 3)
    #expect(throws: ScaleError.overWeight) { try bench.request(.sample(pieces: 3), at: 6) }
    #expect(throws: ScaleError.overWeight) { try bench.request(.tare, at: 6) }
    #expect(throws: ScaleError.overWeight) { try bench.request(.zero, at: 6) }
  }

  @Test func `a device without pressure rejects requests that need grams`() throws {
    var bench = try Bench("slots=2 x=0..9 y=0..9")
    #expect(bench.engine.scale.status == .fault)
    #expect(bench.engine.scale.netGrams == nil)
    let target = ScaleTarget(grams: 100, tolerance: 1)
    for request in [ScaleRequest.tare, .zero, .sample(pieces: 1), .hold, .aim(target)] {
      #expect(throws: ScaleError.cannotWeigh) { try bench.request(request, at: 0) }
    }
    for request in [ScaleRequest.clearTare, .release, .aim(nil)] {
      try bench.request(request, at: 1)
    }
    #expect(bench.engine.scale.target == nil)
  }

  @Test func `the status of a device that cannot weigh is emitted once, with its first frame`()
    throws
  {
    var bench = try Bench("slots=2 x=0..9 y=0..9")
    bench.lay(0, at: 0)
    bench.lay(nil, at: 3)
    let statuses = bench.buffer.events.compactMap { event in
      if case .scale(let reading, _) = event.kind { reading.status } else { nil }
    }
    #expect(statuses == [.fault])
    #expect(bench.engine.scaleSettledAt == Timestamp(microseconds: .min))
  }

  @Test func `readings are settled one filter length after the first frame`() throws {
    var bench = try Bench()
    #expect(bench.engine.scaleSettledAt == nil)
    bench.lay(nil, at: 0)
    #expect(bench.engine.scaleSettledAt == Timestamp(microseconds: 100_000))
    var late = try Bench()
    for (time, raw) in [(0, 100), (60_000, 900), (150_000, 100)] as [(Int64, Int32)] {
      late.engine.receive(
        frame: [(.trackingID, 7), (.pressure, raw)], at: time, into: &late.buffer)
    }
    #expect(
      late.engine.scaleSettledAt == Timestamp(microseconds: 200_000), "it is not extended further")
  }

  @Test func `the stored state of a scale is restored`() throws {
    var bench = try Bench()
    bench.lay(100, at: 0)
    try bench.request(.tare, at: 3)
    try bench.request(.aim(ScaleTarget(grams: 50, tolerance: 2)), at: 3)
    bench.lay(149, at: 4)
    var again = try Bench(memory: bench.engine.scaleMemory)
    #expect(again.engine.scale.status == .underZero, "the tare is in force, and nothing lies there")
    again.lay(151, at: 100)
    #expect(again.engine.scale.netGrams == 51)
    #expect(again.engine.scale.isWithinTarget == true)
    #expect(again.engine.scaleMemory.history.count == 3)
  }

  @Test func `a hold outlives the device, and not its time`() throws {
    var bench = try Bench()
    bench.lay(62, at: 0)
    try bench.request(.hold, at: 3)
    var memory = bench.engine.scaleMemory
    memory.releaseHold(at: Timestamp(microseconds: 602_000_000))
    var again = try Bench(memory: memory)
    again.lay(151, at: 10)
    #expect(again.engine.scale.isHeld && again.engine.scale.netGrams == 62)
    #expect(again.stableReadings == [], "readings during a hold are not emitted")
    again.engine.advance(to: Timestamp(microseconds: 604_000_000), into: &again.buffer)
    #expect(!again.engine.scale.isHeld && again.engine.scale.netGrams == 151)
    memory.releaseHold(at: Timestamp(microseconds: 603_000_000))
    #expect(try !Bench(memory: memory).engine.scale.isHeld)
  }

  /// A calibration with twice the kernel's grams.
  private func doubled() throws -> CalibrationFit {
    let points = [(0.0, 0.0), (200, 1000), (400, 2000)].map {
      CalibrationPoint(grams: $0.0, raw: $0.1, spread: 0, count: 1, greatest: Int32($0.1))
    }
    return try CalibrationFit(points, axis: Axis(minimum: 0, maximum: 6000, resolution: 10))
  }

  /// A scale with a value in each property that is in grams.
  private func used(_ words: String) throws -> Bench {
    var bench = try Bench(words)
    try bench.request(.aim(ScaleTarget(grams: 50, tolerance: 2)), at: 0)
    bench.lay(2, at: 0)
    try bench.request(.zero, at: 3)
    bench.lay(50, at: 4)
    try bench.request(.sample(pieces: 12), at: 7)
    try bench.request(.tare, at: 7)
    try bench.request(.hold, at: 7)
    bench.lay(nil, at: 8)
    return bench
  }

  private func expectForgotten(_ engine: Engine) {
    #expect(engine.scale.tareGrams == 0)
    #expect(engine.scale.grossGrams == 0)
    #expect(!engine.scale.isHeld)
    #expect(engine.pieces == nil)
    #expect(engine.scaleMemory.zeroGrams == 0)
    #expect(engine.scaleMemory.history.isEmpty)
    #expect(engine.scale.target?.grams == 50, "the target is independent of the law")
  }

  @Test func `no value in old grams survives a calibration`() throws {
    var bench = try used("slots=2 x=0..9 y=0..9 pressure=0..6000@10")
    #expect(bench.engine.scale.isHeld)
    let count = bench.engine.stableCount
    bench.engine.calibrate(
      by: try doubled(), at: Timestamp(microseconds: 11_000_000), into: &bench.buffer)
    expectForgotten(bench.engine)
    #expect(
      bench.engine.stableCount == count,
      "the count stays, so that clients still wait for the next reading")
    let last = bench.buffer.events.last { event in
      if case .scale = event.kind { true } else { false }
    }
    #expect(last?.time == Timestamp(microseconds: 11_000_000), "the status is emitted at once")
    bench.lay(60, at: 12)
    #expect(bench.engine.scale.netGrams == 120)
  }

  @Test func `no value in old grams survives a calibration while the device is closed`() throws {
    let bench = try used("slots=2 x=0..9 y=0..9 pressure=0..6000@10")
    let description = bench.engine.surface.description
    let engine = Engine(
      surface: try Surface(description, calibration: try doubled()),
      scale: bench.engine.scaleMemory)
    expectForgotten(engine)
    let same = Engine(surface: bench.engine.surface, scale: bench.engine.scaleMemory)
    #expect(same.scale.tareGrams == 48)
  }

  @Test(arguments: ["effective_maximum", "full_scale"])
  func `settings change the grams of an estimate`(setting: String) throws {
    var bench = try used("slots=2 x=0..9 y=0..9 pressure=0..6000")
    var configuration = Configuration()
    var device = DeviceConfiguration(match: Glob("*"))
    if setting == "full_scale" { device.nominalFullScaleGrams = 770 }
    if setting == "effective_maximum" { device.effectiveMaximum = 3000 }
    configuration.devices = [device]
    bench.engine.configure(
      configuration, at: Timestamp(microseconds: 11_000_000), into: &bench.buffer)
    expectForgotten(bench.engine)
  }

  /// Two percent of the weight of 6000 units, and of 1000 units.
  @Test func `zero is limited by the current effective maximum`() throws {
    var bench = try Bench()
    var configuration = Configuration()
    var device = DeviceConfiguration(match: Glob("*"))
    device.effectiveMaximum = 1000
    configuration.devices = [device]
    bench.lay(9, at: 0)
    try bench.request(.zero, at: 3)
    bench.lay(nil, at: 4)
    try bench.request(.clearTare, at: 6)
    bench.engine.configure(
      configuration, at: Timestamp(microseconds: 7_000_000), into: &bench.buffer)
    bench.lay(9, at: 8)
    #expect(throws: ScaleError.farFromZero(grams: 9, limit: 2)) { try bench.request(.zero, at: 11) }
  }

  @Test func `scale settings take effect with the next touch`() throws {
    var bench = try Bench()
    bench.lay(62, at: 0)
    var configuration = Configuration()
    configuration.scale.windowMilliseconds = 5000
    bench.engine.configure(
      configuration, at: bench.engine.time ?? Timestamp(microseconds: 0), into: &bench.buffer)
    bench.lay(80, at: 4)
    #expect(bench.engine.scale.status == .stable)
    bench.lay(nil, at: 8)
    #expect(bench.engine.scale.status == .stableZero)
    bench.lay(62, at: 12)
    #expect(bench.engine.scale.status == .inMotion)
  }

  @Test func `the maximum timestamp does not trap`() throws {
    var bench = try Bench()
    for (code, value) in [(EventCode.trackingID, 7), (.pressure, 500), (.report, 0)] {
      let event = InputEvent(
        time: Timestamp(microseconds: .max), code: code, value: Int32(value))
      bench.engine.receive(event, into: &bench.buffer)
    }
    #expect(bench.engine.deadline == nil)
  }
}
