internal import CTerminal
internal import FoundationEssentials
internal import Glibc
package import PressureConnection
internal import PressureKit
package import PressureProtocol
package import PressureSystem

/// A conversation with somebody who types, while the daemon goes on telling what happens.
///
/// One question after another, so it waits here for two sides and needs no loop.
package final class Prompter {
  /// How long an answer of the daemon's may take, in seconds.
  private static let patience = 10.0

  /// Milliseconds between two looks at what lives.
  static let tick: Int32 = 100

  let console: Console

  private let connection: Connection
  private let hear: (ReceivedEvent) -> Void
  private var typed = LineFramer(limit: 1000)
  private var answers: [String] = []
  private var replies: [(reply: ReceivedReply, line: [UInt8])] = []
  private(set) var isInputOver = false

  /// - Parameters:
  ///   - connection: to the daemon.
  ///   - console: where it is written.
  ///   - hear: hears every line of the daemon's that is no answer.
  package init(
    _ connection: Connection, on console: Console, hear: @escaping (ReceivedEvent) -> Void
  ) {
    self.connection = connection
    self.console = console
    self.hear = hear
  }

  /// Whether something was typed that nobody has asked for yet.
  var hasAnswer: Bool { !answers.isEmpty }

  /// Asks, and waits for a line; nil where no more will be typed.
  package func ask(_ question: String, live: () -> String) throws(ExitError) -> String? {
    console.ask(question)
    while answers.isEmpty, !isInputOver {
      console.live(live())
      try wait()
    }
    console.answered()
    guard !answers.isEmpty else { return nil }
    return answers.removeFirst()
  }

  /// Asks the daemon, and waits for what it answers.
  package func request(
    _ verb: String, _ arguments: KeyValuePairs<String, RequestValue> = [:]
  ) throws(ExitError) -> (reply: ReceivedReply, line: [UInt8]) {
    var lines = JSONLinesWriter()
    lines.appendRequest(verb, arguments)
    do throws(ConnectionError) { try connection.send(lines) } catch { throw ExitError(error) }
    let deadline = Deadline(seconds: Prompter.patience)
    while replies.isEmpty {
      guard deadline.milliseconds > 0 else { throw ExitError(.timedOut(Prompter.patience)) }
      try wait()
    }
    return replies.removeFirst()
  }

  /// The same, where a refusal is the end and the result is of a kind that is known.
  package func result<Value: Decodable>(
    of verb: String, _ arguments: KeyValuePairs<String, RequestValue> = [:], as: Value.Type
  ) throws(ExitError) -> Value {
    let answer = try request(verb, arguments)
    guard answer.reply.isSuccess else { throw ExitError(answer.reply.error) }
    return try Prompter.read(answer.line)
  }

  package static func read<Value: Decodable>(_ line: [UInt8]) throws(ExitError) -> Value {
    guard let answer = try? JSONDecoder().decode(ReceivedResult<Value>.self, from: Data(line))
    else { throw ExitError("the daemon's answer is none that this program knows", .badData) }
    return answer.result
  }
}

// MARK: - Waiting

extension Prompter {
  /// Waits for either side, or for a tick.
  func wait() throws(ExitError) {
    var places = [
      pollfd(fd: connection.descriptor, events: Int16(wanted), revents: 0),
      pollfd(fd: isInputOver ? -1 : STDIN_FILENO, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&places, 2, Prompter.tick) >= 0 || errno == EINTR else {
      throw ExitError(
        SystemError(attempt: "wait for an answer", number: errno).sentence, .internalError)
    }
    if places[0].revents != 0 {
      do throws(ConnectionError) { try converse() } catch { throw ExitError(error) }
    }
    if places[1].revents != 0 { readInput() }
  }

  private var wanted: Int32 { connection.readiness.contains(.writing) ? POLLIN | POLLOUT : POLLIN }

  private func converse() throws(ConnectionError) {
    try connection.flush()
    for line in try connection.receive() {
      let event = ReceivedEvent(line: line)
      if case .reply(let reply) = event { replies.append((reply, line)) } else { hear(event) }
    }
  }

  private func readInput() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    isInputOver = count <= 0
    let lines = typed.push(bytes.prefix(max(count, 0))) + (isInputOver ? typed.finish() : [])
    for case .whole(let line) in lines {
      answers.append(String(decoding: line, as: UTF8.self).onOneLine)
    }
  }
}

/// Where a conversation is written: a roll of paper, and at a terminal one line that is written over.
///
///     reads 105 units, ≈ 52 g        ← the line that lives, above the question
///     What does it weigh? 50_
///
/// The terminal is left in its own mode: it edits the answer, and there is nothing to restore when we are
/// killed. Only where both ends are a terminal that can move its cursor is anything written over.
package final class Console {
  /// Whether there is a line that lives.
  let isLive: Bool

  private var isAsking = false
  private var shown = ""

  package init() {
    let isTerminal = isatty(STDIN_FILENO) == 1 && Terminal.isInteractive
    isLive = isTerminal
  }

  /// Writes a line, or several.
  package func say(_ text: String = "") {
    clear()
    StandardOutput.print(text)
  }

  /// Writes a question; the answer is typed behind it.
  package func ask(_ question: String) {
    clear()
    isAsking = true
    guard isLive else { return StandardOutput.print(question) }
    write("\n\(question) ")
  }

  /// The answer was typed, whose line break the terminal has written; the reading above is over.
  func answered() {
    if isLive, isAsking { write("\u{1b}7\u{1b}[2A\r\u{1b}[K\u{1b}8") }
    isAsking = false
    shown = ""
  }

  /// Writes the line that lives; without one, nothing.
  func live(_ text: String) {
    guard isLive, text != shown else { return }
    shown = text
    let line = "\r\(cut(text))\u{1b}[K"
    // The cursor is kept and put back, in one write, so that typing goes on where it was.
    write(isAsking ? "\u{1b}7\u{1b}[A\(line)\u{1b}8" : line)
  }

  private func clear() {
    if isLive, !isAsking, !shown.isEmpty { write("\r\u{1b}[K") }
    shown = ""
  }

  /// A line that is longer than the terminal is wide would take two, and only one be written over.
  private func cut(_ text: String) -> String {
    var window = winsize()
    let isKnown = pressured_terminal_size(STDOUT_FILENO, &window) == 0 && window.ws_col > 0
    return String(text.prefix(isKnown ? Int(window.ws_col) - 1 : 79))
  }

  private func write(_ text: String) {
    var text = text
    text.withUTF8 { StandardOutput.write($0) }
  }
}
