import Testing

@testable import PressureSettings

@Test(
  arguments: [
    ("always_read: true\n\tsocket: {}", "2:1: YAML must be indented with spaces, not tabs"),
    (
      "scale:\n  window_ms: 5\n \tfilter_ms: 5",
      "3:2: YAML must be indented with spaces, not tabs"
    ),
    ("a: [1, 2", "1:9: did not find expected ',' or ']'"),
    ("a: &x 1\nb: *x", "2:4: aliases are not supported"),
    ("? [a]\n: 1", "1:3: a key must be text"),
    ("a: @x\nb: 1\nc: 1", "1:4: found character that cannot start any token"),
    ("a: b: c\nb: 1\nc: 1", "1:5: mapping values are not allowed in this context"),
    ("a: \"\\q\"\nb: 1\nc: 1", "1:5: found unknown escape character"),
    ("---\n{}\n---\n{}", "4:1: more than one document"),
  ])
func `unsupported YAML is refused with its location`(text: String, sentence: String) {
  #expect(errors(text) == ["config.yaml:" + sentence])
}

@Test(arguments: [
  ("[", 1, 2), ("[a,\n", 1, 3), ("[a, # and?\n\n", 1, 3), ("{a", 1, 3), ("a: 1\nb: {c: 2", 2, 9),
  ("a: \"b", 1, 4), ("a: \"b\n\n", 1, 4), ("a: ]", 1, 4), ("a: [}\n\n\n", 1, 5),
  ("a: 1\n b: 2\n", 2, 3),
]) func `the location of an error is within the file`(text: String, line: Int, column: Int) {
  #expect(errors(text).count == 1)
  #expect(errors(text).first?.hasPrefix("config.yaml:\(line):\(column): ") == true)
}

@Test func `the nesting depth is limited`() {
  let depth = YAMLTree.depthLimit + 1
  let text = "a: " + String(repeating: "[", count: 100_000)
  #expect(errors(text) == ["config.yaml:1:\(depth + 2): more than 32 levels deep"])
}

@Test(
  arguments: [[0xff], [0xc3], [0xc0, 0xaf], [0x00], [0x07], [0x7f], [0xed, 0xa0, 0x80]] as [[UInt8]]
)
func `invalid UTF-8 and control characters are refused with their location`(bytes: [UInt8]) {
  let text = Array("a: 1\nb: ü".utf8) + bytes
  #expect(errors(text) == ["config.yaml:2:5: not text in UTF-8"])
}

@Test(arguments: ["", "a\tb\r\nc\u{85}", "\u{feff}a: ü", "🜁"])
func `valid characters are accepted`(text: String) {
  #expect(YAMLMark(ofInvalidByteIn: Array(text.utf8)) == nil)
}

@Test func `the distance is the number of changed letters`() {
  #expect("".distance(to: "") == 0)
  #expect("".distance(to: "abc") == 3)
  #expect("kitten".distance(to: "sitting") == 3)
  #expect("Socket".distance(to: "socket") == 0)
}

@Test func `a distance above the limit is not computed`() {
  #expect("kitten".distance(to: "sitting", atMost: 3) == 3)
  #expect("kitten".distance(to: "sitting", atMost: 2) == nil)
  #expect("abcd".distance(to: "bacd", atMost: 1) == 1)
  #expect("hold".distance(to: "hold_ms", atMost: 2) == nil)
  #expect("socket".distance(to: "socket", atMost: 0) == 0)
}

@Test func `only a similar word is suggested`() {
  let words = ["socket", "press", "regions", "on"]
  #expect("scoket".nearest(among: words) == "socket")
  #expect("region".nearest(among: words) == "regions")
  #expect("o".nearest(among: words) == "on")
  #expect("weather".nearest(among: words) == nil)
  #expect("".nearest(among: words) == nil)
}
