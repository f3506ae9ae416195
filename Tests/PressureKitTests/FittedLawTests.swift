import Testing

@testable import PressureKit

struct FittedLawTests {
  private func fit(_ points: [(Double, Double)], spread: Double = 2) throws -> CalibrationFit {
    try CalibrationFit(
      points.map {
        CalibrationPoint(grams: $0, raw: $1, spread: spread, count: 50, greatest: Int32($1))
      }, axis: Axis(minimum: 0, maximum: 1000))
  }

  private func error(_ fit: CalibrationFit, _ grams: Double) throws -> Double {
    try #require(fit.error(atGrams: grams))
  }

  @Test func `nothing is known above 1.05 times the heaviest weight`() throws {
    let law = try fit([(0, 0), (100, 200), (200, 400)]).law
    #expect(law.weight(raw: 420).error != nil)
    #expect(law.weight(raw: 421).error == nil)
    #expect(law.isBeyondReach(raw: 421))
  }

  @Test func `below the lightest weight the error is that of the lightest`() throws {
    let fit = try fit([(0, 0), (50, 100), (200, 400)])
    #expect(try error(fit, 5) == error(fit, 50))
    #expect(try error(fit, 100) > error(fit, 50))
  }

  @Test func `noise widens the error`() throws {
    let points = [(0.0, 0.0), (100, 200), (200, 400)]
    let quiet = try error(try fit(points, spread: 1), 50)
    let loud = try error(try fit(points, spread: 10), 50)
    #expect(loud > 3 * quiet)
  }

  @Test func `a bend widens the error`() throws {
    let straight = try error(try fit([(0, 0), (100, 200), (200, 400)]), 150)
    let bent = try error(try fit([(0, 0), (100, 300), (200, 500)]), 150)
    #expect(bent > 2 * straight)
  }

  @Test func `place, time, age and a heavier load widen the error`() throws {
    let law = try fit([(0, 0), (100, 200), (200, 400)]).law
    let least = try #require(law.error(of: 100, in: LoadConditions()))
    for conditions in [
      LoadConditions(place: 1), LoadConditions(crept: 90), LoadConditions(heaviest: 200),
      LoadConditions(age: nil), LoadConditions(age: 86_400),
    ] {
      #expect(try #require(law.error(of: 100, in: conditions)) > 1.1 * least)
    }
    #expect(law.error(of: 100, in: LoadConditions(crept: 10, heaviest: 120, age: 60)) == least)
  }

  @Test func `a saturated sensor states no error`() throws {
    let law = try fit([(0, 0), (100, 400), (200, 980)]).law
    #expect(law.weight(raw: 999).error != nil)
    #expect(law.weight(raw: 1000).error == nil)
  }

  @Test func `values may leave the range`() throws {
    let law = try fit([(0, 0), (100, 300), (200, 500)]).law
    for raw in [Int32.min, -1, 0, .max] {
      #expect(law.weight(raw: raw).grams.isFinite)
      #expect(law.weight(raw: raw).error?.isFinite != false)
    }
  }

  @Test func `errors of contacts add up`() throws {
    let law = Calibration.fitted(try fit([(0, 0), (100, 200), (200, 400)]).law)
    let weight = law.weight(raw: 200, ratio: 0)
    let error = try #require(weight.error)
    #expect((weight + weight).error == 2 * error)
    #expect((weight + weight).shared(among: 2) == weight)
    #expect(weight.shared(among: 0) == weight)
    #expect((weight + Calibration.nominal(fullScaleGrams: 385).zeroWeight).error == nil)
  }
}
