import CEvdev
import Testing

@testable import PressureDesktop
@testable import PressureKit
@testable import PressureSettings

struct BindingsReadingTests {
  private func bindings(_ text: String) throws -> Bindings {
    try BindingsFile.read(text: Array(text.utf8), name: "bindings.yaml")
  }

  private func errors(_ text: String) -> [String] {
    do {
      _ = try bindings(text)
      return []
    } catch {
      return (error as? ConfigurationErrors)?.sentences ?? ["\(error)"]
    }
  }

  @Test func `by default there is no binding, and its press has one finger on any device`() throws {
    #expect(try bindings("# nothing yet\n") == Bindings())
    #expect(Bindings().maxRunning == 8)
    let read = try bindings("bindings: [{ on: { press: deep }, run: [grim] }]")
    #expect(
      read.list == [Binding(trigger: .press(ActionTrigger(stage: "deep")), action: .run(["grim"]))])
    #expect(ActionTrigger(stage: "deep").fingers == .exactly(1))
  }

  @Test func `every key is read`() throws {
    let read = try bindings(
      """
      max_running: 2
      bindings:
        - on: { press: deep, fingers: any, region: left, device: "0018-*", simulated: true }
          press_key: BTN_MIDDLE
        - on: { action: desktop.screenshot }
          run: [sleep, 1.50, "", "$(touch x); *", true]
      """)
    var trigger = ActionTrigger(stage: "deep")
    (trigger.fingers, trigger.region, trigger.device) = (.any, "left", "0018-*")
    #expect(read.maxRunning == 2)
    #expect(
      read.list == [
        Binding(
          trigger: .press(trigger, simulated: true), action: .pressKey(.key(UInt16(BTN_MIDDLE)))),
        Binding(
          trigger: .action("desktop.screenshot"),
          action: .run(["sleep", "1.50", "", "$(touch x); *", "true"])),
      ])
    #expect(read.keys == [.key(UInt16(BTN_MIDDLE))])
  }

  @Test(
    arguments: [
      ("binding: []", #"1:1: unknown key "binding"; did you mean "bindings"?"#),
      ("max_running: 0", "1:14: max_running must be a whole number from 1 to 1024, not 0"),
      ("bindings: [{ run: [a] }]", #"1:12: "on" is missing"#),
      ("bindings: [{ on: ~, run: [a] }]", "1:18: on must be a mapping, not null"),
      ("bindings: [{ on: {}, run: [a] }]", #"1:18: "press" or "action" is missing"#),
      ("bindings: [{ on: { press: }, run: [a] }]", #"1:27: "press" or "action" is missing"#),
      (
        "bindings: [{ on: { press: a, action: b }, run: [a] }]",
        "1:38: a binding has press or action, not both"
      ),
      (
        "bindings: [{ on: { action: a, fingers: 1 }, run: [a] }]",
        #"1:31: unknown key "fingers"; valid keys are press, action"#
      ),
      (
        "bindings: [{ on: { press: a, finger: 1 }, run: [a] }]",
        #"1:30: unknown key "finger"; did you mean "fingers"?"#
      ),
      ("bindings: [{ on: { press: a } }]", #"1:12: "run" or "press_key" is missing"#),
      ("bindings: [{ on: { press: a }, run: }]", #"1:37: "run" or "press_key" is missing"#),
      (
        "bindings: [{ on: { press: a }, run: [b], press_key: KEY_A }]",
        "1:53: a binding has run or press_key, not both"
      ),
      ("bindings: [{ on: { press: a }, run: ls -l }]", #"1:37: run must be a list, not "ls -l""#),
      ("bindings: [{ on: { press: a }, run: [] }]", "1:37: run must begin with a program"),
      ("bindings: [{ on: { press: a }, run: [''] }]", "1:37: run must begin with a program"),
      (
        "bindings: [{ on: { press: a }, run: [b, ~] }]",
        "1:41: each of run must be text or a number, not null"
      ),
      (
        "bindings: [{ on: { press: a }, press_key: BTN_MIDLE }]",
        "1:43: press_key must be the name of a key or button, such as BTN_MIDDLE or KEY_ESC,"
          + #" not "BTN_MIDLE""#
      ),
    ])
  func `an error message contains the location`(text: String, sentence: String) {
    #expect(errors(text) == ["bindings.yaml:" + sentence])
  }

  @Test(
    arguments: [
      ("BTN_MIDDLE", BTN_MIDDLE), ("KEY_ESC", KEY_ESC), ("BTN_LEFT", BTN_LEFT),
      ("KEY_MICMUTE", KEY_MICMUTE), ("", nil), ("btn_middle", nil), ("REL_X", nil),
      ("ABS_X", nil), ("KEY_RESERVED", nil), ("KEY_MAX", nil), ("274", nil), ("MIDDLE", nil),
    ] as [(String, Int32?)])
  func `only a key is found by its name in the kernel`(name: String, number: Int32?) {
    #expect(EventCode(keyName: name) == number.map { EventCode.key(UInt16($0)) })
  }

  @Test func `the default file follows the XDG base directory specification`() {
    #expect(
      BindingsFile.path(named: nil, environment: ["HOME": "/h"])
        == "/h/.config/pressured/bindings.yaml")
    #expect(
      BindingsFile.path(named: nil, environment: ["HOME": "/h", "XDG_CONFIG_HOME": "/c"])
        == "/c/pressured/bindings.yaml")
    #expect(BindingsFile.path(named: "b.yaml", environment: [:]) == "b.yaml")
    #expect(BindingsFile.path(named: nil, environment: [:]) == nil)
  }
}

@Test func `the example file binds a middle click to a deep press`() throws {
  let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  let read = try BindingsFile.read(path: "/\(root)/docs/examples/bindings.yaml")
  let middle = Binding(
    trigger: .press(ActionTrigger(stage: "deep")), action: .pressKey(.key(UInt16(BTN_MIDDLE))))
  #expect(read == Bindings(maxRunning: 8, list: [middle]))
}
