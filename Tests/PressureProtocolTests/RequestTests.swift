import Testing

@testable import PressureKit
@testable import PressureProtocol

extension Request {
  init(line: String) throws(RequestError) { try self.init(line: Array(line.utf8)) }
}

struct RequestTests {
  @Test func `a verb and words are a request`() throws {
    let request = try Request(line: "subscribe  events=weight,heaviest\tmax_hz=10 id=7 a=b=c d=")
    #expect(request.verb == "subscribe")
    #expect(request.id == .text("7"))
    #expect(
      request.arguments == [
        "events": .list([.text("weight"), .text("heaviest")]), "max_hz": .text("10"),
        "a": .text("b=c"), "d": .text(""),
      ])
  }

  @Test func `an object is a request`() throws {
    let request = try Request(
      line: #"{"do":"subscribe","id":7,"events":["weight"],"max_hz":10.5,"a":null,"b":true,"c":{}}"#
    )
    #expect(request.verb == "subscribe")
    #expect(request.id == .integer(7))
    #expect(
      request.arguments == [
        "events": .list([.text("weight")]), "max_hz": .number(10.5), "a": .null,
        "b": .bool(true), "c": .object([:]),
      ])
  }

  @Test(
    arguments: [
      ("", "an empty line; try help", .null, nil),
      (" \t ", "an empty line; try help", .null, nil),
      ("state id=7 now", "now is not a word of the form key=value", .text("7"), "state"),
      ("subscribe max_hz=1 max_hz=2", "max_hz is given twice", .null, "subscribe"),
      ("ping id=a id=b", "id is given twice", .null, "ping"),
      ("ping id=a do=help", "do is given twice", .text("a"), nil),
      ("state a=1 a=2 do=tare", "a is given twice", .null, nil),
      ("state do=x id=1,2", "id must be a number or a string", .null, nil),
      ("ping id=a,b", "id must be a number or a string", .null, "ping"),
      (#"{"id":7}"#, #"a request needs "do", as in {"do":"state"}"#, .integer(7), nil),
      (#"{"do":1}"#, #"a request needs "do", as in {"do":"state"}"#, .null, nil),
      (#"{"do":"ping","max_hz":1,"max_hz":2}"#, "max_hz is given twice", .null, "ping"),
      (#"{"do":"ping","id":"a","id":"b"}"#, "id is given twice", .null, "ping"),
      (#"{"id":"a","do":"ping","do":"help"}"#, "do is given twice", .text("a"), nil),
      (#"{"do":"state","a":1,"a":1,"do":"tare"}"#, "a is given twice", .null, nil),
      (#"{"do":"state","id":7,"a":1,"a":1}"#, "a is given twice", .integer(7), "state"),
      (#"{"do":"state","id":7,"b":{"a":1,"a":1}}"#, "a is given twice", .integer(7), "state"),
    ] as [(String, String, RequestValue, String?)])
  func `of a line that is no request what is known comes back`(
    line: String, message: String, id: RequestValue, verb: String?
  ) {
    let error = #expect(throws: RequestError.self) { try Request(line: line) }
    #expect(error?.code == .badArgument)
    #expect(error?.message == message)
    #expect(error?.id == id)
    #expect(error?.verb == verb)
  }

  @Test(arguments: [
    ("[1]", "id must be a number or a string"), ("{}", "id must be a number or a string"),
    ("true", "id must be a number or a string"),
    ("-1e300", "id has more than 64 bits; send it as a string"),
    ("18446744073709551616", "id has more than 64 bits; send it as a string"),
    ("-9223372036854775809", "id has more than 64 bits; send it as a string"),
    ("-1e19", "id has more than 64 bits; send it as a string"),
  ])
  func `a bad id is answered with the verb`(id: String, message: String) {
    for (verb, known) in [(#""ping""#, "ping"), ("1", nil)] as [(String, String?)] {
      let error = #expect(throws: RequestError.self) {
        try Request(line: #"{"do":\#(verb),"id":\#(id)}"#)
      }
      #expect(error?.code == .badArgument)
      #expect(error?.message == message)
      #expect(error?.verb == known)
      #expect(error?.id == .null)
    }
  }

  @Test func `words have as many values as a request may have`() throws {
    let most = Array(repeating: "a", count: 1023).joined(separator: ",")
    #expect(
      try Request(line: "ping x=,\(most),").arguments["x"]?.texts(isWords: true)?.count == 1023)
    for line in ["ping x=\(most),a", "ping y=a x=\(most)"] {
      let error = #expect(throws: RequestError.self) { try Request(line: line) }
      #expect(error?.message == "a request has at most 1024 values")
      #expect(error?.verb == "ping")
    }
  }

  @Test(arguments: [
    [0xff], Array("ping a=".utf8) + [0xc3], Array("ping ".utf8) + [0xed, 0xa0, 0x80],
  ])
  func `words are UTF-8`(line: [UInt8]) {
    #expect(throws: RequestError(.badArgument, "the line is not UTF-8")) { try Request(line: line) }
  }

  @Test(arguments: [
    (#"{"do":"subscribe","max_hz":"10"}"#, "subscribe max_hz=10"),
    (#"{"do":"subscribe","events":"reply"}"#, "subscribe events=reply"),
    (#"{"do":"subscribe","devices":"a"}"#, "subscribe devices=a"),
    (#"{"do":"grab","on":"true"}"#, "grab on=true"),
    (#"{"do":"count","sample":"5"}"#, "count sample=5"),
  ])
  func `only words may give a number, a truth value or a list as text`(json: String, words: String)
    throws
  {
    let request = try Request(line: json)
    #expect(throws: RequestError.self) { try Command(request) }
    _ = try Command(Request(line: words))
  }

  @Test(arguments: [
    (#"{"do":"ping"}"#, "null"), (#"{"do":"ping","id":9}"#, "9"),
    (#"{"do":"ping","id":-9007199254740993}"#, "-9007199254740993"),
    (#"{"do":"ping","id":9223372036854775807}"#, "9223372036854775807"),
    (#"{"do":"ping","id":18446744073709551615}"#, "18446744073709551615"),
    (#"{"do":"ping","id":1.5}"#, "1.5"), (#"{"do":"ping","id":"a\"b"}"#, #""a\"b""#),
  ])
  func `an answer carries the id as it was given`(json: String, id: String) throws {
    var lines = JSONLinesWriter()
    lines.beginReply(to: try Request(line: json))
    lines.append("{}")
    lines.endReply()
    #expect(
      lines.text == "{\"event\":\"reply\",\"id\":\(id),\"do\":\"ping\",\"ok\":true,\"result\":{}}\n"
    )
  }

  @Test func `an error is answered as the protocol shows it`() throws {
    let request = try Request(line: #"{"do":"nonsense","id":9}"#)
    let error = #expect(throws: RequestError.self) { try Command(request) }
    var lines = JSONLinesWriter()
    lines.appendError(try #require(error), to: request)
    let words = #expect(throws: RequestError.self) { try Request(line: "state id=7 now") }
    lines.appendError(try #require(words))
    lines.appendError(RequestError(.lineTooLong, "a line has at most 16384 bytes"))
    #expect(
      lines.text == """
        {"event":"reply","id":9,"do":"nonsense","ok":false,"error":\
        {"code":"unknown_command","message":"nonsense is not a command; try help"}}
        {"event":"reply","id":"7","do":"state","ok":false,"error":\
        {"code":"bad_argument","message":"now is not a word of the form key=value"}}
        {"event":"reply","id":null,"do":null,"ok":false,"error":\
        {"code":"line_too_long","message":"a line has at most 16384 bytes"}}

        """)
  }

  @Test(arguments: [
    "a", String(repeating: "a", count: 40), String(repeating: "\u{1f449}", count: 40), "",
  ])
  func `a short text is quoted whole`(text: String) {
    #expect(text.truncated == text)
  }

  @Test func `of a long text the beginning is quoted`() throws {
    let long = String(repeating: "a", count: 9000)
    #expect(long.truncated == String(repeating: "a", count: 40) + "…")
    // A single character, and yet a line full of marks.
    #expect(("a" + String(repeating: "\u{301}", count: 9000)).truncated.unicodeScalars.count == 41)
    let lines = [
      long, "ping \(long)", "ping \(long)=1", "subscribe events=\(long)", "ping id=7 \(long)",
    ]
    for line in lines {
      let answer = refusal(of: line)
      #expect(answer.utf8.count < 400 && answer.contains("aaa…"), "\(answer)")
    }
  }

  @Test func `names are compared by their bytes and limited`() throws {
    // Both look the same, and neither is normalized.
    #expect(RequestKey("\u{e9}") != RequestKey("e\u{301}"))
    #expect(RequestKey("a") == RequestKey("a"))
    let most = String(repeating: "a", count: 256)
    for request in ["state device=", "perform type=", "subscribe devices="] {
      _ = try Command(Request(line: request + most))
      #expect(refusal(of: request + most + "a").contains("at most 256 bytes"))
    }
    let names = (0..<64).map { "d\($0)" }.joined(separator: ",")
    _ = try Command(Request(line: "subscribe devices=\(names)"))
    #expect(refusal(of: "subscribe devices=\(names),e").contains("at most 64 strings"))
    let marks = String(repeating: "\u{301}", count: 30)
    _ = try Command(Request(line: "add_action type=a title=a\(marks)"))
    #expect(
      refusal(of: "add_action type=a title=a\(marks)\u{316}").contains("30 combining marks"))
  }

  private func refusal(of line: String) -> String {
    var answer = JSONLinesWriter()
    var request: Request?
    do throws(RequestError) {
      let understood = try Request(line: line)
      request = understood
      _ = try Command(understood)
    } catch {
      answer.appendError(error, to: request)
    }
    return answer.text
  }
}
