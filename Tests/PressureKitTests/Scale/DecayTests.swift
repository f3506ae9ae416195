import Glibc
import PressureTestSupport
import Testing

@testable import PressureKit

struct DecayTests {
  fileprivate static let known = points([50, 100, 200, 400], offset: 0, slope: 2)

  /// A calibrated pad on which a load was put down now.
  private func bench(maximum: Int = 2000, load: Int32 = 400) throws -> ScaleBench {
    let device = "slots=5 x=0..1000 y=0..1000 pressure=0..\(maximum) property=7"
    let fine = points([50, 100, 200, 400], offset: 0, slope: 20)
    var bench = try ScaleBench(device, fit: [2000: DecayTests.known, 20_000: fine][maximum])
    bench.lay([load])
    return bench
  }

  @Test(arguments: [5.0, 20, 60, 180], [63, 253, 2000, 20_000])
  func `a decay is recognized before half is gone`(constant: Double, maximum: Int) throws {
    let full = Double(maximum) * 0.3
    var bench = try bench(maximum: maximum, load: Int32(full))
    var flaggedAt: Double?
    for step in 0..<Int(constant * 1.5) * 4 {
      let start = Double(step) / 4
      bench.run(0.25) { full * exp(-(start + $0) / constant) }
      if flaggedAt == nil, bench.engine.scale.isDecaying { flaggedAt = start }
    }
    let at = try #require(flaggedAt)
    #expect(exp(-at / constant) > 0.45)
    #expect(bench.engine.scale.errorGrams == nil)
    #expect(bench.engine.stableReading == nil)
  }

  /// Without a tremor in every status, and with that of a hand while it is at rest.
  @Test(arguments: [0.0, 8])
  func `before it is recognized the error covers the loss`(tremor: Double) throws {
    var bench = try bench()
    for step in 0..<(tremor == 0 ? 240 : 120) {
      let start = Double(step) / 4
      bench.run(0.25) { 400 * exp(-(start + $0) / 100) + tremor * sin(31.4 * (start + $0)) }
      let reading = bench.engine.scale
      guard tremor == 0 || reading.status == .stable, let error = reading.errorGrams,
        let net = reading.netGrams
      else { continue }
      #expect(200 - net <= error, "after \(start) s")
    }
  }

  @Test func `a decay that stops remains one until more weight comes`() throws {
    var bench = try bench()
    bench.run(60) { 400 * (0.5 + 0.5 * exp(-$0 / 20)) }
    #expect(bench.engine.scale.isDecaying)
    bench.wait(30)
    #expect(bench.engine.scale.isDecaying)
    #expect(bench.engine.stableReading == nil)
    bench.run(3) { _ in 420 }
    #expect(!bench.engine.scale.isDecaying)
    #expect(bench.engine.stableReading != nil)
  }

  @Test func `creep of five percent and rest are no decay`() throws {
    var bench = try bench()
    bench.run(120) { 400 * (0.95 + 0.05 * exp(-$0 / 20)) }
    #expect(!bench.engine.scale.isDecaying)
    bench.wait(3600)
    #expect(!bench.engine.scale.isDecaying)
  }

  @Test func `a vessel that runs empty after a rest is no decay`() throws {
    var bench = try bench(load: 700)
    bench.run(40) { 700 - 10 * max(0, $0 - 4) }
    #expect(!bench.engine.scale.isDecaying)
  }

  @Test func `what runs out, is bitten off or rocks is no decay`() throws {
    let courses: [(Double) -> Double] = [
      { 400 - 8 * $0 }, { 400 - 60 * ($0 / 6).rounded(.down) },
      { 400 + 20 * sin($0 * 1.6) },
    ]
    for course in courses {
      var bench = try bench()
      bench.run(30) { course($0) }
      #expect(!bench.engine.scale.isDecaying)
      bench.run(3) { _ in course(30) }
      #expect(bench.engine.stableReading != nil)
    }
  }

  @Test(arguments: [0.0, 0.3]) func `a load that becomes nothing has decayed`(
    seconds: Double
  ) throws {
    var bench = try bench()
    bench.run(5) { _ in 400 }
    bench.run(6) {
      400 * max(0, 1 - $0 / max(seconds, 0.01))
        + ($0 * 50).rounded().truncatingRemainder(dividingBy: 2)
    }
    #expect(bench.engine.scale.isDecaying)
    #expect(bench.engine.scale.errorGrams == nil)
  }

  @Test func `a foot that was calibrated as zero does not decay`() throws {
    let onFoot = points([50, 100, 200, 400], offset: 40, slope: 2, isAssumed: false)
    var bench = try ScaleBench(fit: onFoot)
    bench.lay([40])
    bench.wait(3)
    bench.press(440)
    bench.wait(10)
    #expect(bench.engine.stableReading != nil)
    bench.press(40)
    bench.wait(10)
    #expect(!bench.engine.scale.isDecaying)
  }

  @Test func `a finger that trembles while it eases is no decay`() throws {
    var bench = try bench()
    // Four grams up and down, five times a second.
    bench.run(30) { (380 + 8 * sin(31.4 * $0)) * (0.3 + 0.7 * exp(-$0 / 15)) }
    #expect(!bench.engine.scale.isDecaying)
  }

  @Test func `things that are taken out one by one are no decay`() throws {
    var bench = try bench()
    // A hand presses on the bowl for a moment each time.
    bench.run(30) {
      let taken = ($0 / 1.5).rounded(.down)
      return 400 - 14 * taken + (taken > 0 && $0 - taken * 1.5 < 0.05 ? 40 : 0)
    }
    #expect(!bench.engine.scale.isDecaying)
  }
}

/// What the error contains of a load that falls smoothly after a rest.
struct DecayDetectorTests {
  /// The possible loss beside the true one, fifty times a second.
  private func losses(
    seconds: Double, _ reading: (Double) -> Double
  ) throws -> [(time: Double, possible: Double)] {
    let description = try DeviceDescription(words: ScaleBench.device.split(separator: " "))
    let fit = try CalibrationFit(DecayTests.known, axis: Axis(minimum: 0, maximum: 2000))
    let start = Timestamp(microseconds: .min)
    let law = try Surface(description, calibration: fit).calibration
    var signal = LoadSignal(ScaleConfiguration(), law, value: 0, at: start)
    var detector = DecayDetector(ScaleConfiguration(), signal.limits, nil)
    detector.restart(at: Timestamp(microseconds: 0))
    return stride(from: 0.0, through: seconds, by: 0.02).map { seconds in
      let time = Timestamp(microseconds: Int64(seconds * 1_000_000))
      signal.push(reading(seconds), at: time)
      signal.advance(to: time)
      detector.evaluate(signal, above: 0, isSilent: false, at: time)
      return (seconds, detector.possibleLoss(of: signal.filtered))
    }
  }

  @Test(arguments: [60.0, 180], [2.0, 5, 20, 60])
  func `a fade after a rest is in the error`(constant: Double, rest: Double) throws {
    let load = 300.0
    func reading(_ time: Double) -> Double {
      load * exp(-max(0, time - rest) / constant)
    }
    for (time, possible) in try losses(seconds: 200, reading) where reading(time) > 0.12 * load {
      // A quick calibration is good to 6.5 %.
      #expect(possible + 0.065 * load >= load - reading(time), "\(time) s")
    }
  }

  @Test func `a fade that stops stays in the error`() throws {
    let found = try losses(seconds: 150) { 300 - 100 * (1 - exp(-max(0, $0 - 10) / 20)) }
    #expect(abs(try #require(found.last).possible - 100) < 5)
  }

  @Test(arguments: [0.0, 0.25, 0.4]) func `what a hand takes away is no possible loss`(
    offset: Double
  ) throws {
    let found = try losses(seconds: 40) {
      300 - ($0 > 20 + offset ? 120 : 0) - 4 * (1 - exp(-$0 / 10))
    }
    #expect(try #require(found.last).possible < 6)
  }

  @Test func `more than half of a load at rest is a possible loss`() throws {
    let found = try losses(seconds: 40) { $0 > 20 ? 100 : 300 }
    #expect(try #require(found.last).possible > 190)
    let handled = try losses(seconds: 40) { $0 > 0.7 ? 100 : 300 }
    #expect(try #require(handled.last).possible < 6, "a hand presses on what it puts down")
  }

  @Test func `a load at rest has no possible loss`() throws {
    #expect(try losses(seconds: 120) { 300 + 0.3 * sin($0 * 7) }.allSatisfy { $0.possible < 1.5 })
  }
}
