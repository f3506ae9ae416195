@testable import PressureConnection
@testable import PressureDaemon
@testable import PressureProtocol

/// Requests cost some 80 steps a byte, and 4000 where they are short.
private let work = Work(perByte: 500, base: 20_000)

/// What a stranger writes into the socket: in any pieces it is the same lines, and each of them is
/// understood or gets an answer that is a line itself.
func fuzzRequest(_ bytes: UnsafeBufferPointer<UInt8>) {
  let lines = work.hold(bytes.count, "cutting lines") {
    var whole = LineFramer()
    return whole.push(bytes) + whole.finish()
  }
  require(lines == pieced(bytes, by: 1 + Int(bytes.first ?? 0) % 64), "pieces make no difference")
  for line in lines {
    if case .whole(let text) = line {
      require(text.count <= Request.maximumLength, "no line is too long")
      require(!text.contains(UInt8(ascii: "\n")), "a line is one line")
    }
    let errand = work.hold(size(of: line), "a request") { PendingRequest(line) }
    if let errand { hold(errand) }
    if case .whole(let text) = line {
      let grown = Work.grown(text, to: 1024)
      _ = work.hold(grown.count, "a request that repeats itself") { PendingRequest(.whole(grown)) }
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
    // The connection ends with such a line.
    if lines.last == .tooLong { break }
    rest = rest.dropFirst(size)
  }
  return lines + framer.finish()
}

private func hold(_ errand: PendingRequest) {
  var answer = JSONLinesWriter()
  switch errand.command {
  case .failure(let fault):
    require(!fault.message.isEmpty, "a refusal says why")
    answer.appendError(fault, to: errand.request)
  case .success(let command):
    guard let request = errand.request else { fatalError("a command without a request") }
    require(Command.names.contains(request.verb), "\(request.verb) is a verb that help knows")
    answer.beginReply(to: request)
    if case .subscribe(let subscription) = command {
      require(subscription.interval >= 0, "a rate is no rate backwards")
      answer.append(subscription)
    } else {
      answer.append("{}")
    }
    answer.endReply()
  }
  JSONValidator.hold(answer.bytes)
}
