import Testing

@testable import PressureKit
@testable import PressureProtocol

struct RequestTests {
  /// Reads a line of JSON as the daemon does.
  private func request(json: String) throws -> Request {
    try Array(json.utf8).withUnsafeBufferPointer { try Request(line: $0) }
  }

  @Test func `a verb and words are a request`() throws {
    let request = try Request(words: "subscribe  events=weight,heaviest\tmax_hz=10 id=7 a=b=c d=")
    #expect(request.verb == "subscribe")
    #expect(request.id == .text("7"))
    #expect(
      request.arguments == [
        "events": .list([.text("weight"), .text("heaviest")]), "max_hz": .text("10"),
        "a": .text("b=c"), "d": .text(""),
      ])
  }

  @Test(arguments: [
    ("", "an empty line; try help"), (" \t ", "an empty line; try help"),
    ("state now", "now is not a word of the form key=value"),
  ])
  func `words that are no request are refused`(line: String, message: String) {
    let error = #expect(throws: RequestError.self) { try Request(words: line[...]) }
    #expect(error?.code == .badArgument)
    #expect(error?.message == message)
  }

  @Test func `an object is a request`() throws {
    let request = try request(
      json: #"{"do":"subscribe","id":7,"events":["weight"],"max_hz":10.5,"a":null,"b":true,"c":{}}"#
    )
    #expect(request.verb == "subscribe")
    #expect(request.id == .integer(7))
    #expect(
      request.arguments == [
        "events": .list([.text("weight")]), "max_hz": .number(10.5), "a": .null,
        "b": .bool(true), "c": .object([:]),
      ])
  }

  @Test(arguments: [
    (#"{"id":null}"#, #"a request needs "do", as in {"do":"state"}"#),
    (#"{"do":1}"#, #"a request needs "do", as in {"do":"state"}"#),
    (#"{"id":[1]}"#, "id must be a number or a string"),
    (#"{"do":1,"id":-1e300}"#, "id has more than 64 bits; send it as a string"),
    (#"{"do":1,"id":18446744073709551616}"#, "id has more than 64 bits; send it as a string"),
    (#"{"do":1,"id":-9223372036854775809}"#, "id has more than 64 bits; send it as a string"),
    (#"{"do":1,"id":-1e19}"#, "id has more than 64 bits; send it as a string"),
  ])
  func `an object that is no request is refused`(json: String, message: String) {
    #expect(throws: RequestError(.badArgument, message)) { try request(json: json) }
  }

  /// What is given twice, and what the answer to it carries.
  @Test(
    arguments: [
      (
        ["do": "ping", "max_hz": "1", "max_hz": "2"], "max_hz is given twice", RequestValue.null,
        "ping"
      ),
      (["do": "ping", "id": "a", "id": "b"], "id is given twice", .null, "ping"),
      (["id": "a", "do": "ping", "do": "help"], "do is given twice", .text("a"), nil),
    ] as [(KeyValuePairs<String, String>, String, RequestValue, String?)])
  func `a member that is given twice is refused`(
    members: KeyValuePairs<String, String>, message: String, id: RequestValue, verb: String?
  ) {
    let error = #expect(throws: RequestError.self) {
      try Request(members: members.map { ($0.key, RequestValue.text($0.value)) })
    }
    #expect(error?.code == .badArgument)
    #expect(error?.message == message)
    #expect(error?.id == id)
    #expect(error?.verb == verb)
  }

  @Test(
    arguments: [
      ("subscribe max_hz=1 max_hz=2", "max_hz is given twice", RequestValue.null, "subscribe"),
      ("ping id=a id=b", "id is given twice", .null, "ping"),
      ("ping id=a do=help", "do is given twice", .text("a"), nil),
      ("ping id=a,b", "id must be a number or a string", .null, "ping"),
    ] as [(String, String, RequestValue, String?)])
  func `a word that is given twice is refused`(
    line: String, message: String, id: RequestValue, verb: String?
  ) {
    let error = #expect(throws: RequestError.self) { try Request(words: line[...]) }
    #expect(error?.code == .badArgument)
    #expect(error?.message == message)
    #expect(error?.id == id)
    #expect(error?.verb == verb)
  }

  @Test func `words have as many values as a request may have`() throws {
    let most = Array(repeating: "a", count: 1023).joined(separator: ",")
    #expect(
      try Request(words: "ping x=,\(most),").arguments["x"]?.texts(isWords: true)?.count == 1023)
    for line in ["ping x=\(most),a", "ping y=a x=\(most)"] {
      let error = #expect(throws: RequestError.self) { try Request(words: line[...]) }
      #expect(error?.message == "a request has at most 1024 values")
      #expect(error?.verb == "ping")
    }
  }

  @Test(arguments: [
    [0xff], Array("ping a=".utf8) + [0xc3], Array("ping ".utf8) + [0xed, 0xa0, 0x80],
  ])
  func `words are UTF-8`(line: [UInt8]) {
    let error = #expect(throws: RequestError.self) {
      try line.withUnsafeBufferPointer { try Request(line: $0) }
    }
    #expect(error?.code == .badArgument)
    #expect(error?.message == "the line is not UTF-8")
  }

  @Test(arguments: ["[1]", "{}", "true", "18446744073709551616"])
  func `a bad id is answered with the verb`(id: String) {
    let error = #expect(throws: RequestError.self) {
      try request(json: #"{"do":"ping","id":\#(id)}"#)
    }
    #expect(error?.verb == "ping")
    #expect(error?.id == .null)
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
    let request = try request(json: json)
    #expect(throws: RequestError.self) { try Command(request) }
    _ = try Command(Request(words: words[...]))
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
    lines.beginReply(to: try request(json: json))
    lines.append("{}")
    lines.endReply()
    #expect(
      lines.text == "{\"event\":\"reply\",\"id\":\(id),\"do\":\"ping\",\"ok\":true,\"result\":{}}\n"
    )
  }

  @Test func `an error is answered as the protocol shows it`() throws {
    let request = try request(json: #"{"do":"nonsense","id":9}"#)
    let error = #expect(throws: RequestError.self) { try Command(request) }
    var lines = JSONLinesWriter()
    lines.appendError(try #require(error), to: request)
    lines.appendError(RequestError(.lineTooLong, "a line has at most 16384 bytes"))
    #expect(
      lines.text == """
        {"event":"reply","id":9,"do":"nonsense","ok":false,"error":\
        {"code":"unknown_command","message":"nonsense is not a command; try help"}}
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
      _ = try Command(Request(words: (request + most)[...]))
      #expect(refusal(of: request + most + "a").contains("at most 256 bytes"))
    }
    let names = (0..<64).map { "d\($0)" }.joined(separator: ",")
    _ = try Command(Request(words: "subscribe devices=\(names)"))
    #expect(refusal(of: "subscribe devices=\(names),e").contains("at most 64 strings"))
    let marks = String(repeating: "\u{301}", count: 30)
    _ = try Command(Request(words: "add_action type=a title=a\(marks)"))
    #expect(
      refusal(of: "add_action type=a title=a\(marks)\u{316}").contains("30 combining marks"))
  }

  @Test func `what is given twice is heard once`() throws {
    let command = try Command(Request(words: "subscribe events=scale,scale devices=a,b,a"))
    guard case .subscribe(let subscription) = command else { throw RequestError(.failed, "") }
    #expect(subscription.events == [.scale])
    #expect(subscription.devices == ["a", "b"])
  }

  private func refusal(of line: String) -> String {
    var answer = JSONLinesWriter()
    var request: Request?
    do throws(RequestError) {
      let understood = try Request(words: line[...])
      request = understood
      _ = try Command(understood)
    } catch {
      answer.appendError(error, to: request)
    }
    return answer.text
  }

  @Test func `what is known of a line that is no whole request comes back`() throws {
    var lines = JSONLinesWriter()
    let object = #expect(throws: RequestError.self) { try Request(members: ["id": .integer(7)]) }
    let words = #expect(throws: RequestError.self) { try Request(words: "state id=7 now") }
    lines.appendError(try #require(object))
    lines.appendError(try #require(words))
    let heads = lines.text.split(separator: "\n").map { $0.prefix { $0 != "k" } }
    #expect(
      heads == [
        #"{"event":"reply","id":7,"do":null,"o"#, #"{"event":"reply","id":"7","do":"state","o"#,
      ])
  }
}
