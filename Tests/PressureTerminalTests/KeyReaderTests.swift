import Testing

@testable import PressureTerminal

@Suite struct KeyReaderTests {
  private func keys(_ text: String) -> [Key] {
    var reader = KeyReader()
    return reader.read(Array(text.utf8))
  }

  @Test func `letters and control characters`() {
    #expect(
      keys("q?\té力\u{7f}\u{c}t") == [
        .character("q"), .character("?"), .tab, .control("h"), .control("l"), .character("t"),
      ])
  }

  @Test func `escape sequences of both kinds`() {
    #expect(
      keys("\u{1b}[A\u{1b}OB\u{1b}[1;5C\u{1b}[D\u{1b}[Z") == [
        .up, .down, .right, .left, .backTab,
      ])
  }

  @Test func `unknown sequences are skipped`() {
    #expect(
      keys("\u{1b}[5;2~\u{1b}[H\u{1b}[200~a\u{1b}[?1;2cb\u{1b}xc") == [
        .character("a"), .character("b"), .character("c"),
      ])
    #expect(keys("\u{1b}[" + String(repeating: "1;", count: 40) + "Aq").last == .character("q"))
  }

  @Test func `a sequence may arrive in pieces`() {
    var reader = KeyReader()
    #expect(reader.read(Array("\u{1b}".utf8)) == [])
    #expect(reader.isWaiting)
    #expect(reader.read(Array("[".utf8)) == [])
    #expect(reader.read(Array("A".utf8)) == [.up])
    #expect(!reader.isWaiting)
  }

  @Test func `escape is a key if nothing follows`() {
    var reader = KeyReader()
    #expect(reader.read([0x1b]) == [])
    #expect(reader.finish() == .escape)
    #expect(reader.read([0x1b, 0x1b]) == [.escape])
    #expect(reader.finish() == .escape)
    #expect(reader.finish() == nil)
  }

  @Test func `invalid UTF-8 is skipped`() {
    var reader = KeyReader()
    #expect(reader.read([0xff, 0x80, 0xe5, 0x8a, 0x71]) == [.character("q")])
    #expect(reader.read([0xed, 0xa0, 0x80, 0x71]) == [.character("q")])
  }
}
