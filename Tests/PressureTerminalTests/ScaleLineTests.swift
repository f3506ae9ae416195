import Testing

@testable import PressureKit
@testable import PressureProtocol
@testable import PressureTerminal

struct ScaleLineTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `all three sources of a reading result in the same object`() {
    let fields = #""status":"stable","grams":77,"target":null,"later":{"a":[1,{"target":2}]}}"#
    let event = #"{"event":"scale","time":5,"device":"pad","# + fields
    #expect(ScaleLine(event: bytes(event)).text == event)
    let weigh =
      #"{"do":"weigh","result":{"time":5,"device":"pad","#
    #expect(ScaleLine(weigh: bytes(weigh + fields + "}"))?.text == event)
    let state =
      #"{"event":"reply","do":"state","ok":true,"result":[{"device":"pad","contacts":[{"scale":1}],"scale":{"#
    let lines = ScaleLine.all(state: bytes(state + fields + "}]}"), at: 5)
    #expect(lines.map(\.text) == [event])
  }

  @Test func `a local target replaces that of the daemon`() {
    var line = ScaleLine(
      event: bytes(#"{"event":"scale","target":{"grams":1,"within":false},"held":true}"#))
    line.setTarget(nil)
    #expect(line.text.contains(#""grams":1,"#))
    line.setTarget(ReceivedScale.Target(grams: 100, tolerance: 0.5, within: true))
    #expect(
      line.text
        == #"{"event":"scale","target":{"grams":100,"tolerance":0.5,"within":true},"held":true}"#)
  }

  @Test func `control characters are escaped`() {
    let line = ScaleLine(event: bytes("{\"device\":\"a\u{9b}\u{202e}\u{e0001}ü\"}"))
    #expect(line.text == #"{"device":"a\u009b\u202e\udb40\udc01ü"}"#)
  }

  @Test(arguments: [
    "", "\"", "{", "{\"scale", "{\"scale\"", "{\"scale\":", "]]]", "\"\\", "{\"a\\",
  ])
  func `invalid JSON is ignored`(text: String) {
    for depth in -1...3 {
      #expect(JSONText(bytes: bytes(text)).values(of: "scale", depth: depth).isEmpty)
    }
    #expect(ScaleLine(weigh: bytes(text)) == nil)
  }
}
