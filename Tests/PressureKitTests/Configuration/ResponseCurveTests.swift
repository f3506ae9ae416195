import Testing

@testable import PressureKit

struct ResponseCurveTests {
  private func curve(_ points: [(Double, Double)]) throws(InconsistentValuesError) -> ResponseCurve
  {
    try ResponseCurve(points.map { .init(ratio: $0.0, output: $0.1) })
  }

  @Test func `without points the curve is the identity`() {
    for ratio in [0, 0.1, 0.5, 1] { #expect(ResponseCurve().output(of: ratio) == ratio) }
  }

  @Test(arguments: [
    (0, 0), (0.1, 0), (0.2, 0), (0.35, 0.25), (0.5, 0.5), (0.75, 0.75), (1, 1), (1.5, 1),
  ])
  func `between points the curve is linear`(ratio: Double, output: Double) throws {
    let curve = try curve([(0.2, 0), (0.5, 0.5)])
    #expect((curve.output(of: ratio) - output).magnitude < 1e-12)
  }

  @Test(
    arguments: [
      ([(0, 0.5)], "ratio"), ([(1, 0.5)], "ratio"), ([(0.5, 0.5), (0.5, 0.6)], "ratio"),
      ([(0.5, 0.5), (0.4, 0.6)], "ratio"), ([(0.5, 0.5), (0.6, 0.4)], "output"),
      ([(0.5, 1.5)], "output"),
      ([(.nan, 0.5)], "ratio"), ([(0.5, .nan)], "output"),
    ] as [([(Double, Double)], String)])
  func `a curve that decreases is rejected`(points: [(Double, Double)], setting: String) {
    let error = #expect(throws: InconsistentValuesError.self) { try curve(points) }
    #expect(error?.setting == setting)
  }

  @Test func `the number of points is limited`() throws {
    let most = (1...ConfigurationLimits.curvePoints + 1).map { (Double($0) / 100, 0.5) }
    #expect(try curve(most.dropLast()).points.count == ConfigurationLimits.curvePoints)
    #expect(throws: InconsistentValuesError.self) { try curve(most) }
  }
}
