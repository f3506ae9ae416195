import PressureKit
import Testing

@testable import PressureSettings

struct SettingEditTests {
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
    let text = try #require(SettingEdit.feel(.firm).applied(to: Array(before.utf8)))
    #expect(String(decoding: text, as: UTF8.self) == after)
  }

  @Test(
    arguments: [
      "press: { hold_ms: 200 }\n", "not: valid: yaml", "unknown_key: 1\n",
      "press:\n  stages: [{ name: hard, press: 0.5, release: 0.4 }]\n",
    ])
  func `a text that one line cannot change stays`(text: String) {
    #expect(SettingEdit.feel(.firm).applied(to: Array(text.utf8)) == nil)
  }

  @Test func `edits follow each other, and what is set already stays as it is`() throws {
    let edits = [SettingEdit.haptics(true), .pulseAtDeep, .seatControl(true), .seatControl(true)]
    let text = edits.reduce(Array("haptics:\n  stages: [light]\n".utf8) as [UInt8]?) { text, edit in
      text.flatMap { edit.applied(to: $0) }
    }
    #expect(
      text.map { String(decoding: $0, as: UTF8.self) }
        == "haptics:\n  enabled: true\n  stages: [deep]\ncontrol:\n  seat: true\n")
    let braces = Array("control: { seat: true }\n".utf8)
    #expect(SettingEdit.seatControl(true).applied(to: braces) == braces)
  }
}
