@testable import PressureClient
@testable import PressureDaemon
@testable import PressureProtocol

/// A fixed run costs at most 36 steps per byte.
private let work = Work(perByte: 100, base: 20_000)

/// Requests of a client: any fragmentation gives the same lines, and each is parsed or rejected with a line.
func fuzzRequest(_ bytes: UnsafeBufferPointer<UInt8>) {
  let lines = work.hold(bytes.count, "framing") {
    var whole = LineFramer()
    return whole.push(bytes, isLast: true)
  }
  require(
    lines == pieced(bytes, by: 1 + Int(bytes.first ?? 0) % 64), "fragmentation makes no difference")
  for line in lines {
    if case .whole(let text) = line {
      require(text.count <= Request.maximumLength, "no line is too long")
      require(!text.contains(UInt8(ascii: "\n")), "a line is one line")
    }
    let parsed = work.hold(size(of: line), "a request") { PendingRequest(line) }
    if let parsed { hold(parsed) }
    if case .whole(let text) = line {
      let grown = Work.grown(text, to: 1024)
      _ = work.hold(grown.count, "a request with repetition") { PendingRequest(.whole(grown)) }
    }
  }
}

private func size(of line: LineFramer.Line) -> Int {
  if case .whole(let text) = line { text.count } else { 0 }
}

private func pieced(_ bytes: UnsafeBufferPointer<UInt8>, by size: Int) -> [LineFramer.Line] {
  var framer = LineFramer()
  var lines: [LineFramer.Line] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    lines += framer.push(rest.prefix(size))
    // Such a line ends the connection.
    if lines.last == .tooLong { break }
    rest = rest.dropFirst(size)
  }
  return lines + framer.push(rest, isLast: true)
}

private func hold(_ parsed: PendingRequest) {
  var answer = JSONLinesWriter()
  switch parsed.command {
  case .failure(let error):
    require(!error.message.isEmpty, "an error has a message")
    answer.appendError(error, to: parsed.request)
  case .success(let command):
    guard let request = parsed.request else { fatalError("a command without a request") }
    require(RequestDefinition.verbs.contains(request.verb), "\(request.verb) is listed by help")
    answer.beginReply(to: request)
    if case .subscribe(let subscription) = command {
      require(subscription.interval >= 0, "an interval is not negative")
      answer.append(subscription)
    } else {
      answer.append("{}")
    }
    answer.endReply()
  }
  JSONValidator.hold(answer.bytes)
}
