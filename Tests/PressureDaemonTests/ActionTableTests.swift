import PressureKit
import Testing

@testable import PressureDaemon

struct ActionTableTests {
  private static func configuration(_ types: String...) -> Configuration {
    var configuration = Configuration()
    configuration.actions = types.map { Action(type: $0, title: "File") }
    return configuration
  }

  private static func added(_ types: String...) -> [ListedAction] {
    types.map { ListedAction(action: Action(type: $0, title: "Client"), client: 1) }
  }

  private func text(_ table: ActionTable) -> [String] {
    table.known(at: .all).map { ($0.client == nil ? "" : "+") + $0.action.type }
  }

  @Test func `actions of the file come first, then those of clients, then built-in ones`() {
    let table = ActionTable(Self.configuration("a", "pressured.zero"), added: Self.added("b", "c"))
    #expect(
      text(table) == [
        "a", "pressured.zero", "+b", "+c", "pressured.tare", "pressured.untare", "pressured.hold",
        "pressured.release",
      ])
    #expect(table.find("pressured.zero")?.action.title == "File")
    #expect(table.find("c")?.action.title == "Client")
    #expect(table.find("pressured.tare")?.action == Action.builtIn[0])
    #expect(table.find("d")?.action == nil)
  }

  @Test func `an action of the file hides that of a client`() {
    var table = ActionTable(Self.configuration("a"), added: Self.added("a", "b"))
    #expect(text(table).prefix(2) == ["a", "+b"])
    #expect(table.find("a")?.action.title == "File")
    table.added = []
    #expect(table.known(at: .all).count == 6)
    #expect(table.find("b")?.action == nil)
  }

  @Test func `the first of two equal types in the file is performed`() {
    var configuration = Self.configuration("a", "a")
    configuration.actions[1].title = "Second"
    let table = ActionTable(configuration)
    #expect(table.find("a")?.action.title == "File")
    #expect(table.known(at: .all).count == 7)
  }

  @Test func `types are compared bytewise`() {
    let table = ActionTable(Self.configuration("\u{e9}"), added: Self.added("e\u{301}"))
    #expect(table.find("\u{e9}")?.action.title == "File")
    #expect(table.find("e\u{301}")?.action.title == "Client")
  }
}
