import PressureKit
import Testing

@testable import PressureDaemon

struct ActionTableTests {
  private static func configuration(_ types: String...) -> Configuration {
    var configuration = Configuration()
    configuration.actions = types.map { Action(type: $0, title: "File") }
    return configuration
  }

  private static func added(_ types: String...) -> [ClientAction] {
    types.map { ClientAction(client: 1, action: Action(type: $0, title: "Client")) }
  }

  private func text(_ table: ActionTable) -> [String] {
    table.map { ($0.isDynamic ? "+" : "") + $0.action.type }
  }

  @Test func `actions of the file come first, then those of clients, then built-in ones`() {
    let table = ActionTable(Self.configuration("a", "pressured.zero"), added: Self.added("b", "c"))
    #expect(
      text(table) == [
        "a", "pressured.zero", "+b", "+c", "pressured.tare", "pressured.untare", "pressured.hold",
        "pressured.release",
      ])
    #expect(table.action("pressured.zero")?.title == "File")
    #expect(table.action("c")?.title == "Client")
    #expect(table.action("pressured.tare") == Action.builtIn[0])
    #expect(table.action("d") == nil)
  }

  @Test func `an action of the file hides that of a client`() {
    var table = ActionTable(Self.configuration("a"), added: Self.added("a", "b"))
    #expect(text(table).prefix(2) == ["a", "+b"])
    #expect(table.dynamic.map(\.action.type) == ["b"])
    #expect(table.action("a")?.title == "File")
    table.added = []
    #expect(table.count == 6)
    #expect(table.action("b") == nil)
  }

  @Test func `the first of two equal types in the file is performed`() {
    var configuration = Self.configuration("a", "a")
    configuration.actions[1].title = "Second"
    let table = ActionTable(configuration)
    #expect(table.action("a")?.title == "File")
    #expect(table.count == 7)
  }

  @Test func `types are compared bytewise`() {
    let table = ActionTable(Self.configuration("\u{e9}"), added: Self.added("e\u{301}"))
    #expect(table.action("\u{e9}")?.title == "File")
    #expect(table.action("e\u{301}")?.title == "Client")
  }
}
