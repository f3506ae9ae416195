import Testing

@testable import PressureKit
@testable import PressureProtocol

struct RequestParserTests {
  private func parse(_ bytes: [UInt8]) throws -> [(key: String, value: RequestValue)] {
    try bytes.withUnsafeBufferPointer { line in
      var parser = RequestParser(line)
      return try parser.readObject()
    }
  }

  /// The value of a member, as it stands in the line.
  private func value(_ json: String) throws -> RequestValue? {
    try parse(Array(#"{"a":\#(json)}"#.utf8)).first?.value
  }

  @Test(
    arguments: [
      ("0", .integer(0)), ("-0", .integer(0)), ("7", .integer(7)), ("1e2", .integer(100)),
      ("1.0", .integer(1)), ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)),
      ("9007199254740993", .integer(9_007_199_254_740_993)),
      ("9007199254740991.0", .integer(9_007_199_254_740_991)),
      ("9007199254740993.0", .number(0x1p53)), ("1e18", .number(1e18)),
      ("9223372036854775808", .largeInteger("9223372036854775808")), ("0.1", .number(0.1)),
      ("-9223372036854775809", .largeInteger("-9223372036854775809")),
      ("-1.5E-3", .number(-0.0015)),
      ("5e-324", .number(.leastNonzeroMagnitude)),
      ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
      ("2.2250738585072011e-308", .number(Double.leastNormalMagnitude.nextDown)),
    ] as [(String, RequestValue)])
  func `numbers are exact`(json: String, expected: RequestValue) throws {
    #expect(try value(json) == expected)
  }

  @Test(arguments: [
    (#""""#, ""), (#""ä\"\\\/\b\f\n\r\t""#, "ä\"\\/\u{8}\u{c}\n\r\t"),
    (#""\u00e4\u0000A""#, "ä\u{0}A"), (#""x\ud83d\udd90y""#, "x\u{1f590}y"),
    (#""\uFFFF""#, "\u{ffff}"),
  ])
  func `escapes and surrogate pairs are read`(json: String, expected: String) throws {
    #expect(try value(json) == .text(expected))
  }

  @Test func `lists and objects are read`() throws {
    #expect(
      try value(#" [ 1 , "b" , null , [ true ] , { "c" : false } ] "#)
        == .list([
          .integer(1), .text("b"), .null, .list([.bool(true)]), .object(["c": .bool(false)]),
        ]))
    #expect(try value("[]") == .list([]))
    #expect(try value("{}") == .object([:]))
  }

  @Test(arguments: [
    "", "1,", ",1", "[1,]", "[,1]", #"{"b":1,}"#, "[1", #"{"b":1"#, #"{"b"}"#, "{1:2}", "01", "-01",
    "1.", ".5", "1e",
    "+1", "- 1", "NaN", "Infinity", "1e999", "tru", "True", "nul", "'a'", #""a"#, "\"\u{1}\"",
    #""\x""#, #""\u12"#,
    #""\u12g4""#, #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800x""#, "1 2", "\u{0}",
    "/**/1",
  ])
  func `what is not JSON is refused`(json: String) {
    let error = #expect(throws: RequestError.self) { try value(json) }
    #expect(error?.code == .badJSON)
  }

  @Test(arguments: [
    [], Array("[]".utf8), Array("{} {}".utf8), Array("{}x".utf8),
    Array(#"{"a":""#.utf8) + [0xff, 0x22, 0x7d],
    Array(#"{"a":""#.utf8) + [0xed, 0xa0, 0x80, 0x22, 0x7d],
    Array(#"{"a":"\n"#.utf8) + [0xc0, 0x22, 0x7d],
  ])
  func `a line is one object in UTF-8`(line: [UInt8]) {
    let error = #expect(throws: RequestError.self) { try parse(line) }
    #expect(error?.code == .badJSON)
  }

  @Test func `an error states cause and position`() {
    let error = #expect(throws: RequestError.self) { try value("[1,]") }
    #expect(error?.message == "the line is not a JSON object: expected a value, at byte 9")
  }

  @Test func `the depth is limited`() throws {
    let most = RequestParser.maximumDepth - 1
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try value(nested(most))
    let error = #expect(throws: RequestError.self) { try value(nested(most + 1)) }
    #expect(error?.message.contains("4 levels") == true)
  }

  @Test func `the number of values is limited`() throws {
    // The list itself is a value, too.
    let most = RequestParser.maximumValues - 1
    func list(_ count: Int) -> String { "[" + String(repeating: "1,", count: count - 1) + "1]" }
    _ = try value(list(most))
    let error = #expect(throws: RequestError.self) { try value(list(most + 1)) }
    #expect(error?.message.contains("1024 values") == true)
  }

  @Test func `the length of a number is limited`() throws {
    let most = RequestParser.maximumNumberLength
    _ = try value("0." + String(repeating: "1", count: most - 2))
    #expect(throws: RequestError.self) { try value("0." + String(repeating: "1", count: most - 1)) }
  }
}
