import FoundationEssentials
import Testing

@testable import PressureProtocol

/// Clients may use Foundation's decoder; our own must yield the same.
enum BothDecoders {
  static func decode<Value: Decodable>(_ type: Value.Type, from line: Data) throws -> Value {
    let value = try JSONDecoder().decode(type, from: line)
    #expect("\(try LineDecoder.decode(type, from: Array(line)))" == "\(value)")
    return value
  }
}

struct LineDecoderTests {
  private struct All: Decodable, Equatable {
    enum Word: String, Decodable { case one, two }

    var int: Int?
    var small: Int8?
    var unsigned: UInt64?
    var double: Double?
    var float: Float?
    var bool: Bool?
    var text: String?
    var word: Word?
    var list: [Int?]?
    var lists: [[Double]]?
    var words: [String: String]?
  }

  private func all(_ line: String) throws -> All {
    try LineDecoder.decode(from: Array(line.utf8))
  }

  @Test(
    arguments: [
      "{}", #"{"int":-5,"small":127,"unsigned":9223372036854775807}"#, #"{"int":1.0,"double":3}"#,
      #"{"double":-1.5e-7,"float":0.1,"bool":true}"#,
      #"{"bool":false,"text":"\u00e4\n\ud83d\ude00"}"#,
      #"{"int":null,"text":null,"list":null}"#, #"{"list":[1,null,3],"lists":[[],[0.5,2]]}"#,
      #"{"word":"two","words":{"a":"b","":"c"},"unknown":{"x":[{}]}}"#, " {\"int\" : 7 } \n",
      #"{"int":-0,"double":-0,"float":-0.0}"#, #"{"double":1e-300,"float":3.4e38}"#,
      #"{"unsigned":9223372036854775807,"double":18446744073709551615}"#,
      #"{"unsigned":9223372036854775808}"#, #"{"unsigned":18446744073709551615}"#,
      #"{"int":1,"int":2}"#, #"{"int":null,"int":2}"#, #"{"words":{"a":"b","a":"c"}}"#,
      #"{"double":0.\#(String(repeating: "1", count: 126))}"#,
    ])
  func `a line is decoded as by Foundation`(line: String) throws {
    #expect(try all(line) == JSONDecoder().decode(All.self, from: Data(line.utf8)))
  }

  @Test(
    arguments: [
      #"{"int":1.5}"#, #"{"small":128}"#, #"{"small":-129}"#, #"{"unsigned":-1}"#, #"{"int":"1"}"#,
      #"{"int":9223372036854775808}"#, #"{"bool":1}"#, #"{"text":1}"#, #"{"double":"1"}"#,
      #"{"word":"three"}"#, #"{"list":{}}"#, #"{"lists":[[null]]}"#, #"{"words":[]}"#,
      #"{"words":{"a":1}}"#, "[]", "1", "", "{", #"{"int":1}x"#, #"{"text":"\ud800"}"#,
      #"{"double":1e400}"#, #"{"float":1e300}"#, #"{"unsigned":18446744073709551616}"#,
      #"{"int":1,"int":2"#, #"{"double":01}"#, #"{"double":.5}"#,
      #"{"int":1e400}"#, "{\"text\":\"\u{1}\"}",
    ])
  func `what Foundation refuses is refused`(line: String) throws {
    #expect(throws: (any Error).self) { try all(line) }
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(All.self, from: Data(line.utf8))
    }
  }

  @Test(arguments: [
    Array(#"{"int":1,}"#.utf8), Array(#"{"list":[1,]}"#.utf8), Array("\u{feff}{}".utf8),
    Array(#"{"other":1e400}"#.utf8), Array("{}".utf8) + [0],
    Array(#"{"other":0.\#(String(repeating: "1", count: 127))}"#.utf8),
    Array(#"{"other":""#.utf8) + [0xff] + Array(#""}"#.utf8),
  ])
  func `some lines that Foundation may decode are refused`(line: [UInt8]) {
    #expect(throws: RequestError.self) { try LineDecoder.decode(All.self, from: line) }
  }

  @Test func `a number that is too small for Double is zero`() throws {
    #expect(try all(#"{"double":-1e-400}"#).double == 0)
  }

  /// Foundation reads them exactly; no field of the protocol needs them.
  @Test(arguments: ["9007199254740993.0", "-641441909.35282E10"])
  func `integers that Double may have rounded are refused`(number: String) {
    #expect(throws: DecodingError.self) { try all(#"{"unsigned":\#(number)}"#) }
    #expect(throws: DecodingError.self) { try all(#"{"int":\#(number)}"#) }
  }

  @Test func `of a key that is there twice the first value counts at all levels`() throws {
    let line = #"{"int":1,"list":[1],"words":{"a":"1","b":"2","a":"3"},"list":[2],"int":2}"#
    let decoded = try all(line)
    #expect(decoded.int == 1 && decoded.list == [1] && decoded.words == ["a": "1", "b": "2"])
    let nested = #"{"result":{"int":1,"int":2}}"#
    #expect(
      try LineDecoder.decode(ReceivedResult<All>.self, from: Array(nested.utf8)).result.int == 1)
    #expect(
      try JSONDecoder().decode(ReceivedResult<All>.self, from: Data(nested.utf8)).result.int == 1)
  }

  @Test func `an error contains where it is`() throws {
    let line = #"{"result":{"list":[1,2,"x"]}}"#
    let error = #expect(throws: DecodingError.self) {
      try LineDecoder.decode(ReceivedResult<All>.self, from: Array(line.utf8))
    }
    guard case .typeMismatch(_, let context)? = error else {
      Issue.record("it is another error: \(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["result", "list", "Index 2"])
    #expect(context.debugDescription == "expected Int, found a string")
  }

  @Test func `the depth is limited`() throws {
    func line(_ depth: Int) -> String {
      #"{"other":"# + String(repeating: "[", count: depth - 1)
        + String(repeating: "]", count: depth - 1) + "}"
    }
    #expect(try all(line(64)) == All())
    #expect(throws: RequestError.self) { try all(line(65)) }
    #expect(throws: RequestError.self) { try all(line(100_000)) }
  }

  @Test func `more values than a request has are decoded`() throws {
    let numbers = [Int](0..<20_000)
    #expect(try all("{\"list\":\(numbers)}").list == numbers)
  }
}
