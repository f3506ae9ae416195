import Testing

@testable import PressureKit

/// Whether it is said that a zero has moved before a reading is wrong by more than it says.
struct DriftTests {
  private static let seeds: Range<UInt64> = 0..<200

  private static let fewSeeds: Range<UInt64> = 0..<60

  /// What became of one sensor.
  private struct Outcome {
    /// What the zero was off by when that was said, as a part of the error that readings had then.
    var saidAt: Double?

    /// Whether a reading was wrong by more than it said, and before anything was said.
    var isCaughtOut = false

    /// Whether one was ever wrong by more than the calibration alone would have said.
    var hasDrifted = false

    /// How many readings were held against the truth, and how many were wrong by more than they said.
    var readings = 0
    var misses = 0
  }

  /// A sensor whose truth is known, and the scale over it.
  private struct Bench {
    var sensor: SimulatedSensor
    let fit: CalibrationFit
    var engine: Engine
    var buffer = EventBuffer()
    var time: Int64 = 0
    var outcome = Outcome()

    init(_ kind: SimulatedSensor.Kind, seed: UInt64, isPerContact: Bool) throws {
      sensor = SimulatedSensor(kind, seed: seed)
      fit = try sensor.calibrated()
      var description = try DeviceDescription(
        words: "slots=2 x=0..1000 y=0..1000 property=7".split(separator: " "))
      let code = isPerContact ? EventCode.pressure : .singlePressure
      description.axes[code.code] = sensor.axis
      engine = Engine(surface: try Surface(description, calibration: fit))
    }

    mutating func send(_ code: EventCode, _ value: Int32) {
      let time = Timestamp(microseconds: time)
      engine.receive(InputEvent(time: time, code: code, value: value), into: &buffer)
    }

    /// Lets something lie there for a while; gives whether it was said meanwhile that zero has moved.
    mutating func lie(
      _ grams: Double, _ code: EventCode, milliseconds: Int64, every step: Int64 = 40
    ) {
      for _ in 0..<(milliseconds / step) {
        time += step * 1000
        send(code, sensor.value(of: grams))
        send(.report, 0)
        hear()
      }
    }

    mutating func hear() {
      for event in buffer.events {
        guard case .scale(let reading, isNewStable: _) = event.kind,
          reading.status == .rezeroNeeded,
          outcome.saidAt == nil, let grams = reading.netGrams, let error = reading.errorGrams
        else { continue }
        outcome.saidAt = grams.magnitude / error
      }
      buffer.removeAll()
    }

    /// What the calibration alone says of the reading.
    private var errorByLaw: Double? {
      let nothing = engine.scaleMemory.zeroGrams + engine.scale.tareGrams
      let net = engine.scale.netGrams ?? 0
      return Calibration.fitted(fit.law).errorGrams(at: nothing + net, since: nothing)
    }

    /// Holds what is read against the truth.
    mutating func check(_ truth: Double) {
      guard let net = engine.scale.netGrams, let error = engine.scale.errorGrams else { return }
      outcome.readings += 1
      if let alone = errorByLaw, abs(net - truth) > alone { outcome.hasDrifted = true }
      guard abs(net - truth) > error else { return }
      outcome.isCaughtOut = outcome.isCaughtOut || outcome.saidAt == nil
      outcome.misses += 1
    }
  }

  /// A pad of one sensor, on which something is weighed every three minutes for two hours.
  private func weighNowAndThen(_ kind: SimulatedSensor.Kind, seed: UInt64) throws -> Outcome {
    var bench = try Bench(kind, seed: seed, isPerContact: false)
    for _ in 0..<40 {
      bench.time += 180_000_000
      bench.sensor.wait(minutes: 3)
      bench.lie(0, .singlePressure, milliseconds: 1400)
      bench.send(.trackingID, 7)
      let truth = bench.sensor.heaviest * bench.sensor.between(0.05, 1)
      bench.lie(truth, .singlePressure, milliseconds: 200)
      bench.check(truth)
      bench.send(.trackingID, -1)
    }
    return bench.outcome
  }

  /// A pan on a pad that is silent when bare: tared, and something put into it every quarter of a minute.
  private func weighInAPan(_ kind: SimulatedSensor.Kind, seed: UInt64) throws -> Outcome {
    var bench = try Bench(kind, seed: seed, isPerContact: true)
    let pan = bench.sensor.heaviest * 0.2
    bench.send(.trackingID, 7)
    bench.lie(pan, .pressure, milliseconds: 2000)
    try bench.engine.perform(
      .tare, at: Timestamp(microseconds: bench.time), into: &bench.buffer)
    for _ in 0..<16 {
      for _ in 0..<15 {
        bench.sensor.wait(minutes: 1.0 / 30)
        bench.lie(pan, .pressure, milliseconds: 1000, every: 125)
      }
      let truth = bench.sensor.heaviest * bench.sensor.between(0.05, 0.8)
      bench.lie(pan + truth, .pressure, milliseconds: 400)
      bench.check(truth)
      bench.lie(pan, .pressure, milliseconds: 200)
    }
    return bench.outcome
  }

  private func summary(_ outcomes: [Outcome]) -> String {
    let said = outcomes.compactMap(\.saidAt).sorted()
    return "\(outcomes.count) sensors: drift in \(outcomes.count(where: \.hasDrifted)), unsaid in "
      + "\(outcomes.count(where: \.isCaughtOut)); said of \(said.count), "
      + "at a median of \(said.isEmpty ? 0 : (said[said.count / 2] * 100).rounded() / 100) of the "
      + "error; \((coverage(outcomes) * 10_000).rounded() / 100) % of readings keep to what they say"
  }

  /// The part of all readings, said to be in need of a new zero or not, that are as wrong as they say.
  private func coverage(_ outcomes: [Outcome]) -> Double {
    1 - Double(outcomes.reduce(0) { $0 + $1.misses })
      / Double(outcomes.reduce(0) { $0 + $1.readings })
  }

  @Test func `a bare sensor's drift is said before a reading is wrong`() throws {
    let outcomes = try DriftTests.seeds.map { try weighNowAndThen(.drifting, seed: $0) }
    print("bare, drifting:", summary(outcomes))
    #expect(outcomes.count { !$0.isCaughtOut } >= outcomes.count * 95 / 100)
    #expect(coverage(outcomes) >= 0.95, "what is known of the drift is in the error")
    #expect(outcomes.count(where: \.hasDrifted) > outcomes.count / 4, "there is drift to say")
  }

  @Test func `a tared pan's drift is said before a reading is wrong`() throws {
    let outcomes = try DriftTests.seeds.map { try weighInAPan(.drifting, seed: $0) }
    print("tared, drifting:", summary(outcomes))
    #expect(outcomes.count { !$0.isCaughtOut } >= outcomes.count * 95 / 100)
    #expect(coverage(outcomes) >= 0.95, "what is known of the drift is in the error")
    #expect(outcomes.count(where: \.hasDrifted) > outcomes.count / 10, "there is drift to say")
  }

  @Test(arguments: [SimulatedSensor.Kind.linear, .noisy, .quantized])
  func `what does not drift need not be set to zero`(kind: SimulatedSensor.Kind) throws {
    let bare = try DriftTests.fewSeeds.map { try weighNowAndThen(kind, seed: $0) }
    print("bare, \(kind.rawValue):", summary(bare))
    #expect(bare.count { $0.saidAt == nil } >= bare.count * 95 / 100)
    let tared = try DriftTests.fewSeeds.map { try weighInAPan(kind, seed: $0) }
    print("tared, \(kind.rawValue):", summary(tared))
    #expect(tared.count { $0.saidAt == nil } >= tared.count * 95 / 100)
  }
}
