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
    let calibration = made(points, line: points.map { [$0, $1] })
    #expect(
      calibration.plot(columns: 25, rows: 5) == """
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
    #expect(made([], line: nil).plot(columns: 60, rows: 9) == "")
    #expect(made([(0, 5), (9, 5)], line: nil).plot(columns: 60, rows: 9) == "")
    let plot = made([(0, 0), (9, 5)], line: [[1]]).plot(columns: 60, rows: 9)
    #expect(plot.filter { $0 == "o" }.count == 2)
  }
}

struct CheckTextTests {
  private func calibration(
    _ checks: [(deviation: Double, date: Int64?)], isContradicted: Bool? = false
  ) throws -> ReceivedCalibration {
    let list = checks.map {
      #"{"grams":200,"shown":\#(200 + $0.deviation),"deviation":\#($0.deviation),"seconds":2,"place":0,"#
        + #""date":\#($0.date.map(String.init) ?? "null"),"weights_percent":2}"#
    }
    let line =
      #"{"points":[],"checks":[\#(list.joined(separator: ","))],"fit":null,"refusal":null"#
      + (isContradicted.map { #","contradicted":\#($0)}"# } ?? "}")
    return try LineDecoder.decode(ReceivedCalibration.self, from: Array(line.utf8))
  }

  // A Tuesday, noon: the time zone does not matter for whole days.
  private let now: Int64 = 1_764_072_000
  private let day: Int64 = 86_400

  @Test func `a check is shown with those before it`() throws {
    let checks = try calibration([(-0.6, now - day * 8), (-0.6, now - day), (0.3, now)])
    #expect(
      CalibrationText.checked(checks, at: now)
        == "200.3 g, +0.3; last checks +0.3 today, -0.6 yesterday, -0.6 on 2025-11-17")
    let monday = try calibration([(-0.6, now - day * 2), (0.3, nil)])
    #expect(
      CalibrationText.checked(monday, in: .kilograms, at: now)
        == "0.2003 kg, +0.0003; last checks +0.0003, -0.0006 on Sunday")
  }

  @Test func `a check that contradicts the calibration names what to do`() throws {
    let text = CalibrationText.checked(try calibration([(30, nil)], isContradicted: true), at: now)
    #expect(text.contains("undo") && text.contains("calibrate again"))
  }

  @Test func `a check that was taken back leaves the others`() throws {
    let none = try calibration([], isContradicted: nil)
    #expect(CalibrationText.checked(none, at: now) == "Taken back; no checks")
    let one = try calibration([(1, nil)], isContradicted: nil)
    #expect(CalibrationText.checked(one, at: now) == "Taken back; last checks +1.0")
  }
}
