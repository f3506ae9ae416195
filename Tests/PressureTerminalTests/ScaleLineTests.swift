import Testing

@testable import PressureProtocol
@testable import PressureTerminal

struct ScaleLineTests {
  @Test(arguments: [
    #"{"event":"scale","time":5,"device":"pad","status":"stable","grams":77,"gross_grams":77.1,"tare_grams":0.1,"#
      + #""error_grams":0.5,"repeat_grams":0.2,"rate":-1.5,"held":false,"decaying":true,"#
      + #""target":{"grams":100,"tolerance":0.5,"within":true},"user":1000,"request":"tare"}"#,
    #"{"event":"scale","time":0,"device":"a\u009b\u202eü","status":"fault","grams":null,"gross_grams":null,"#
      + #""tare_grams":0,"error_grams":null,"repeat_grams":null,"rate":null,"held":true,"decaying":false,"target":null}"#,
  ])
  func `a decoded reading is written as it was`(line: String) throws {
    let scale = try LineDecoder.decode(ReceivedScale.self, from: Array(line.utf8))
    #expect(scale.jsonText == line)
  }
}
