import CEvdev
import Testing

@testable import PressureBindings
@testable import PressureKit

@Test func `the example that ships is a middle click by a hard press`() throws {
  let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
  let read = try BindingsFile.read(path: "/\(root)/docs/examples/bindings.yaml")
  let middle = Binding(
    trigger: .press(ActionTrigger(stage: "deep")), deed: .pressKey(.key(UInt16(BTN_MIDDLE))))
  #expect(read == Bindings(maxRunning: 8, list: [middle]))
}
