import Glibc
import PressureTestSupport
import Testing

@testable import PressureKit

struct ScaleErrorTests {
  private static let haptic =
    "slots=5 x=0..1000 y=0..1000 pressure=0..2000 single=0..2000 property=7 effects=79"

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
    var bench = try ScaleBench("slots=5 x=0..1000 y=0..1000 pressure=0..2000@1")
    var quirk = Quirk(title: "total")
    quirk.contactsCarryTotal = true
    let description = bench.engine.surface.description.corrected(by: [quirk])
    bench.engine = Engine(surface: try Surface(description))
    #expect(!bench.engine.surface.isPerContact)
    bench.lay([381, 381])
    bench.wait(2)
    #expect(bench.engine.scale.netGrams == 381)
    #expect(bench.engine.contacts.map { $0.weight?.grams } == [190.5, 190.5])
  }

  @Test func `the error of several contacts is combined from theirs`() throws {
    let known = points([10, 100, 200, 400], offset: 20, slope: 2, spread: 4, isAssumed: false)
    let bench = try ScaleBench(fit: known, resting: [120, 120, 120, 120])
    let four = try #require(bench.engine.scale.errorGrams)
    #expect(bench.engine.scale.netGrams == 200)
    let other = try ScaleBench(fit: known, resting: [420])
    let one = try #require(other.engine.scale.errorGrams)
    #expect(four > one)
  }

  @Test func `a bare pad and light feet have an error`() throws {
    let known = points([50, 100, 200, 400], offset: 20, slope: 2)
    var bench = try ScaleBench(fit: known)
    #expect(bench.engine.scale.errorGrams != nil, "a bare pad reads zero")
    bench.lay([40, 40, 40, 40])
    bench.wait(2)
    #expect(bench.engine.scale.errorGrams != nil, "four feet of 10 g each")
  }

  @Test func `nothing is known above 1.05 times the heaviest weight`() throws {
    let known = points([50, 100, 200, 400], offset: 20, slope: 2)
    var bench = try ScaleBench(fit: known, resting: [20 + 839])
    #expect(bench.engine.scale.status == .stable)
    bench.press(20 + 841)
    bench.wait(2)
    #expect(bench.engine.scale.status == .overWeight)
    #expect(bench.engine.scale.errorGrams == nil && bench.engine.scale.repeatGrams == nil)
  }

  @Test(arguments: [0.3, 0.6])
  func `a constant value beyond the heaviest weight that a hand never exceeded is too heavy`(
    spread: Double
  ) throws {
    let known = points([50, 100, 200, 400], offset: 20, slope: 2, spread: spread)
    // An amplifier clips at 830; a hand puts the load down within 0.3 s and presses on it.
    var bench = try ScaleBench(fit: known)
    bench.lay([100])
    bench.run(0.3) { min(830, 100 + 4000 * $0) }
    bench.run(2) { _ in 830 }
    #expect(bench.engine.scale.status == .overWeight)
    // A load of that weight, and one that is lighter than the heaviest weight.
    for (pressed, rests) in [(860.0, 830.0), (815, 815)] {
      var other = try ScaleBench(fit: known)
      other.lay([100])
      other.run(0.3) { min(pressed, 100 + 4000 * $0) }
      other.run(2) { _ in rests }
      #expect(other.engine.scale.status == .stable)
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

  @Test func `a kernel's grams have the error of their rounded units`() throws {
    // 0.7 units per gram are stated as 1: 150 g give 105.
    let bench = try ScaleBench("slots=5 x=0..1000 y=0..1000 pressure=0..600@1", resting: [105])
    let reading = bench.engine.scale
    #expect(reading.netGrams == 105)
    #expect(try #require(reading.errorGrams) >= 45)
    let fine = Calibration.units(perGram: 100, areRounded: true).weight(raw: 10_000, ratio: 0)
    #expect(try #require(fine.error) < 7.5)
  }
}

struct CheckTests {
  private static let known = points([50, 100, 200, 400], offset: 0, slope: 2, isAssumed: false)
    .map { (point: CalibrationPoint) in
      var exact = point
      exact.tolerance = 0.002
      return exact
    }

  private func fit(_ checks: [CalibrationCheck] = []) throws -> CalibrationFit {
    try CalibrationFit(CheckTests.known, axis: Axis(minimum: 0, maximum: 2000), checks: checks)
  }

  private func error(_ fit: CalibrationFit) throws -> Double {
    try #require(fit.error(atGrams: 200))
  }

  @Test func `checks that agree shrink the error and others widen it`() throws {
    // Two weights show nothing of the sensor.
    let two = CheckTests.known.filter { [0, 50, 400].contains($0.grams) }
    let unknown = try CalibrationFit(two, axis: Axis(minimum: 0, maximum: 2000))
    var fit = unknown
    var last = try error(fit)
    for _ in 0..<8 {
      fit = fit.adding(CalibrationCheck(grams: 200, shown: 200.1, tolerance: 0.001))
      let error = try error(fit)
      #expect(error <= last)
      last = error
    }
    #expect(try last < 0.6 * error(unknown))
    let wrong = CalibrationCheck(grams: 200, shown: 230, tolerance: 0.001)
    #expect(fit.isContradicted(by: wrong))
    #expect(try error(fit.adding(wrong)) > 2 * last)
    #expect(try error(try #require(fit.adding(wrong).withoutLastCheck)) == last)
    #expect(try self.fit().withoutLastCheck == nil)
  }

  @Test func `the oldest checks go`() throws {
    var fit = try fit()
    for index in 0..<CalibrationFit.maximumChecks + 3 {
      fit = fit.adding(CalibrationCheck(grams: 200 + Double(index), shown: 200))
    }
    #expect(fit.checks.count == CalibrationFit.maximumChecks)
    #expect(fit.checks.first?.grams == 203)
    #expect(fit.adding(CalibrationCheck(grams: 0, shown: 1)) == fit, "that is no weight")
  }

  @Test func `a known weight on the scale is a check, which can be taken back`() throws {
    var bench = try ScaleBench(fit: CheckTests.known)
    bench.engine.dateAtZero = 1000
    #expect(throws: ScaleError.nothingToCheck) { try bench.check(200) }
    bench.lay([404])
    #expect(throws: ScaleError.inMotion) { try bench.check(200) }
    bench.wait(2)
    #expect(throws: ScaleError.unusableWeight(grams: 0)) { try bench.check(0) }
    let before = bench.engine.scale.errorGrams
    let made = try bench.check(200)
    #expect(made.deviation == 2)
    #expect(made.date == 1003)
    #expect(bench.engine.surface.fit?.checks == [made])
    _ = try bench.check(200)
    _ = try bench.check(200)
    #expect(try #require(bench.engine.scale.errorGrams) < #require(before))
    for count in (0..<3).reversed() {
      #expect(bench.takeBackCheck()?.grams == 200)
      #expect(bench.engine.surface.fit?.checks.count == count)
    }
    #expect(bench.engine.scale.errorGrams == before)
    #expect(bench.takeBackCheck() == nil)
  }

  @Test func `a check keeps the tare, and an uncalibrated device has none`() throws {
    var bench = try ScaleBench(fit: CheckTests.known, resting: [100])
    try bench.request(.tare)
    bench.press(300)
    bench.wait(2)
    #expect(try bench.check(100).shown == 100)
    #expect(bench.engine.scale.tareGrams == 50)
    var other = try ScaleBench(resting: [100])
    #expect(throws: ScaleError.notCalibrated) { try other.check(100) }
  }

  @Test func `the area of a contact is an estimate until a check`() throws {
    let area = points([50, 100, 200, 400], offset: 0, slope: 2, isAssumed: false).map {
      var point = $0
      point.raw = (400 * $0.grams).squareRoot()
      return point
    }
    var bench = try ScaleBench(
      "slots=5 x=0..1000 y=0..1000 pressure=0..2000", fit: area, resting: [280])
    #expect(bench.engine.surface.isEstimate)
    // The law itself has one.
    #expect(bench.engine.surface.fit?.greatestError ?? 0 > 0)
    #expect(bench.engine.scale.status == .stable)
    #expect(bench.engine.scale.errorGrams == nil && bench.engine.scale.repeatGrams != nil)
    _ = try bench.check(200)
    #expect(bench.engine.scale.errorGrams != nil)
    let force = try ScaleBench(fit: area, resting: [280])
    #expect(force.engine.scale.errorGrams != nil)
  }
}

struct UnloadingTests {
  private static let known = points([50, 100, 200, 400], offset: 0, slope: 2, isAssumed: false)

  private func error(of raw: Int32, after heavier: Int32?) throws -> Double {
    var bench = try ScaleBench(fit: UnloadingTests.known)
    bench.lay([heavier ?? raw])
    bench.wait(1)
    bench.press(raw)
    bench.wait(1)
    return try #require(bench.engine.scale.errorGrams)
  }

  @Test func `what remains of a heavier load has a greater error`() throws {
    let placed = try error(of: 200, after: nil)
    let slightlyLess = try error(of: 200, after: 240)
    let half = try error(of: 200, after: 400)
    let quarter = try error(of: 200, after: 800)
    // That a hand presses on what it puts down counts as well.
    #expect(placed < slightlyLess && slightlyLess < half && half < quarter)
    #expect(abs(try error(of: 400, after: 200) - error(of: 400, after: nil)) < 0.5)
  }

  @Test func `another load on the empty surface is not affected`() throws {
    var bench = try ScaleBench(fit: UnloadingTests.known)
    bench.lay([800])
    bench.wait(3)
    bench.send([(.slot, 0), (.trackingID, -1)])
    bench.wait(3)
    // What creep has left of it recovers.
    bench.wait(120)
    bench.lay([200])
    bench.wait(2)
    let alone = try error(of: 200, after: nil)
    #expect(abs(try #require(bench.engine.scale.errorGrams) - alone) < 0.1)
  }

  @Test func `a tare contains what the heavier load has left`() throws {
    var bench = try ScaleBench(fit: UnloadingTests.known)
    bench.lay([800])
    bench.wait(3)
    bench.press(400)
    bench.wait(3)
    try bench.request(.tare)
    #expect(try #require(bench.engine.scale.errorGrams) < 5)
    bench.press(200)
    bench.wait(3)
    #expect(try #require(bench.engine.scale.errorGrams) > 5)
    // Without the tare it counts again.
    try bench.request(.clearTare)
    #expect(try #require(bench.engine.scale.errorGrams) > 20)
  }
}

struct RestTests {
  private static let known = points([50, 100, 200, 400], offset: 0, slope: 2, spread: 2)

  @Test(arguments: 1...20)
  func `noise of a gram rms does not prevent a reading`(seed: UInt64) throws {
    var random = TinyRandom(seed: seed)
    var bench = try ScaleBench(fit: RestTests.known)
    bench.lay([400])
    bench.run(4) { _ in 400 + 2 * random.normal }
    let reading = try #require(bench.engine.stableReading)
    #expect(abs((reading.netGrams ?? 0) - 200) < 2)
  }

  @Test func `what rests in the mean of a second is shown as that mean`() throws {
    let quiet = points([50, 100, 200, 400], offset: 0, slope: 2, spread: 0.3)
    var bench = try ScaleBench(fit: quiet)
    bench.lay([400])
    bench.run(7) { 400 + 6 * sin($0 * 2 * .pi * 4) }
    for step in 100..<120 {
      bench.run(0.07) { 400 + 6 * sin(($0 + Double(step) * 0.07) * 2 * .pi * 4) }
      let reading = bench.engine.scale
      #expect(reading.status == .stable)
      #expect(abs((reading.netGrams ?? 0) - 200) <= (reading.repeatGrams ?? 0))
    }
  }

  @Test func `a swing of many grams is motion, and the reason is given`() throws {
    var bench = try ScaleBench(fit: RestTests.known)
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
    var bench = try ScaleBench(fit: RestTests.known)
    bench.lay([100])
    bench.run(1) { 100 + 200 * $0 }
    try bench.request(.tare)
    bench.wait(2)
    #expect(try #require(bench.engine.scale.errorGrams) >= 80)
    try bench.request(.tare)
    #expect(try #require(bench.engine.scale.errorGrams) < 10)
  }

  @Test func `a load that was there before the device was opened has not moved`() throws {
    var bench = try ScaleBench(fit: RestTests.known)
    bench.lay([400])
    bench.wait(0.1)
    try bench.request(.tare)
    bench.wait(2)
    #expect(try #require(bench.engine.scale.errorGrams) < 10)
  }

  @Test func `a held reading has the target that is set, and its own pieces`() throws {
    var bench = try ScaleBench(fit: RestTests.known, resting: [400])
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
    var bench = try ScaleBench(fit: RestTests.known, resting: [200])
    try bench.request(.sample(pieces: 10))
    let few = try #require(bench.engine.piecesError)
    bench.press(800)
    bench.wait(2)
    let many = try #require(bench.engine.piecesError)
    #expect(bench.engine.pieces == 40)
    #expect(many > 2 * few)
  }
}

@Test(arguments: [Int64.min, .max], [Int64.min, .max])
func `no date of a calibration traps`(date: Int64, checked: Int64) throws {
  var bench = try ScaleBench()
  let check = CalibrationCheck(grams: 100, shown: 101, date: checked)
  let fit = try CalibrationFit(
    points([50, 100, 200], offset: 0, slope: 2), axis: Axis(minimum: 0, maximum: 2000),
    checks: [check], date: date)
  let words = ScaleBench.device.split(separator: " ")
  bench.engine = Engine(
    surface: try Surface(try DeviceDescription(words: words), calibration: fit))
  bench.engine.dateAtZero = 1000
  bench.lay([200])
  bench.wait(2)
  #expect(bench.engine.scale.status == .stable)
}
