import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureProtocol

struct CalibrationSessionTests {
  /// A pad, an engine that reads it, and a calibration of it.
  private struct Bench {
    var engine: Engine
    var session: CalibrationSession?
    var output = EventBuffer()
    var now = Timestamp(microseconds: 0)

    init(
      _ words: String = "slots=3 x=0..9 y=0..9 pressure=0..1000", begins: Bool = false
    ) throws {
      let description = try DeviceDescription(words: words.split(separator: " "))
      engine = Engine(surface: try Surface(description))
      if begins { try begin() }
    }

    mutating func begin() throws {
      session = try CalibrationSession(engine.surface, frame: engine.frame)
    }

    mutating func send(_ events: [(EventCode, Int32)], after milliseconds: Int64 = 0) {
      now.microseconds += milliseconds * 1000
      engine.receive(frame: events, at: now.microseconds, into: &output)
      session?.update(with: engine.frame)
    }

    mutating func lay(_ raw: Int32, slot: Int32 = 0) {
      send([(.slot, slot), (.trackingID, slot + 1), (.pressure, raw)])
    }

    mutating func press(_ raw: Int32, after milliseconds: Int64) {
      send([(.pressure, raw)], after: milliseconds)
    }

    mutating func lift() { send([(.trackingID, -1)]) }

    mutating func wait(_ milliseconds: Int64) { now.microseconds += milliseconds * 1000 }

    mutating func measure(_ grams: Double) throws {
      try session?.measure(grams, at: now)
    }

    mutating func point(_ grams: Double, _ raw: Int32) throws {
      lay(raw)
      wait(1000)
      try measure(grams)
      lift()
    }
  }

  @Test func `the zero of an empty surface is the mean before the first weight`() throws {
    var bench = try Bench("slots=3 x=0..9 y=0..9 single=0..1000 property=7")
    bench.send([(.singlePressure, 40)])
    try bench.begin()
    for index in 0..<20 { bench.send([(.singlePressure, index % 2 == 0 ? 42 : 46)], after: 100) }
    #expect(bench.session?.points.map(\.raw) == [40])
    bench.send([(.slot, 0), (.trackingID, 1), (.singlePressure, 140)], after: 100)
    #expect(bench.session?.points.map { $0.raw.rounded() } == [44])
    bench.wait(1000)
    try bench.measure(50)
    #expect(bench.session?.points.map { $0.raw.rounded() } == [44, 140])
  }

  @Test func `a zero of less than a second is a mean, too`() throws {
    var bench = try Bench("slots=3 x=0..9 y=0..9 single=0..1000 property=7")
    bench.send([(.singlePressure, 40)])
    try bench.begin()
    for index in 0..<6 { bench.send([(.singlePressure, index % 2 == 0 ? 44 : 40)], after: 50) }
    bench.send([(.slot, 0), (.trackingID, 1), (.singlePressure, 140)], after: 50)
    #expect(try #require(bench.session?.points.first).count == 7)
    #expect(try #require(bench.session?.points.first?.raw) > 41)
  }

  @Test func `a sensor that reports an empty surface has a zero of its own`() throws {
    var bench = try Bench("slots=3 x=0..9 y=0..9 single=0..1000 property=7")
    bench.send([(.singlePressure, 40)])
    try bench.begin()
    #expect(bench.session?.points.map(\.raw) == [40])
    #expect(throws: CalibrationError.tooShort) { try bench.measure(0) }
    bench.send([(.singlePressure, 42)], after: 500)
    bench.wait(500)
    try bench.measure(0)
    #expect(bench.session?.points.map(\.raw) == [41])
    #expect(throws: CalibrationError.empty) { try bench.measure(5) }
  }

  @Test func `values are weighted by their duration, as a device at rest sends nothing`() throws {
    var bench = try Bench(begins: true)
    bench.lay(100)
    bench.press(200, after: 500)
    bench.press(202, after: 750)
    bench.wait(250)
    try bench.measure(50)
    // In the last second the value was 200 for three quarters and 202 for one quarter.
    let point = try #require(bench.session?.points.last)
    #expect(point.raw == 200.5)
    #expect(abs(point.spread - 0.866) < 0.001)
    #expect(point.count == 2)
    #expect(point.greatest == 202)
  }

  @Test func `a weight must be at rest for a second`() throws {
    var bench = try Bench(begins: true)
    #expect(throws: CalibrationError.empty) { try bench.measure(50) }
    bench.lay(100)
    bench.wait(999)
    #expect(throws: CalibrationError.tooShort) { try bench.measure(50) }
    bench.wait(1)
    try bench.measure(50)
    bench.lift()
    #expect(throws: CalibrationError.empty) { try bench.measure(70) }
    bench.lay(150)
    #expect(throws: CalibrationError.tooShort) { try bench.measure(70) }
  }

  @Test func `a weight in motion is not measured`() throws {
    var bench = try Bench(begins: true)
    bench.lay(100)
    for _ in 0..<200 {
      bench.press(Int32(100 + bench.now.microseconds / 10_000), after: 10)
    }
    let error = #expect(throws: CalibrationError.self) { try bench.measure(50) }
    guard case .inMotion(let units) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(units > 60)
    bench.wait(1000)
    try bench.measure(50)
  }

  @Test func `a point that contradicts the others can be dropped`() throws {
    var bench = try Bench(begins: true)
    #expect(throws: CalibrationError.nothingToDrop) { try bench.session?.drop() }
    for (grams, raw) in [(20.0, 500), (50, 330), (100, 600)] as [(Double, Int32)] {
      try bench.point(grams, raw)
    }
    #expect(throws: CalibrationError.notRising(from: 20, to: 50)) { try bench.session?.fit() }
    #expect(throws: CalibrationError.nothingToDrop) {
      try bench.session?.drop(grams: 0)
    }
    try bench.session?.drop(grams: 20)
    #expect(bench.session?.points.map(\.grams) == [0, 50, 100])
    #expect(try bench.session?.fit() != nil)
    try bench.session?.drop()
    #expect(bench.session?.points.map(\.grams) == [0, 50])
  }

  @Test func `a weight that is put there again checks the points`() throws {
    var bench = try Bench(begins: true)
    bench.lay(200)
    bench.wait(1000)
    #expect(throws: CalibrationError.tooFew(weights: 0)) {
      try bench.session?.check(100, at: bench.now)
    }
    bench.lift()
    try bench.point(100, 200)
    try bench.point(200, 400)
    bench.send([(.slot, 0), (.trackingID, 1), (.positionX, 9), (.positionY, 0), (.pressure, 220)])
    bench.wait(4000)
    let check = try #require(try bench.session?.check(100, date: 9, at: bench.now))
    #expect(check.deviation == 10)
    #expect(check.place == 1)
    #expect(check.seconds == 4)
    #expect(check.heaviest == 110)
    _ = try bench.session?.check(100, at: bench.now)
    #expect(bench.session?.points.count == 3)
    #expect(try bench.session?.fit(date: 8).checks.map(\.date) == [9, nil])
    try bench.session?.drop()
    #expect(try bench.session?.fit().checks == [check])
  }

  @Test func `a known weight must make a single contact`() throws {
    var bench = try Bench(begins: true)
    bench.lay(100)
    bench.lay(100, slot: 1)
    bench.wait(2000)
    #expect(throws: CalibrationError.several(contacts: 2)) { try bench.measure(50) }
  }

  @Test func `on a shared sensor a weight may make several contacts`() throws {
    var bench = try Bench("slots=3 x=0..9 y=0..9 single=0..1000")
    try bench.begin()
    bench.send([(.slot, 0), (.trackingID, 1), (.slot, 1), (.trackingID, 2), (.singlePressure, 300)])
    bench.wait(1000)
    try bench.measure(50)
    #expect(bench.session?.points.last?.raw == 300)
  }

  @Test func `a pan on the surface is measured as the zero`() throws {
    var bench = try Bench()
    bench.lay(40)
    try bench.begin()
    #expect(bench.session?.points == [])
    bench.wait(1000)
    try bench.measure(0)
    bench.press(140, after: 10)
    bench.wait(1000)
    try bench.measure(50)
    bench.press(240, after: 10)
    bench.wait(1000)
    try bench.measure(100)
    let fit = try #require(try bench.session?.fit())
    #expect(fit.grams(raw: 40) == 0)
    #expect(fit.grams(raw: 90) == 25)
    // A new zero replaces the old one.
    bench.press(45, after: 10)
    bench.wait(1000)
    try bench.measure(0)
    #expect(bench.session?.points.map(\.raw) == [140, 240, 45])
  }

  @Test func `an invalid point is rejected at once and the others stay`() throws {
    var bench = try Bench(begins: true)
    try bench.point(100, 200)
    #expect(throws: CalibrationError.saturated(grams: 900)) {
      try bench.point(900, 1000)
    }
    #expect(bench.session?.points.count == 2)
  }

  @Test(arguments: [
    "slots=3 x=0..9 y=0..9", "slots=3 x=0..9 y=0..9 pressure=0..0",
  ])
  func `a device without pressure cannot be calibrated`(words: String) throws {
    var bench = try Bench(words)
    #expect(throws: CalibrationError.noPressure) { try bench.begin() }
  }

  @Test func `a device that never stops sending uses bounded memory`() throws {
    var bench = try Bench(begins: true)
    bench.lay(100)
    for step in 0..<20_000 as Range<Int32> {
      bench.now.microseconds += 500
      bench.send([(.pressure, 100 + step % 2)])
    }
    try bench.measure(50)
    let point = try #require(bench.session?.points.last)
    #expect(abs(point.raw - 100.5) < 0.01)
    #expect(point.count <= 2002)
  }

  // MARK: - Activation

  private var fit: CalibrationFit {
    get throws {
      try CalibrationFit(
        [(0.0, 0.0), (100, 200), (200, 400)].map {
          CalibrationPoint(grams: $0, raw: $1, spread: 0, count: 1, greatest: Int32($1))
        }, axis: Axis(minimum: 0, maximum: 1000))
    }
  }

  @Test func `a calibration takes effect with the next touch`() throws {
    var bench = try Bench()
    bench.lay(500)
    bench.output.removeAll()
    bench.engine.calibrate(by: try fit, at: bench.now, into: &bench.output)
    #expect(bench.output.isEmpty)
    bench.press(400, after: 10)
    #expect(bench.engine.contacts.first?.weight?.grams == 0.4 * 385)
    bench.output.removeAll()
    bench.lift()
    #expect(bench.output.events.suffix(2).map(\.name) == [.device, .scale])
    #expect(bench.engine.surface.weightSource == .calibrated)
    bench.lay(400)
    #expect(bench.engine.contacts.first?.weight?.grams == 200)
    #expect(bench.engine.frame.total?.error ?? 99 < 30)
  }

  @Test func `a calibration takes effect at once on an empty surface`() throws {
    var bench = try Bench()
    bench.engine.calibrate(by: try fit, at: Timestamp(microseconds: 7), into: &bench.output)
    #expect(bench.output.events.map(\.name) == [.device, .scale])
    #expect(bench.output.events.first?.time.microseconds == 7)
    #expect(bench.engine.surface.fit == (try fit))
  }

  @Test func `a hovering contact has no weight by any law`() throws {
    var bench = try Bench("slots=3 x=0..9 y=0..9 pressure=0..1000 distance=0..9")
    let points = [(0.0, 50.0), (100, 200), (200, 350)].map {
      CalibrationPoint(grams: $0, raw: $1, spread: 0, count: 1, greatest: Int32($1))
    }
    let fit = try CalibrationFit(points, axis: Axis(minimum: 0, maximum: 1000))
    bench.engine.calibrate(by: fit, at: bench.now, into: &bench.output)
    bench.send([(.trackingID, 1), (.pressure, 30), (.distance, 5)])
    #expect(bench.engine.frame.total?.grams == 0)
  }
}
