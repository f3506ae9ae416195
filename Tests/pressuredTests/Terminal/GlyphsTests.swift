import Testing

@testable import PressureTerminal

@Suite struct GlyphsTests {
  @Test func brailleNeedsAFontAndALocale() {
    #expect(Glyphs(codeset: "UTF-8", terminal: "xterm-256color") == .all)
    #expect(Glyphs(codeset: "UTF-8", terminal: "linux") == .ascii)
    #expect(Glyphs(codeset: "ANSI_X3.4-1968", terminal: "xterm") == .ascii)
  }
}
