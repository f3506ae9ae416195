import Testing

@testable import PressureDesktop
@testable import PressureTerminal

/// What `pen --test` draws.
@Suite struct PenLayoutTests {
  private func frame(
    pressure: Int32 = 0, isNear: Bool = true, isTouching: Bool = false, isButtonDown: Bool = false
  ) -> PenFrame {
    PenFrame(
      x: 5000, y: 12_000, pressure: pressure, isNear: isNear, isTouching: isTouching,
      isButtonDown: isButtonDown)
  }

  private func point(
    _ x: Double, _ y: Double, _ pressure: Double = 1, isConnected: Bool = true
  ) -> PenSheet.Point {
    PenSheet.Point(x: x, y: y, pressure: pressure, isConnected: isConnected)
  }

  private func rows(
    _ columns: Int, _ rows: Int, sheet: PenSheet = PenSheet(), frame: PenFrame? = nil,
    position: (x: Double, y: Double) = (0, 0), message: String = "", glyphs: Glyphs = .ascii
  ) -> [String] {
    var sheet = sheet
    let layout = PenLayout(
      frame: frame, position: position, title: "a pad", message: message,
      glyphs: glyphs, depth: glyphs == .all ? .full : .none)
    return layout.canvas(TerminalSize(columns: columns, rows: rows), &sheet).rows
  }

  // MARK: - The sheet

  private func covered(_ sheet: PenSheet, _ columns: Int, _ rows: Int) -> Int {
    (0..<2 * rows).reduce(0) { count, row in
      count + (0..<columns).count { sheet.coverage($0, row) > 0.1 }
    }
  }

  @Test func `a sheet is drawn from edge to edge`() {
    var sheet = PenSheet()
    for (x, y) in [(0.0, 0.0), (1, 1), (0, 1), (1, 0)] { sheet.append(point(x, y)) }
    // On a smaller one the brush is thinner than a pixel.
    sheet.draw(columns: 200, rows: 100)
    #expect(sheet.coverage(0, 0) > 0 && sheet.coverage(199, 199) > 0)
  }

  @Test func `a stroke is as wide as its pressure`() {
    func width(_ pressure: Double) -> Int {
      var sheet = PenSheet()
      sheet.append(point(0, 0.5, pressure, isConnected: false))
      sheet.append(point(1, 0.5, pressure))
      sheet.draw(columns: 300, rows: 60)
      return (0..<120).count { sheet.coverage(150, $0) > 0.4 }
    }
    // 3 % of 300 pixels.
    #expect((9...10).contains(width(1)))
    #expect((4...5).contains(width(0.5)))
    #expect(width(0.1) <= 1)
  }

  @Test func `strokes are not joined`() {
    var sheet = PenSheet()
    sheet.append(point(0.1, 0.5, isConnected: false))
    sheet.append(point(0.9, 0.5, isConnected: false))
    sheet.draw(columns: 100, rows: 50)
    #expect(sheet.coverage(10, 50) == 1 && sheet.coverage(50, 50) == 0)
  }

  @Test func `only new points are drawn, and all of them on a sheet of another size`() {
    var sheet = PenSheet()
    sheet.append(point(0.25, 0.5, isConnected: false))
    sheet.draw(columns: 40, rows: 20)
    let first = covered(sheet, 40, 20)
    sheet.append(point(0.75, 0.5, isConnected: false))
    sheet.draw(columns: 40, rows: 20)
    #expect(first > 0 && covered(sheet, 40, 20) == 2 * first)
    sheet.draw(columns: 80, rows: 40)
    #expect(covered(sheet, 80, 40) > 2 * first)
  }

  @Test func `a cleared sheet is blank, at any size`() {
    for (columns, rows) in [(0, 0), (40, 20), (80, 40)] {
      var sheet = PenSheet()
      sheet.append(point(0.5, 0.5))
      sheet.draw(columns: 40, rows: 20)
      sheet.clear()
      sheet.draw(columns: columns, rows: rows)
      #expect(sheet.points.isEmpty && covered(sheet, columns, rows) == 0)
      sheet.append(point(0.5, 0.5))
      sheet.draw(columns: 40, rows: 20)
      #expect(covered(sheet, 40, 20) > 0)
    }
  }

  @Test func `the points have a limit, beyond which the sheet is cleared`() {
    var sheet = PenSheet()
    for number in 0..<50_000 { sheet.append(point(Double(number % 100) / 100, 0.25)) }
    #expect(sheet.points.count == 50_000)
    sheet.draw(columns: 20, rows: 10)
    sheet.append(point(0.5, 0.75))
    #expect(sheet.points.count == 1)
    sheet.draw(columns: 20, rows: 10)
    #expect(sheet.coverage(2, 5) == 0 && sheet.coverage(10, 15) > 0)
  }

  // MARK: - The screen

  @Test func `a terminal of any size can be drawn`() {
    var sheet = PenSheet()
    for (x, y) in [(0.0, 0.0), (1, 1)] { sheet.append(point(x, y)) }
    for columns in [0, 1, 2, 3, 10, 80] {
      for count in [0, 1, 2, 3, 4, 24] {
        for glyphs in [Glyphs.all, .ascii] {
          let text = rows(
            columns, count, sheet: sheet, frame: frame(), position: (1, 1), message: "a message",
            glyphs: glyphs)
          #expect(text.count == count && text.allSatisfy { $0.unicodeScalars.count == columns })
        }
      }
    }
  }

  @Test(arguments: [
    (0.0, 0.0, 1, 1), (1, 0, 20, 1), (0, 1, 1, 7), (1, 1, 20, 7), (0.5, 0.5, 11, 4),
  ])
  func `the cursor is on the sheet`(x: Double, y: Double, column: Int, row: Int) {
    let text = rows(22, 10, frame: frame(), position: (x, y)).map(Array.init)
    let places = text.indices.flatMap { row in
      text[row].indices.filter { text[row][$0] == "+" }.map { [$0, row] }
    }
    #expect(places == [[column, row]])
  }

  @Test func `the cursor is not shown while the tip touches, or the pen is away`() {
    for frame in [frame(pressure: 700, isTouching: true), frame(isNear: false), nil] {
      #expect(!rows(22, 10, frame: frame).joined().contains("+"))
    }
  }

  @Test func `what a program gets is stated, and a message while the pen is away`() {
    let half = frame(
      pressure: PenForce.axisValue(of: 0.5, isOnset: false), isTouching: true, isButtonDown: true)
    let text = rows(80, 24, frame: half, message: "hold 5 fingers")[22]
    #expect(
      text.hasPrefix(" tip down, pressure 0.5, a brush of 8 px draws 4 px, button pressed "))
    #expect(rows(80, 24, frame: frame())[22].hasPrefix(" tip up, pressure 0, a brush"))
    for away in [frame(isNear: false), nil] {
      #expect(rows(80, 24, frame: away)[22].hasPrefix(" the pen is away "))
      #expect(rows(80, 24, frame: away, message: "hold 5")[22].hasPrefix(" hold 5 "))
    }
  }

  @Test func `without colors a stroke is drawn in characters, and all of them are ASCII`() {
    var sheet = PenSheet()
    sheet.append(point(0.1, 0.5, isConnected: false))
    sheet.append(point(0.9, 0.5))
    let text = rows(80, 24, sheet: sheet).joined(separator: "\n")
    #expect(text.contains("####") && text.unicodeScalars.allSatisfy(\.isASCII))
  }

  @Test func `a row states what the pen does, where, and its pressure`() {
    let size = (width: 20_000.0, height: 12_000.0)
    #expect(PenTest.row(of: frame(isNear: false), in: size) == "away 25 100 0")
    #expect(PenTest.row(of: frame(isButtonDown: true), in: size) == "hover 25 100 0 button")
    let tip = frame(pressure: PenForce.maximum, isTouching: true)
    #expect(PenTest.row(of: tip, in: size) == "tip 25 100 1")
    // The pressure that sets the tip down is not one of the axis' lowest.
    let onset = frame(pressure: PenForce.onset, isTouching: true)
    #expect(PenTest.row(of: onset, in: size) == "tip 25 100 0.0404")
  }
}
