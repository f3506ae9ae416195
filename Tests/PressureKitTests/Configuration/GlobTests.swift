import PressureKit
import Testing

@Test(
  arguments: [
    ("*", ""), ("*", "0018-06cb-cd41"), ("0018-06cb-*", "0018-06cb-cd41"), ("a?c", "abc"),
    ("*-cd4?", "0018-06cb-cd41"), ("**b", "ab"), ("a*b*c", "aXbYbZc"), ("", ""), ("ab", "ab"),
  ])
func `a pattern matches`(pattern: String, text: String) {
  #expect(Glob(pattern).matches(text))
}

@Test(
  arguments: [
    ("", "a"), ("?", ""), ("a", "ab"), ("ab", "a"), ("a?", "a"), ("0018-06cb-*", "0003-06cb-cd41"),
    ("a*b", "abc"), ("*#2", "0018-06cb-cd41"), ("A", "a"),
  ])
func `a pattern does not match`(pattern: String, text: String) {
  #expect(!Glob(pattern).matches(text))
}

@Test func `a pattern of many stars takes bounded time`() {
  let pattern = String(repeating: "*a", count: 200) + "b"
  #expect(!Glob(pattern).matches(String(repeating: "a", count: 2000)))
}
