import PressureTestSupport
import Testing

@testable import PressureKit

/// Whether a drift is reported before a reading exceeds its stated error.
struct DriftTests {
  private static let seeds = SimulatedSensor.seeds(200, few: 30)

  private static let fewSeeds = SimulatedSensor.seeds(60, few: 10)

  private struct Outcome {
    /// Whether the drift was reported.
    var isReported = false

    /// Whether a reading exceeded its stated error before the drift was reported.
    var exceededError = false

    /// Whether a reading ever exceeded the error stated by the calibration alone.
    var hasDrifted = false

    /// The number of readings, and of those that exceeded their stated error.
    var readings = 0
    var misses = 0
  }

  /// A simulated sensor and its scale.
  private struct Bench {
    var sensor: SimulatedSensor
    let fit: CalibrationFit
    var engine: Engine
    var buffer = EventBuffer()
    var time: Int64 = 0
    var outcome = Outcome()

    init(_ kind: SimulatedSensor.Kind, seed: UInt64, isPerContact: Bool) throws {
      sensor = SimulatedSensor(kind, seed: seed)
      // These sensors drift, and have no other error that a calibration does not show.
      fit = try sensor.calibrated(scatter: RelativeUncertainty.none)
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

    /// Keeps a load for a while; returns whether a drift was reported meanwhile.
    mutating func lie(
      _ grams: Double, _ code: EventCode, milliseconds: Int64, every step: Int64 = 40
    ) {
      for _ in 0..<(milliseconds / step) {
        time += step * 1000
        send(code, sensor.value(of: grams))
        send(.report, 0)
        collectStatus()
      }
    }

    mutating func collectStatus() {
      for event in buffer.events {
        guard case .scale(let reading, isNewStable: _) = event.kind,
          reading.status == .rezeroNeeded, reading.netGrams != nil, reading.errorGrams != nil
        else { continue }
        outcome.isReported = true
      }
      buffer.removeAll()
    }

    /// The error stated by the calibration alone.
    private var errorByLaw: Double? {
      let nothing = engine.scaleMemory.zeroGrams + engine.scale.tareGrams
      let net = engine.scale.netGrams ?? 0
      return Calibration.fitted(fit.law).errorGrams(at: nothing + net, since: nothing)
    }

    mutating func check(_ truth: Double) {
      guard let net = engine.scale.netGrams, let error = engine.scale.errorGrams else { return }
      outcome.readings += 1
      if let alone = errorByLaw, abs(net - truth) > alone { outcome.hasDrifted = true }
      guard abs(net - truth) > error else { return }
      outcome.exceededError = outcome.exceededError || !outcome.isReported
      outcome.misses += 1
    }
  }

  /// A pad with a shared sensor, used every three minutes for two hours.
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

  /// A tared pan on a pad that reports nothing when empty; a load is added every 15 seconds.
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

  /// The fraction of all readings that stay within their stated error, with or without a reported drift.
  private func coverage(_ outcomes: [Outcome]) -> Double {
    1 - Double(outcomes.reduce(0) { $0 + $1.misses })
      / Double(outcomes.reduce(0) { $0 + $1.readings })
  }

  @Test func `the drift of an empty surface is reported before a reading is wrong`() throws {
    let outcomes = try DriftTests.seeds.map { try weighNowAndThen(.drifting, seed: $0) }
    #expect(outcomes.count { !$0.exceededError } >= outcomes.count * 95 / 100)
    #expect(coverage(outcomes) >= 0.95, "the known drift is part of the stated error")
    #expect(
      outcomes.count(where: \.hasDrifted) > outcomes.count / 4,
      "the test needs drift to be meaningful")
  }

  @Test func `the drift of a tared pan is reported before a reading is wrong`() throws {
    let outcomes = try DriftTests.seeds.map { try weighInAPan(.drifting, seed: $0) }
    #expect(outcomes.count { !$0.exceededError } >= outcomes.count * 95 / 100)
    #expect(coverage(outcomes) >= 0.95, "the known drift is part of the stated error")
    #expect(
      outcomes.count(where: \.hasDrifted) > outcomes.count / 10,
      "the test needs drift to be meaningful")
  }

  @Test(arguments: [SimulatedSensor.Kind.linear, .noisy, .quantized])
  func `a sensor without drift does not need a new zero`(kind: SimulatedSensor.Kind) throws {
    let empty = try DriftTests.fewSeeds.map { try weighNowAndThen(kind, seed: $0) }
    #expect(empty.count { !$0.isReported } >= empty.count * 95 / 100)
    let tared = try DriftTests.fewSeeds.map { try weighInAPan(kind, seed: $0) }
    #expect(tared.count { !$0.isReported } >= tared.count * 95 / 100)
  }
}
