import Testing

@testable import PressureKit

struct FittedLawTests {
  private func fit(_ points: [(Double, Double)], spread: Double = 2) throws -> CalibrationFit {
    try CalibrationFit(
      points.map {
        CalibrationPoint(grams: $0, raw: $1, spread: spread, count: 50, greatest: Int32($1))
      }, axis: Axis(minimum: 0, maximum: 1000), scatter: RelativeUncertainty.none)
  }

  private func error(_ fit: CalibrationFit, _ raw: Double) throws -> Double {
    try #require(fit.law.error(raw: raw))
  }

  @Test func `the error grows beyond the heaviest weight`() throws {
    for fit in [
      try fit([(0, 0), (100, 200), (200, 400)]),
      try fit([(0, 0), (100, 300), (200, 500)]),
      try fit([(0, 0), (50, 180), (100, 300), (200, 500)]),
    ] {
      let last = fit.points.last?.raw ?? 0
      let errors = try stride(from: last, to: 999, by: 50).map { try error(fit, $0) }
      #expect(zip(errors, errors.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func `errors by weight and by raw value agree`() throws {
    for points in [[(0.0, 0.0), (100, 200), (200, 400)], [(0, 5), (50, 180), (200, 500)]] {
      let fit = try fit(points)
      for raw in stride(from: -20.0, to: 1000, by: 13) {
        let error = try error(fit, raw)
        let again = try #require(
          Calibration.fitted(fit.law).errorGrams(at: fit.law.grams(raw: raw), since: 0))
        #expect(abs(error - again) < 1e-6)
      }
    }
  }

  @Test func `noise widens the error`() throws {
    let points = [(0.0, 0.0), (100, 200), (200, 400)]
    let quiet = try error(try fit(points, spread: 1), 100)
    let loud = try error(try fit(points, spread: 10), 100)
    #expect(loud > 5 * quiet)
  }

  @Test func `the error of a noiseless sensor is its rounding`() throws {
    let fit = try fit([(0, 0), (100, 100), (200, 200), (300, 300)], spread: 0)
    let error = try error(fit, 150)
    #expect(error > 0.5)
    #expect(error < 1)
  }

  @Test func `the error of a nonlinear sensor is largest between two points`() throws {
    let fit = try fit([(0, 0), (100, 300), (200, 500), (300, 600)], spread: 0.5)
    #expect(fit.shape == .pieces)
    #expect(try error(fit, 400) > 2 * error(fit, 300))
    #expect(try error(fit, 400) > 2 * error(fit, 500))
  }

  @Test func `a saturated sensor states no error`() throws {
    let fit = try fit([(0, 0), (100, 200), (200, 400)])
    #expect(fit.law.error(raw: 999) != nil)
    #expect(fit.law.error(raw: 1000) == nil)
  }

  @Test func `values may leave the range`() throws {
    let law = try fit([(0, 0), (100, 300), (200, 500)]).law
    for raw in [Int32.min, -1, 0, .max] {
      #expect(law.weight(raw: raw).grams.isFinite)
      #expect(law.weight(raw: raw).error?.isFinite != false)
    }
  }

  @Test func `errors of contacts add up and those of two times add in quadrature`() throws {
    let law = Calibration.fitted(try fit([(0, 0), (100, 200), (200, 400)]).law)
    let weight = law.weight(raw: 200, ratio: 0)
    let error = try #require(weight.error)
    #expect((weight + weight).error == 2 * error)
    #expect((weight + weight).shared(among: 2) == weight)
    #expect(weight.shared(among: 0) == weight)
    let tared = law.errorGrams(at: weight.grams, since: weight.grams)
    #expect(abs(try #require(tared) - (2 * error * error).squareRoot()) < 1e-9)
    #expect((weight + Calibration.nominal(fullScaleGrams: 385).zeroWeight).error == nil)
  }
}
