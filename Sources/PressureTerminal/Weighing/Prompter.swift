internal import Glibc
internal import PressureClient
internal import PressureProtocol
internal import PressureSystem

/// Asks questions on standard input and sends requests to the daemon, and handles events while it waits for either.
///
/// There is one question at a time, so it polls both descriptors itself and needs no event loop.
final class Prompter {
  private static let replyTimeout = 10.0

  /// The interval at which the status line is updated, in milliseconds.
  static let updateInterval: Int32 = 100

  let console = Console()

  /// Receives every line of the daemon that is not a reply.
  var handler: (ReceivedEvent) -> Void = { _ in }

  private let connection: Connection
  private var input = LineFramer(limit: 1000)
  private(set) var answers: [String] = []
  private var pending = PendingReplies<Void>()
  private var reply: (reply: ReceivedReply, line: [UInt8])?
  private(set) var hasInputEnded = false

  init(_ connection: Connection) {
    self.connection = connection
  }

  func ask(_ question: String, status: () -> String) throws(ExitError) -> String? {
    console.ask(question)
    while answers.isEmpty, !hasInputEnded {
      console.setStatus(status())
      try wait()
    }
    console.answerReceived()
    return answers.isEmpty ? nil : answers.removeFirst()
  }

  func send(_ request: Request) throws(ExitError) -> (reply: ReceivedReply, line: [UInt8]) {
    var lines = JSONLinesWriter()
    pending.append(request, for: (), to: &lines)
    reply = nil
    try ConnectionError.orExit(try connection.send(lines))
    let deadline = Deadline(seconds: Prompter.replyTimeout)
    while true {
      if let reply { return reply }
      guard deadline.milliseconds > 0 else { throw ExitError(.timedOut(Prompter.replyTimeout)) }
      try wait()
    }
  }

  /// Sends a request and returns the decoded result of the reply; an error reply is thrown.
  func result<Value: Decodable>(of request: Request, as: Value.Type) throws(ExitError) -> Value {
    let answer = try send(request)
    guard answer.reply.isSuccess else { throw ExitError(answer.reply.error) }
    return try Prompter.decode(answer.line)
  }

  static func decode<Value: Decodable>(_ line: [UInt8]) throws(ExitError) -> Value {
    guard let reply = try? LineDecoder.decode(ReceivedResult<Value>.self, from: line)
    else { throw ExitError("the daemon's reply has an unknown format", .badData) }
    return reply.result
  }

  // MARK: - Waiting

  func wait() throws(ExitError) {
    let events = connection.readiness.contains(.writing) ? POLLIN | POLLOUT : POLLIN
    var descriptors = [
      pollfd(fd: connection.descriptor, events: Int16(events), revents: 0),
      pollfd(fd: hasInputEnded ? -1 : STDIN_FILENO, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&descriptors, 2, Prompter.updateInterval) >= 0 || errno == EINTR else {
      throw ExitError(
        SystemError(attempt: "wait for an answer", number: errno).sentence, .internalError)
    }
    if descriptors[0].revents != 0 { try ConnectionError.orExit(try transferLines()) }
    if descriptors[1].revents != 0 { readInput() }
  }

  private func transferLines() throws(ConnectionError) {
    try connection.flush()
    for line in try connection.receive() {
      let event = ReceivedEvent(line: line)
      guard case .reply(let reply) = event else {
        handler(event)
        continue
      }
      if reply.rejectsConnection || pending.remove(for: reply) != nil { self.reply = (reply, line) }
    }
  }

  private func readInput() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    hasInputEnded = count <= 0
    for case .whole(let line) in input.push(bytes.prefix(max(count, 0)), isLast: hasInputEnded) {
      answers.append(String(decoding: line, as: UTF8.self).onOneLine)
    }
  }
}

/// The output of a dialog: lines and, on a terminal, a status line that is overwritten.
///
///     reading 41.2 % of its range, ≈ 52 g        ← the status line, above the question
///     What does it weigh? 50_
///
/// The terminal stays in canonical mode: it edits the answer, and nothing needs to be restored if the program is killed.
/// There is a status line only if standard input and output are a terminal with cursor control.
final class Console {
  let hasStatusLine = isatty(STDIN_FILENO) == 1 && Terminal.isInteractive

  private var status = ""

  /// The number of rows of the present question, above which the status line is; nil between questions.
  private var questionRows: Int?

  func print(_ text: String) {
    clear()
    StandardOutput.print(lines(of: text, reserving: 0).joined(separator: "\n"))
  }

  /// The lines of a text, with room for a number of columns at the end of each.
  private func lines(of text: String, reserving columns: Int) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard isatty(STDOUT_FILENO) == 1 else { return lines }
    return lines.flatMap { $0.wrapped(to: max(width - columns, 1)) }
  }

  func ask(_ question: String) {
    clear()
    let lines = lines(of: question, reserving: Console.answerWidth)
    let text = lines.joined(separator: "\n")
    guard hasStatusLine else { return StandardOutput.print(text) }
    questionRows = lines.count
    StandardOutput.print("\n\(text) ", end: "")
  }

  private static let answerWidth = 12

  /// Clears the status line above the question, after the terminal has echoed the line break of the answer.
  func answerReceived() {
    if let questionRows {
      StandardOutput.print("\u{1b}7\u{1b}[\(questionRows + 1)A\r\u{1b}[K\u{1b}8", end: "")
    }
    questionRows = nil
    status = ""
  }

  func setStatus(_ text: String) {
    guard hasStatusLine, text != status else { return }
    status = text
    // Only one row is overwritten.
    let line = "\r\(text.prefix(width - 1))\u{1b}[K"
    // The cursor is saved and restored in one write, so that typing is not disturbed.
    let sequence = questionRows.map { "\u{1b}7\u{1b}[\($0)A\(line)\u{1b}8" }
    StandardOutput.print(sequence ?? line, end: "")
  }

  private func clear() {
    if questionRows == nil, !status.isEmpty { StandardOutput.print("\r\u{1b}[K", end: "") }
    status = ""
  }

  private var width: Int { TerminalSize(of: STDOUT_FILENO).columns }
}
