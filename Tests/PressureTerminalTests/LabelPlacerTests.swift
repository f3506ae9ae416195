import Testing

@testable import PressureTerminal

struct LabelPlacerTests {
  private let area = Rect(left: 0, top: 0, width: 200, height: 100)

  private func words(_ x: Double, _ y: Double) -> TextLabel {
    TextLabel("words", x, y, size: 10)
  }

  @Test func `labels are placed beside a line, and on it if there is no other place`() {
    var placement = LabelPlacer(in: area)
    placement.avoid([Point(x: 0, y: 50), Point(x: 200, y: 50)])
    let (onLine, beside) = (words(10, 54), words(10, 30))
    #expect(placement.place([onLine, beside]) == beside)
    #expect(placement.place([onLine]) == onLine)
    #expect(placement.place([onLine]) == nil)
  }

  @Test func `labels that are too wide are truncated`() {
    let long = TextLabel(String(repeating: "long ", count: 100), 0, 0)
    let cut = long.truncated(to: 150)
    #expect(cut.box.width <= 150 && cut.box.width > 120 && cut.text.hasSuffix("…"))
    #expect(words(0, 0).truncated(to: 150) == words(0, 0))
  }
}

extension Rect {
  func overlaps(_ other: Rect) -> Bool {
    left < other.right && other.left < right && top < other.bottom && other.top < bottom
  }
}

extension Drawing {
  var labels: [TextLabel] {
    items.compactMap { item in
      guard case .text(let label) = item else { return nil }
      return label
    }
  }
}
