import Testing

@testable import PressureTerminal

@Suite struct CanvasTests {
  @Test func `neither text beyond the edge nor unprintable characters are drawn`() {
    var canvas = Canvas(TerminalSize(columns: 4, rows: 1))
    #expect(canvas.put("abcdef", 1, 0) == 3)
    canvas.put("x", 0, 1)
    canvas.put("x", -1, 0)
    #expect(canvas.rows[0] == " abc")
    canvas = Canvas(TerminalSize(columns: 6, rows: 1))
    #expect(canvas.put("a\u{1b}[\u{7}b\u{301}", 0, 0) == 3)
    #expect(canvas.rows[0] == "a[b   ")
  }

  @Test func `a wide character is never cut, and replaces both halves of others`() {
    var canvas = Canvas(TerminalSize(columns: 4, rows: 1))
    #expect(canvas.put("a重量", 0, 0) == 3)
    #expect(canvas.rows[0] == "a重 ")
    canvas.put("b", 2, 0)
    #expect(canvas.rows[0] == "a b ")
    canvas = Canvas(TerminalSize(columns: 5, rows: 1))
    canvas.put("重量", 0, 0)
    canvas.put("力", 1, 0)
    #expect(canvas.rows[0] == " 力  ")
  }

  @Test func `columns are those of the terminal, not of the text`() {
    #expect("±3 g".columns == 4)
    #expect("重".columns == 2)
    #expect("e\u{301}".columns == 1)
    #expect("⣿▀█".columns == 3)
  }

  @Test func `text over a drawing is legible`() {
    var canvas = Canvas(TerminalSize(columns: 2, rows: 1))
    canvas.put(" ", 0, 0, Style(background: Color(250, 240, 60)))
    canvas.put(" ", 1, 0, Style(background: Color(10, 20, 30)))
    var bright = canvas
    canvas.put("12", 0, 0, nil)
    #expect(canvas.cell(0, 0)?.style.foreground == Color(255, 255, 255))
    #expect(canvas.cell(1, 0)?.style.foreground == Color(255, 255, 255))
    #expect(canvas.cell(0, 0)?.style.background == Color(250, 240, 60))
    bright.put("1", 0, 0, nil)
    #expect(bright.cell(0, 0)?.style.foreground == Color(0, 0, 0))
  }

  @Test func `large numbers are drawn in blocks`() {
    var canvas = Canvas(TerminalSize(columns: BigText.columns(of: "1.7"), rows: BigText.rows))
    canvas.put(big: "1.7", 0, 0, .plain, glyphs: .ascii)
    #expect(
      canvas.rows == [
        "  ##        ######", "####            ##", "  ##            ##", "  ##            ##",
        "######  ##      ##",
      ])
  }

  @Test func `what is no number is drawn, too`() {
    var canvas = Canvas(TerminalSize(columns: 6, rows: BigText.rows))
    canvas.put(big: MassUnit.grams.text(1e300), 0, 0, .plain, glyphs: .ascii)
    #expect(canvas.rows.contains { $0.contains("#") })
  }
}
