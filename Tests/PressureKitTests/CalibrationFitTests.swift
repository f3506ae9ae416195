import PressureTestSupport
import Testing

@testable import PressureKit

struct CalibrationFitTests {
  private let axis = Axis(minimum: 0, maximum: 1000)

  /// A point of a sensor without noise.
  private func point(_ grams: Double, _ raw: Double, spread: Double = 0) -> CalibrationPoint {
    CalibrationPoint(grams: grams, raw: raw, spread: spread, count: 50, greatest: Int32(raw))
  }

  private func error(_ points: [CalibrationPoint]) -> CalibrationError? {
    do throws(CalibrationError) {
      _ = try CalibrationFit(points, axis: axis)
      return nil
    } catch {
      return error
    }
  }

  @Test func `segments lead from point to point`() throws {
    let fit = try CalibrationFit(
      [point(200, 500), point(0, 0), point(100, 300), point(300, 600)], axis: axis)
    #expect(fit.points.map(\.grams) == [0, 100, 200, 300])
    for known in fit.points { #expect(abs(fit.grams(raw: known.raw) - known.grams) < 1e-9) }
    #expect(fit.grams(raw: 150) == 50)
    #expect(fit.grams(raw: 400) == 150)
    #expect(abs(fit.grams(raw: 700) - 400) < 1e-9)
    #expect(fit.grams(raw: -30) == -10)
    // The distance of a point from the line between its neighbors: 20 g and 33 g.
    #expect(fit.pointResiduals.map { $0.residual.rounded() } == [20, 33])
    #expect(fit.worstResidualAt == 200)
    #expect(fit.rootMeanSquare > 20 && fit.rSquared < 1)
  }

  @Test func `an assumed zero is where the first weights' line leads`() throws {
    for (offset, expected) in [(20.0, 20.0), (-30, -30)] {
      var zero = point(0, 0)
      zero.isAssumed = true
      let fit = try CalibrationFit(
        [zero] + [50, 100, 400].map { point($0, offset + 2 * $0) }, axis: axis)
      #expect(abs(fit.breakpoints[0].raw - expected) < 1e-9)
      #expect(abs(fit.grams(raw: offset + 40) - 20) < 1e-9)
      #expect(fit.grams(raw: -100) == 0, "a silent surface weighs nothing")
    }
  }

  @Test func `the mean of a repeated weight counts`() throws {
    let fit = try CalibrationFit(
      [point(0, 0), point(100, 190), point(100, 210), point(200, 400)], axis: axis)
    #expect(fit.grams(raw: 200) == 100)
  }

  @Test func `all segments must rise`() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = TinyRandom(seed: seed)
      let points = (0..<3 + random.below(5)).map { step in
        point(Double(step * 50), Double(random.below(900)), spread: random.between(0, 4))
      }
      guard let fit = try? CalibrationFit(points, axis: axis) else { continue }
      var last = -Double.infinity
      for raw in stride(from: 0.0, through: 1000, by: 5) {
        let grams = fit.grams(raw: raw)
        #expect(grams > last)
        last = grams
      }
    }
  }

  @Test func `zero and two weights are the minimum`() {
    #expect(error([]) == .tooFew(weights: 0))
    #expect(error([point(0, 0), point(50, 50)]) == .tooFew(weights: 1))
    #expect(error([point(10, 10), point(50, 50), point(60, 60)]) == .noZero)
    let many = (0...CalibrationFit.maximumPoints).map { point(Double($0), Double($0 * 20)) }
    #expect(error(many) == .tooMany(limit: CalibrationFit.maximumPoints))
    // A weight that is repeated counts as one.
    #expect(error([point(0, 0), point(50, 50), point(50, 52)]) == .tooFew(weights: 1))
    #expect(error([point(0, 0), point(50, 50), point(50, 51), point(70, 70)]) == nil)
  }

  @Test func `a saturated sensor is rejected, and one whose heaviest values do not vary`() {
    var last = point(200, 990, spread: 8)
    last.greatest = 1000
    #expect(error([point(0, 0), point(100, 500), last]) == .saturated(grams: 200))
    let weights = [point(0, 0), point(100, 300, spread: 0.4), point(200, 500)]
    #expect(error(weights) == .saturated(grams: 200))
    #expect(error([point(0, 0), point(100, 300), point(200, 500)]) == nil)
  }

  @Test func `points that hardly change or do not rise are rejected`() {
    #expect(
      error([point(0, 5), point(10, 9), point(20, 14.5)]) == .littleChange(percent: 0.95))
    #expect(error([point(0, 5), point(10, 10), point(20, 15)]) == nil)
    #expect(
      error([point(0, 500), point(10, 400), point(20, 300)]) == .notRising(from: 0, to: 20))
    #expect(error([point(0, 5), point(10, 5), point(20, 5)]) == .notRising(from: 0, to: 20))
    #expect(
      error([point(0, 0), point(10, 200), point(20, 190)]) == .notRising(from: 10, to: 20))
  }

  @Test(arguments: [-1, .nan, .infinity] as [Double])
  func `values that cannot be measured are rejected`(grams: Double) {
    let points = [point(0, 0), point(10, 10), point(20, 20)]
    guard case .unusable = error(points + [point(grams, 30)]) else {
      Issue.record("\(grams) g was accepted")
      return
    }
    #expect(
      error(points + [CalibrationPoint(grams: 30, raw: .nan, spread: 0, count: 1, greatest: 0)])
        == .unusable(grams: 30))
  }

  @Test func `every error has a message`() {
    let refusals: [CalibrationError] = [
      .tooFew(weights: 1), .tooMany(limit: 32), .noZero, .unusable(grams: -1),
      .saturated(grams: 385), .littleChange(percent: 0.4), .notRising(from: 5, to: 10),
    ]
    #expect(Set(refusals.map(\.description)).count == refusals.count)
    #expect(
      CalibrationError.saturated(grams: 385).description
        == "with 385 g the sensor is saturated; use a lighter weight")
  }
}
