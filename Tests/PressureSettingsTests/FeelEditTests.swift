import PressureKit
import Testing

@testable import PressureSettings

struct FeelEditTests {
  @Test(
    arguments: [
      ("", "press:\n  feel: firm\n"),
      ("haptics: { enabled: true }", "haptics: { enabled: true }\npress:\n  feel: firm\n"),
      (
        "press:\n    hold_ms: 200  # long\n\nalways_read: true\n",
        "press:\n    feel: firm\n    hold_ms: 200  # long\n\nalways_read: true\n"
      ),
      (
        "# mine\npress:\n  # soft\n  feel: light\n  hold_ms: 200\n",
        "# mine\npress:\n  # soft\n  feel: firm\n  hold_ms: 200\n"
      ),
      ("press:\nalways_read: true\n", "press:\n  feel: firm\nalways_read: true\n"),
    ])
  func `a feel changes one line`(before: String, after: String) throws {
    let text = try #require(ConfigurationFile.text(Array(before.utf8), with: .firm))
    #expect(String(decoding: text, as: UTF8.self) == after)
  }

  @Test(
    arguments: [
      "press: { hold_ms: 200 }\n", "not: valid: yaml", "unknown_key: 1\n",
      "press:\n  stages: [{ name: hard, press: 0.5, release: 0.4 }]\n",
    ])
  func `a text that one line cannot change stays`(text: String) {
    #expect(ConfigurationFile.text(Array(text.utf8), with: .firm) == nil)
  }
}
