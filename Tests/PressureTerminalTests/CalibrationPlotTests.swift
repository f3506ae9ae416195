import Testing

@testable import PressureKit
@testable import PressureProtocol
@testable import PressureTerminal

struct CalibrationPlotTests {
  private func made(_ points: [(Double, Double)], line: [[Double]]?) -> ReceivedCalibration {
    ReceivedCalibration(
      points: points.map { ReceivedCalibration.Point(grams: $0, raw: $1, spread: 0) },
      fit: ReceivedCalibration.Fit(
        shape: .known(.pieces), errorGrams: 1, worstGrams: 1, worstAtGrams: 50, rootMeanSquare: 1,
        rSquared: 1, line: line))
  }

  @Test func `points are drawn on their fit`() {
    let points = [(0.0, 0.0), (50, 150), (100, 200)]
    let plot = CalibrationPlot(made(points, line: points.map { [$0, $1] }))
    #expect(
      plot.text(columns: 25, rows: 5) == """
        200 |               ....o
            |        ..o....
            |     ...
            |  ...
          0 |o.
            +--------------------
            0 g             100 g
        """)
  }

  @Test func `degenerate calibrations are not drawn`() {
    #expect(CalibrationPlot(made([], line: nil)).text(columns: 60, rows: 9) == "")
    #expect(CalibrationPlot(made([(0, 5), (9, 5)], line: nil)).text(columns: 60, rows: 9) == "")
    let plot = CalibrationPlot(made([(0, 0), (9, 5)], line: [[1]]))
    #expect(plot.text(columns: 60, rows: 9).filter { $0 == "o" }.count == 2)
  }
}
