import Testing

@testable import PressureKit

struct CalibrationErrorTests {
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
    let law = try fit([(0, 0), (100, 200), (200, 400)])
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
    let loud = try error(try fit(points, spread: 20), 50)
    #expect(loud > 3 * quiet)
  }

  @Test func `a bend widens the error`() throws {
    let straight = try error(try fit([(0, 0), (100, 200), (200, 400)]), 150)
    let bent = try error(try fit([(0, 0), (100, 300), (200, 500)]), 150)
    #expect(bent > 2 * straight)
  }

  @Test func `place, time, age and a heavier load widen the error`() throws {
    let law = try fit([(0, 0), (100, 200), (200, 400)])
    let least = try #require(law.error(of: Load(grams: 100)))
    for load in [
      Load(grams: 100, place: 1), Load(grams: 100, crept: 90), Load(grams: 100, heaviest: 200),
      Load(grams: 100, age: nil), Load(grams: 100, age: 86_400), Load(grams: 100, contacts: 4),
    ] {
      #expect(try #require(law.error(of: load)) > 1.1 * least)
    }
    #expect(law.error(of: Load(grams: 100, crept: 12, heaviest: 100)) == least)
  }

  /// Known weights that a hand pressed further by these shares, and by how much they then read more or drifted, in units.
  private func pressed(
    _ presses: [Double], reading more: Double = 0, drifting drift: Double = 0
  ) throws -> CalibrationFit {
    let weights = zip([100.0, 200, 300, 400], presses).map { grams, press in
      let raw = 2 * grams + more * press * grams
      var point = CalibrationPoint(grams: grams, raw: raw, spread: 0.3, count: 50, greatest: 900)
      (point.peak, point.drift) = (Int32(raw + 2 * press * grams), drift * grams)
      return point
    }
    let zero = CalibrationPoint(grams: 0, raw: 0, spread: 0.3, count: 50, greatest: 1)
    return try CalibrationFit([zero] + weights, axis: Axis(minimum: 0, maximum: 2000))
  }

  @Test func `a calibration shows hysteresis, or that there is none`() throws {
    let half = Load(grams: 150, heaviest: 400)
    let presses = [0.1, 0.3, 0, 0.2]
    let without = try #require(try pressed(presses).error(of: half))
    let with = try #require(try pressed(presses, reading: 0.2).error(of: half))
    let unknown = try #require(try pressed([0, 0, 0, 0]).error(of: half))
    #expect(3 * without < unknown && unknown < with)
  }

  @Test func `a calibration shows creep, or that there is none`() throws {
    let late = Load(grams: 300, crept: 300)
    let least = try #require(try pressed([0, 0, 0, 0]).error(of: Load(grams: 300)))
    let stays = try #require(try pressed([0, 0, 0, 0]).error(of: late))
    let creeps = try #require(try pressed([0, 0, 0, 0], drifting: 0.006).error(of: late))
    #expect(stays < 1.3 * least && creeps > 2 * least)
  }

  @Test func `straight readings shrink the error, and scattered ones widen it`() throws {
    let line = [(0.0, 0.0), (100, 200), (200, 400), (300, 600), (400, 800)]
    let straight = try error(try fit(line), 150)
    let few = try error(try fit([(0, 0), (100, 200), (400, 800)]), 150)
    let scattered = try error(
      try fit([(0, 0), (100, 210), (200, 390), (300, 610), (400, 800)]), 150)
    #expect(straight < 0.8 * few && scattered > 1.5 * few)
  }

  @Test func `a check in the corner says nothing of the center`() throws {
    let points = [0.0, 100, 200, 400].map {
      CalibrationPoint(grams: $0, raw: 2 * $0, spread: 0.3, count: 50, greatest: Int32(2 * $0))
    }
    let axis = Axis(minimum: 0, maximum: 1000)
    func errors(_ deviation: Double) throws -> (center: Double, corner: Double) {
      let check = CalibrationCheck(grams: 200, shown: 200 + deviation, tolerance: 0.001, place: 1)
      let law = try CalibrationFit(points, axis: axis, checks: [check, check, check])
      return (
        try #require(law.error(of: Load(grams: 200))),
        try #require(law.error(of: Load(grams: 200, place: 1)))
      )
    }
    let (good, bad) = (try errors(0), try errors(20))
    #expect(bad.corner > 2 * good.corner)
    #expect(bad.center - good.center < 0.5 * (bad.corner - good.corner))
  }

  @Test func `a saturated sensor states no error`() throws {
    let law = try fit([(0, 0), (100, 400), (200, 980)])
    #expect(law.weight(raw: 999).error != nil)
    #expect(law.weight(raw: 1000).error == nil)
  }

  @Test func `values may leave the range`() throws {
    let law = try fit([(0, 0), (100, 300), (200, 500)])
    for raw in [Int32.min, -1, 0, .max] {
      #expect(law.weight(raw: raw).grams.isFinite)
      #expect(law.weight(raw: raw).error?.isFinite != false)
    }
  }

  @Test func `errors of contacts add up`() throws {
    let law = Calibration.fitted(try fit([(0, 0), (100, 200), (200, 400)]))
    let weight = law.weight(raw: 200, ratio: 0)
    let error = try #require(weight.error)
    #expect((weight + weight).error == 2 * error)
    #expect((weight + weight).shared(among: 2) == weight)
    #expect(weight.shared(among: 0) == weight)
    #expect(
      (weight + Calibration.nominal(fullScaleGrams: 385, over: 0...1).zeroWeight).error == nil)
  }
}
