import Glibc
import PressureTestSupport
import Testing

@testable import PressureKit

struct ScaleErrorTests {
  private static let haptic =
    "slots=5 x=0..1000 y=0..1000 pressure=0..2000 single=0..2000 property=7 effects=79"
  private static let plain = "slots=5 x=0..1000 y=0..1000 pressure=0..2000 property=7"

  @Test func `a single saturated contact makes the sum too heavy, without an error`() throws {
    var bench = try ScaleBench(
      ScaleErrorTests.haptic, fit: points([50, 100, 200, 400], offset: 20, slope: 2))
    bench.lay([620, 620])
    bench.send([(.singlePressure, 1240)])
    bench.wait(2)
    #expect(bench.engine.scale.status == .stable)
    #expect(bench.engine.scale.errorGrams != nil)
    #expect(abs((bench.engine.scale.netGrams ?? 0) - 600) < 0.1)
    bench.press(2000, slot: 1)
    bench.wait(2)
    #expect(bench.engine.scale.status == .overWeight)
    #expect(bench.engine.scale.errorGrams == nil)
  }

  @Test func `contacts that carry the total are not added up, by a quirk`() throws {
    var description = try DeviceDescription(
      words: "slots=5 x=0..1000 y=0..1000 pressure=0..2000@1".split(separator: " "))
    var quirk = Quirk(title: "total")
    quirk.contactsCarryTotal = true
    description = description.corrected(by: [quirk])
    let surface = try Surface(description)
    #expect(!surface.isPerContact)
    var bench = try ScaleBench(ScaleErrorTests.plain)
    bench.engine = Engine(surface: surface)
    bench.lay([381, 381])
    bench.wait(2)
    #expect(bench.engine.scale.netGrams == 381)
    #expect(bench.engine.contacts.map { $0.weight?.grams } == [190.5, 190.5])
  }

  @Test func `a single difference refutes that contacts carry the total`() throws {
    var bench = try ScaleBench("slots=5 x=0..1000 y=0..1000 pressure=0..2000@1")
    bench.lay([300, 300])
    for raw in 301..<340 as Range<Int32> {
      bench.now += 10_000
      let other = raw == 303 ? raw + 1 : raw
      bench.send([(.slot, 0), (.pressure, raw), (.slot, 1), (.pressure, other)])
    }
    #expect(bench.engine.surface.isPerContact)
  }

  @Test func `the error of several contacts is combined from theirs`() throws {
    let known = points([10, 100, 200, 400], offset: 20, slope: 2, spread: 4, isAssumed: false)
    var bench = try ScaleBench(ScaleErrorTests.plain, fit: known)
    bench.lay([120, 120, 120, 120])
    bench.wait(2)
    let four = try #require(bench.engine.scale.errorGrams)
    #expect(bench.engine.scale.netGrams == 200)
    var other = try ScaleBench(ScaleErrorTests.plain, fit: known)
    other.lay([420])
    other.wait(2)
    let one = try #require(other.engine.scale.errorGrams)
    #expect(four > 1.2 * one)
  }

  @Test func `below the lightest weight of a silent pad nothing is claimed`() throws {
    let known = points([50, 100, 200, 400], offset: 20, slope: 2)
    var bench = try ScaleBench(ScaleErrorTests.plain, fit: known)
    #expect(bench.engine.scale.errorGrams != nil, "a bare pad reads zero")
    bench.lay([50, 50, 50, 50])
    bench.wait(2)
    #expect(bench.engine.scale.errorGrams == nil)
    let fit = try CalibrationFit(known, axis: Axis(minimum: 0, maximum: 2000))
    #expect(fit.error(atGrams: 30) == nil)
    #expect(fit.error(atGrams: 60) != nil)
    #expect(abs(fit.law.grams(raw: 220) - 100) < 0.01, "the line does not pass through the zero")
  }

  @Test func `two weights that contradict the assumed zero need a third`() {
    let known = points([50, 400], offset: 60, slope: 2)
    #expect(throws: CalibrationError.zeroContradicted(raw: 0)) {
      try CalibrationFit(known, axis: Axis(minimum: 0, maximum: 2000))
    }
  }

  @Test func `an error is never stated as zero and is rounded up`() throws {
    let known = points([50, 100, 200, 400], offset: 0, slope: 100, spread: 0, isAssumed: false)
    let description = "slots=5 x=0..1000 y=0..1000 pressure=0..65535 property=7"
    var bench = try ScaleBench(description, fit: known)
    #expect(try #require(bench.engine.scale.errorGrams) >= 0.05)
    #expect(bench.engine.scale.rounded.errorGrams == 0.1)
    bench.lay([10_000])
    bench.wait(2)
    #expect(try #require(bench.engine.scale.errorGrams) >= 0.05)
    #expect(ScaleReading.tenthsAbove(0.11) == 0.2)
    #expect(ScaleReading.tenthsAbove(0.3) == 0.3)
  }

  @Test func `two weights have one degree of freedom`() throws {
    // One unit off the line, of which noise explains little.
    let error = { (points: [CalibrationPoint]) throws -> Double in
      let fit = try CalibrationFit(
        points, axis: Axis(minimum: 0, maximum: 2000), scatter: RelativeUncertainty.none)
      #expect(fit.shape == .line)
      return try #require(fit.error(atGrams: 200))
    }
    func point(_ grams: Double, _ raw: Double) -> CalibrationPoint {
      CalibrationPoint(grams: grams, raw: raw, spread: 1, count: 100, greatest: Int32(raw))
    }
    let few = [point(0, 0), point(200, 400.7), point(400, 800)]
    let many = (0...16).map { (index: Int) -> CalibrationPoint in
      let noise = index % 2 == 0 ? 0.45 : -0.45
      return point(Double(index * 25), Double(index * 50) + noise)
    }
    #expect(StudentDistribution.factor(freedom: 1) == 12.706)
    #expect(try error(few) > 1.3 * error(many))
  }

  @Test func `a kernel's grams have the error of their rounded units`() throws {
    // 0.7 units per gram are stated as 1: 150 g give 105.
    var bench = try ScaleBench("slots=5 x=0..1000 y=0..1000 pressure=0..600@1")
    bench.lay([105])
    bench.wait(2)
    let reading = bench.engine.scale
    #expect(reading.netGrams == 105)
    #expect(try #require(reading.errorGrams) >= 45)
    let fine = Calibration.units(perGram: 100, areRounded: true).weight(raw: 10_000, ratio: 0)
    #expect(try #require(fine.error) < 7.5)
  }

  @Test func `what is assumed without weights agrees with the assumptions`() {
    let sum = [ErrorCause.place, .time, .unloading, .repetition, .temperature].reduce(0) {
      $0 + RelativeUncertainty.assumed[$1] * RelativeUncertainty.assumed[$1]
    }
    let factor = FittedLaw.coverageFactor
    #expect(abs(RelativeUncertainty.ofUncalibrated - factor * sum.squareRoot()) < 1e-4)
  }
}

struct EvidenceTests {
  private static let axis = Axis(minimum: 0, maximum: 2000)

  private func fit(_ more: [CalibrationPoint]) throws -> CalibrationFit {
    try CalibrationFit(
      points([50, 100, 200, 400], offset: 0, slope: 2, isAssumed: false) + more,
      axis: EvidenceTests.axis)
  }

  private func point(
    _ grams: Double, _ raw: Double, _ condition: CalibrationPoint.Condition
  ) -> CalibrationPoint {
    var point = CalibrationPoint(
      grams: grams, raw: raw, spread: 0.5, count: 100, greatest: Int32(raw))
    point.condition = condition
    return point
  }

  private func part(_ fit: CalibrationFit, _ cause: ErrorCause) throws -> Double {
    try #require(fit.budget.first { $0.cause == cause }).grams
  }

  @Test func `without evidence three percent are assumed`() throws {
    let fit = try fit([])
    let error = try #require(fit.error(atGrams: 400))
    #expect(error > 0.065 * 400 && error < 0.075 * 400)
    let squares = fit.budget.reduce(0) { $0 + $1.grams * $1.grams }
    #expect(abs(squares.squareRoot() - error) < 0.01, "the budget adds up")
    #expect(Set(fit.budget.map(\.cause)) == Set(ErrorCause.allCases))
  }

  @Test func `the error shrinks with each kind of evidence`() throws {
    var more: [CalibrationPoint] = []
    var last = try #require(try fit([]).error(atGrams: 400))
    for (condition, count) in [
      (CalibrationPoint.Condition.corner, 4), (.minute, 1), (.descending, 1), (.regular, 3),
    ] {
      more += Array(repeating: point(200, 400.2, condition), count: count)
      let error = try #require(try fit(more).error(atGrams: 400))
      #expect(error < last)
      last = error
    }
    #expect(last < 0.035 * 400)
  }

  @Test func `evidence of a bad corner widens the error`() throws {
    let before = try part(try fit([]), .place)
    let corners = [440.0, 360, 440, 360].map { point(200, $0, .corner) }
    #expect(try part(try fit(corners), .place) > 1.5 * before)
    let line = try fit(corners)
    #expect(abs(line.law.grams(raw: 400) - 200) < 0.01, "corners do not bend the law")
  }

  @Test func `the same weight may be measured again`() throws {
    let scattered = try fit([point(200, 392, .regular), point(200, 408, .regular)])
    let exact = try fit([point(200, 400, .regular), point(200, 400, .regular)])
    #expect(try part(scattered, .repetition) > part(exact, .repetition))
    #expect(scattered.points.count { $0.grams == 200 } == 3)
  }

  @Test func `the tolerance of the weights is part of the error`() throws {
    var known = points([50, 100, 200, 400], offset: 0, slope: 2, isAssumed: false)
    for index in known.indices { known[index].tolerance = 0.039 }
    let fit = try CalibrationFit(known, axis: EvidenceTests.axis)
    #expect(abs(try part(fit, .weights) - 0.039 * 400) < 0.001)
  }
}

struct UnloadingTests {
  private static let plain = "slots=5 x=0..1000 y=0..1000 pressure=0..2000 property=7"
  private static let known = points([50, 100, 200, 400], offset: 0, slope: 2, isAssumed: false)

  private func error(
    of raw: Int32, after heavier: Int32?, _ more: [CalibrationPoint] = []
  ) throws -> Double {
    var bench = try ScaleBench(UnloadingTests.plain, fit: UnloadingTests.known + more)
    bench.lay([heavier ?? raw])
    bench.wait(3)
    bench.press(raw)
    bench.wait(3)
    return try #require(bench.engine.scale.errorGrams)
  }

  @Test func `what remains of a heavier load has a greater error`() throws {
    let placed = try error(of: 200, after: nil)
    let slightlyLess = try error(of: 200, after: 220)
    let half = try error(of: 200, after: 400)
    let quarter = try error(of: 200, after: 800)
    // Pressing on a load while it is put down is part of its own error.
    #expect(placed == slightlyLess && slightlyLess < half && half < quarter)
    // 3 % of 400 g in place of 1.5 % of 100 g.
    let more = 2.2 * (12.0 * 12 - 1.5 * 1.5).squareRoot()
    #expect(abs((quarter * quarter - placed * placed).squareRoot() - more) < 0.6)
    #expect(try error(of: 400, after: 200) == (try error(of: 400, after: nil)))
  }

  @Test func `another load on the empty surface is not affected`() throws {
    var bench = try ScaleBench(UnloadingTests.plain, fit: UnloadingTests.known)
    bench.lay([800])
    bench.wait(3)
    bench.send([(.slot, 0), (.trackingID, -1)])
    bench.wait(3)
    bench.lay([200])
    bench.wait(3)
    #expect(bench.engine.scale.errorGrams == (try error(of: 200, after: nil)))
  }

  @Test func `a tare contains what the heavier load has left`() throws {
    var bench = try ScaleBench(UnloadingTests.plain, fit: UnloadingTests.known)
    bench.lay([800])
    bench.wait(3)
    bench.press(400)
    bench.wait(3)
    try bench.request(.tare)
    #expect(try #require(bench.engine.scale.errorGrams) < 5)
    bench.press(200)
    bench.wait(3)
    #expect(try #require(bench.engine.scale.errorGrams) > 5)
    // Without the tare, and without the load that was tared, it counts again.
    var other = bench
    try other.request(.clearTare)
    #expect(try #require(other.engine.scale.errorGrams) > 20)
    bench.send([(.slot, 0), (.trackingID, -1)])
    bench.wait(3)
    #expect(try #require(bench.engine.scale.errorGrams) > 20)
  }

  @Test func `a calibration that saw it replaces the assumption`() throws {
    func descending(_ raw: Double) -> [CalibrationPoint] {
      var point = CalibrationPoint(grams: 200, raw: raw, spread: 0.5, count: 100, greatest: 400)
      point.condition = .descending
      return [point]
    }
    let assumed = try error(of: 200, after: 800)
    #expect(try error(of: 200, after: 800, descending(400.5)) < assumed)
    #expect(try error(of: 200, after: 800, descending(440)) > assumed)
  }
}

struct RestTests {
  private static let known = points([50, 100, 200, 400], offset: 0, slope: 2, spread: 2)
  private static let device = "slots=5 x=0..1000 y=0..1000 pressure=0..2000 property=7"

  @Test(arguments: 1...20)
  func `noise of a gram rms does not prevent a reading`(seed: UInt64) throws {
    var random = TinyRandom(seed: seed)
    var bench = try ScaleBench(RestTests.device, fit: RestTests.known)
    bench.lay([400])
    bench.run(4) { _ in 400 + 2 * random.normal }
    let reading = try #require(bench.engine.stableReading)
    #expect(abs((reading.netGrams ?? 0) - 200) < 2)
  }

  @Test func `vibration of a few grams widens the error`() throws {
    let quiet = points([50, 100, 200, 400], offset: 0, slope: 2, spread: 0.3)
    var bench = try ScaleBench(RestTests.device, fit: quiet)
    bench.lay([400])
    bench.run(7) { 400 + 6 * sin($0 * 2 * .pi * 4) }
    let reading = try #require(bench.engine.stableReading)
    let byLaw = bench.engine.surface.calibration?.errorGrams(at: reading.netGrams ?? 0, since: 0)
    #expect(try #require(reading.errorGrams) > #require(byLaw))
    #expect(abs((reading.netGrams ?? 0) - 200) <= (reading.errorGrams ?? 0))
  }

  @Test func `a swing of many grams is motion, and the reason is given`() throws {
    var bench = try ScaleBench(RestTests.device, fit: RestTests.known)
    bench.lay([400])
    bench.run(4) { 400 + 60 * sin($0 * 2 * .pi * 4) }
    #expect(bench.engine.stableReading == nil)
    #expect(bench.engine.reasonForNoReading.contains("varied by 60 g"))
  }

  @Test func `units of more than two grams do not prevent a reading`() throws {
    var bench = try ScaleBench("slots=5 x=0..1000 y=0..1000 pressure=0..63")
    bench.lay([20])
    bench.run(4) { $0.truncatingRemainder(dividingBy: 0.3) < 0.1 ? 21 : 20 }
    #expect(bench.engine.stableReading != nil)
  }

  @Test func `a tare in motion has the error of the motion`() throws {
    var bench = try ScaleBench(RestTests.device, fit: RestTests.known)
    bench.lay([100])
    bench.run(1) { 100 + 200 * $0 }
    try bench.request(.tare)
    bench.wait(2)
    #expect(try #require(bench.engine.scale.errorGrams) >= 80)
    try bench.request(.tare)
    #expect(try #require(bench.engine.scale.errorGrams) < 10)
  }

  @Test func `a load that was there before the device was opened has not moved`() throws {
    var bench = try ScaleBench(RestTests.device, fit: RestTests.known)
    bench.lay([400])
    bench.wait(0.1)
    try bench.request(.tare)
    bench.wait(2)
    #expect(try #require(bench.engine.scale.errorGrams) < 10)
  }

  @Test func `a held reading has the target that is set, and its own pieces`() throws {
    var bench = try ScaleBench(RestTests.device, fit: RestTests.known)
    bench.lay([400])
    bench.wait(2)
    try bench.request(.sample(pieces: 10))
    try bench.request(.hold)
    try bench.request(.aim(ScaleTarget(grams: 200, tolerance: 5)))
    #expect(bench.engine.scale.isWithinTarget == true)
    bench.press(200)
    bench.wait(2)
    #expect(bench.engine.scale.target != nil)
    #expect(bench.engine.pieces == 10)
    #expect(abs((bench.engine.scale.netGrams ?? 0) - 200) < 0.1)
  }

  @Test func `pieces have an error that grows with their number`() throws {
    var bench = try ScaleBench(RestTests.device, fit: RestTests.known)
    bench.lay([200])
    bench.wait(2)
    try bench.request(.sample(pieces: 10))
    let few = try #require(bench.engine.piecesError)
    bench.press(800)
    bench.wait(2)
    let many = try #require(bench.engine.piecesError)
    #expect(bench.engine.pieces == 40)
    #expect(many > 2 * few)
  }
}
