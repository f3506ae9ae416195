import Testing

@testable import PressureSettings

@Test(
  arguments: [[0xff], [0xc3], [0xc0, 0xaf], [0x00], [0x07], [0x7f], [0xed, 0xa0, 0x80]] as [[UInt8]]
)
func `invalid UTF-8 and control characters are refused with their location`(bytes: [UInt8]) {
  let text = Array("a: 1\nb: ü".utf8) + bytes
  #expect(errors(text) == ["config.yaml:2:5: not text in UTF-8"])
}

@Test(arguments: ["", "a\tb\r\nc\u{85}", "\u{feff}a: ü", "🜁"])
func `valid characters are accepted`(text: String) {
  #expect(InvalidByte(in: Array(text.utf8)) == nil)
}
