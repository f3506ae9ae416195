import FoundationEssentials
import Testing

@testable import PressureKit
@testable import PressureProtocol

/// What a client reads in the daemon's lines.
struct ReceivedEventTests {
  private func event(_ line: String) throws -> ReceivedEvent {
    try BothDecoders.decode(ReceivedEvent.self, from: Data(line.utf8))
  }

  @Test func `a press is read, and what it carries beyond that is passed over`() throws {
    let line = """
      {"event":"press","time":7,"device":"0018-06cb-cd41","state":"changed","contact":45,"slot":0,\
      "x":0.5,"y":0.25,"fingers":1,"stage":"deep","progress":0.1,"transition":0.1,"force":4.8,\
      "ratio":0.72,"grams":277,"simulated":false,"clicked":true,"target":"left","target_x":1,"later":{"a":[1]}}
      """
    var press = ReceivedPress(
      time: 7, device: "0018-06cb-cd41", contact: 45, state: .known(.changed), stage: "deep",
      fingers: 1)
    (press.x, press.y, press.force, press.ratio) = (0.5, 0.25, 4.8, 0.72)
    (press.grams, press.target, press.simulated) = (277, "left", false)
    press.clicked = true
    (press.progress, press.transition, press.slot, press.targetX) = (0.1, 0.1, 0, 1)
    #expect(try event(line) == .press(press))
  }

  @Test func `a press may lack values that its device does not report`() throws {
    let line = """
      {"event":"press","time":7,"device":"a","state":"melted","contact":45,"grams":null,"target":null}
      """
    #expect(
      try event(line) == .press(ReceivedPress(time: 7, device: "a", contact: 45, state: .unknown)))
  }

  @Test func `a refusal carries its code and its sentence`() throws {
    let line = """
      {"event":"reply","id":null,"do":null,"ok":false,"error":{"code":"busy","message":"too many"}}
      """
    let error = ReceivedError(code: .known(.busy), message: "too many")
    #expect(try event(line) == .reply(ReceivedReply(verb: nil, isSuccess: false, error: error)))
  }

  @Test func `an event that is not known is another one`() throws {
    #expect(try event(#"{"event":"rainbow","colors":7}"#) == .other)
  }

  @Test(arguments: [#"{"event":"press"}"#, #"{"time":1}"#, "[]", "hello", ""])
  func `a line that is none of ours is refused`(line: String) {
    #expect(throws: (any Error).self) { try event(line) }
  }

  @Test func `a request of ours is one that the daemon reads`() throws {
    var lines = JSONLinesWriter()
    lines.append(.subscribe(events: [.press, .action], maximumRate: 0.5))
    #expect(lines.text == #"{"do":"subscribe","events":["press","action"],"max_hz":0.5}"# + "\n")
  }
}
