import Testing

@testable import PressureTerminal

@Suite struct ScreenTests {
  private func canvas(_ rows: String..., columns: Int = 12) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: columns, rows: rows.count))
    for (row, text) in rows.enumerated() { canvas.put(text, 0, row) }
    return canvas
  }

  /// The output without the sequences around a frame.
  private func change(_ screen: inout Screen, to canvas: Canvas) -> String {
    let text = screen.show(canvas)
    guard !text.isEmpty else { return "" }
    #expect(text.hasPrefix("\u{1b}[?2026h") && text.hasSuffix("\u{1b}[0m\u{1b}[?2026l"))
    return text.replacing("\u{1b}[?2026h", with: "").replacing("\u{1b}[0m\u{1b}[?2026l", with: "")
      .replacing("\u{1b}", with: "^")
  }

  @Test func `the first frame is complete`() {
    var screen = Screen(depth: .none)
    #expect(change(&screen, to: canvas("ab", "c")) == "^[0m^[2J^[1;1H^[0mab^[2;1Hc")
  }

  @Test func `unchanged cells are not sent again`() {
    var screen = Screen(depth: .none)
    _ = screen.show(canvas("abc"))
    #expect(screen.show(canvas("abc")) == "")
    #expect(change(&screen, to: canvas("aXc")) == "^[1;2H^[0mX")
    #expect(screen.show(canvas("aXc")) == "")
  }

  @Test func `short gaps are sent, long ones are skipped`() {
    var screen = Screen(depth: .none)
    _ = screen.show(canvas("123456789012"))
    #expect(change(&screen, to: canvas("X2345X789012")) == "^[1;1H^[0mX2345X")
    #expect(change(&screen, to: canvas("Y2345X78901Y")) == "^[1;1H^[0mY^[1;12HY")
  }

  @Test func `colors that are equal on the terminal are the same`() {
    var (one, other) = (canvas("a"), canvas("a"))
    one.put("a", 0, 0, Style(foreground: Color(200, 10, 10)))
    other.put("a", 0, 0, Style(foreground: Color(201, 10, 10)))
    for (depth, isSame) in [(ColorDepth.none, true), (.palette, true), (.full, false)] {
      var screen = Screen(depth: depth)
      _ = screen.show(one)
      #expect(screen.show(other).isEmpty == isSame, "\(depth)")
    }
  }

  @Test func `a wide character is sent completely and once`() {
    var screen = Screen(depth: .none)
    _ = screen.show(canvas("a重b"))
    #expect(change(&screen, to: canvas("a力b")) == "^[1;2H^[0m力")
    #expect(change(&screen, to: canvas("axyb")) == "^[1;2H^[0mxy")
  }

  @Test func `after other output, and in a new size, everything is sent again`() {
    var screen = Screen(depth: .none)
    _ = screen.show(canvas("ab"))
    screen.invalidate()
    #expect(change(&screen, to: canvas("ab")) == "^[0m^[2J^[1;1H^[0mab")
    #expect(change(&screen, to: canvas("ab", columns: 2)) == "^[0m^[2J^[1;1H^[0mab")
    #expect(screen.show(Canvas(TerminalSize(columns: 0, rows: 0))).isEmpty == false)
  }
}
