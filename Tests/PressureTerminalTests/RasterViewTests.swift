import PressureKit
import Testing

@testable import PressureTerminal

@Suite struct RasterViewTests {
  private let square = SurfaceDrawing(
    width: 40, height: 20, circles: [], dial: SurfaceDrawing.Dial())

  private func view(_ columns: Int, _ rows: Int) -> RasterView {
    RasterView(square, in: (0..<columns, 0..<rows))
  }

  private func disc(_ role: SurfaceDrawing.ColorRole, radius: Double = 6) -> Shape {
    Shape(x: 20, y: 10, radius: radius, opacity: 0.6, role: role)
  }

  @Test func `a surface keeps its proportions in cells twice as high as wide`() {
    #expect(view(40, 40).columns == 40 && view(40, 40).rows == 10)
    #expect(view(100, 10).columns == 40 && view(100, 10).rows == 10)
    #expect(view(100, 10).column == 30 && view(40, 40).row == 15)
    #expect(view(1, 1).columns == 1 && view(1, 1).rows == 1)
  }

  @Test func `a circle of letters is round`() {
    var canvas = Canvas(TerminalSize(columns: 40, rows: 10))
    view(40, 10).drawLetters([disc(.heaviest)], on: &canvas)
    let rows = canvas.rows.map { $0.count { $0 == "#" } }
    #expect(rows == [0, 0, 6, 10, 12, 12, 10, 6, 0, 0])
  }

  @Test func `fills are translucent with a soft edge`() throws {
    var canvas = Canvas(TerminalSize(columns: 40, rows: 10))
    view(40, 10).drawPixels([disc(.saturated)], on: &canvas)
    let middle = try #require(canvas.cell(20, 5)?.style.background)
    let ground = try #require(canvas.cell(0, 0)?.style.background)
    #expect(middle == ground.under(SurfaceDrawing.ColorRole.saturated.color, opacity: 0.6))
    let colors = Set(canvas.cells.compactMap(\.style.background))
    #expect(colors.count > 3)
  }

  @Test func `a ring is filled clockwise from the top`() {
    var ring = disc(.press)
    (ring.line, ring.fraction) = (1, 0.5)
    #expect(ring.distance(x: 26, y: 10) < 0, "on the right")
    #expect(ring.distance(x: 14, y: 10) == .infinity, "on the left")
    #expect(ring.distance(x: 20.1, y: 4) < 0, "at the top")
    ring.fraction = 1
    #expect(ring.distance(x: 14, y: 10) < 0)
    #expect(ring.distance(x: 20, y: 10) > 0, "in the middle there is no line")
  }

  @Test func `drawing is clipped at the edge`() {
    var canvas = Canvas(TerminalSize(columns: 40, rows: 10))
    view(40, 10).drawLetters([disc(.contact, radius: 500)], on: &canvas)
    #expect(canvas.rows == Array(repeating: String(repeating: "o", count: 40), count: 10))
    var far = disc(.contact)
    (far.x, far.y) = (1e9, -1e9)
    view(40, 10).drawLetters([far], on: &canvas)
  }
}
