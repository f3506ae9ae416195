import Testing

@testable import PressureTerminal

@Suite struct ColorTests {
  @Test(
    arguments: [
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], ColorDepth.full),
      (["TERM": "xterm-256color", "COLORTERM": "24bit"], .full),
      (["TERM": "xterm-direct"], .full), (["TERM": "xterm-kitty"], .full),
      (["TERM": "foot"], .full),
      (["TERM": "xterm-256color"], .palette), (["TERM": "tmux-256color"], .palette),
      (["TERM": "xterm"], .palette), (["TERM": "linux"], .palette), (["TERM": "screen"], .palette),
      (["TERM": "vt100"], .none), (["TERM": "dumb", "COLORTERM": "truecolor"], .none), ([:], .none),
      (["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"], .none),
    ])
  func `the color depth follows from the environment`(
    environment: [String: String], expected: ColorDepth
  ) {
    #expect(ColorDepth(environment: environment) == expected)
  }

  @Test func `every color of the palette is nearest to itself`() {
    let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
    for (r, red) in steps.enumerated() {
      for (g, green) in steps.enumerated() {
        for (b, blue) in steps.enumerated() {
          #expect(Color(red, green, blue).nearestOfPalette.index == 16 + 36 * r + 6 * g + b)
        }
      }
    }
    for gray in 0..<24 where gray != 5 {
      let level = UInt8(8 + 10 * gray)
      #expect(Color(level, level, level).nearestOfPalette.index == 232 + gray)
    }
  }

  @Test func `translucent colors are blended with the background`() {
    let blue = Color(0, 0, 200)
    #expect(Color(0, 100, 0).under(blue, opacity: 0) == Color(0, 100, 0))
    #expect(Color(0, 100, 0).under(blue, opacity: 1) == blue)
    #expect(Color(0, 100, 0).under(blue, opacity: 0.6) == Color(0, 40, 120))
  }

  @Test func `foreground and background are changed independently`() {
    let red = Color(200, 0, 0)
    let blue = Color(0, 0, 200)
    let before = Style(foreground: red, background: red)
    func change(_ style: Style) -> String { style.sequence(after: before, .full) }
    #expect(change(Style(foreground: blue, background: red)) == "\u{1b}[38;2;0;0;200m")
    #expect(change(Style(foreground: red, background: blue)) == "\u{1b}[48;2;0;0;200m")
    #expect(change(Style(background: red)) == "\u{1b}[0;48;2;200;0;0m")
    #expect(
      change(Style(foreground: red, background: red, isBold: true))
        == "\u{1b}[0;1;38;2;200;0;0;48;2;200;0;0m")
  }

  @Test func `sequences are limited to the color depth of the terminal`() {
    let style = Style(foreground: Color(255, 255, 0), background: Color(0, 0, 0), isBold: true)
    #expect(style.shown(.none).sequence(.none) == "\u{1b}[0;1m")
    #expect(style.shown(.palette).sequence(.palette) == "\u{1b}[0;1;38;5;226;48;5;16m")
    #expect(style.shown(.full).sequence(.full) == "\u{1b}[0;1;38;2;255;255;0;48;2;0;0;0m")
  }
}

@Suite struct GlyphsTests {
  @Test func `blocks need a font and a locale`() {
    #expect(Glyphs(codeset: "UTF-8", terminal: "xterm-256color") == .all)
    #expect(Glyphs(codeset: "UTF-8", terminal: "linux") == .ascii)
    #expect(Glyphs(codeset: "ANSI_X3.4-1968", terminal: "xterm") == .ascii)
  }
}
