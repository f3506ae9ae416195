internal import Glibc
internal import PressureClient
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// The events of a daemon for a program that displays them, until it ends.
///
/// A daemon that ends is waited for, but no other one will listen on the socket of a private daemon.
package final class DaemonFeed {
  enum Update {
    case event(ReceivedEvent, line: [UInt8])
    /// There is no connection any more, or none yet, for a reason that may be new.
    case waiting(ConnectionError, isNew: Bool)
  }

  let loop: EventLoop
  let privateDaemon: PrivateDaemon?
  private let socket: String?
  private(set) var connection: LoopConnection?
  private var failure: ExitError?

  /// Creates a feed of the private daemon, or else of the one at the argument of `--socket`.
  package init(socket: String?, privateDaemon: PrivateDaemon?) throws(ExitError) {
    loop = try SystemError.orExit(.internalError, try EventLoop())
    self.socket = privateDaemon?.path ?? socket
    self.privateDaemon = privateDaemon
  }

  /// Connects, beginning each connection with a greeting; `handler` must not hold this object.
  func start(
    greeting: @escaping (inout JSONLinesWriter) -> Void, handler: @escaping (Update) -> Void
  ) throws(SystemError) {
    let connection = LoopConnection(
      loop: loop, paths: { [socket] in SocketPath.forClients(named: socket) }, greeting: greeting,
      handler: { [weak self] in self?.handle($0, handler) })
    self.connection = connection
    try connection.start()
  }

  private func handle(_ update: ReconnectingConnection.Update, _ handler: (Update) -> Void) {
    switch update {
    case .line(let line): handler(.event(ReceivedEvent(line: line), line: line))
    // The reason follows.
    case .lost: break
    case .unavailable(let error, let isNew):
      if let privateDaemon {
        end(privateDaemon.end(after: ExitError(error)))
      } else if connection?.isHopeless(error) == true {
        end(ExitError(error))
      } else {
        handler(.waiting(error, isNew: isNew))
      }
    }
  }

  func end(_ failure: ExitError?) {
    self.failure = failure
    loop.stop()
  }

  /// Runs what displays the events until the end; throws the error that ended the program.
  ///
  /// The display is gone, and the terminal restored, before an error is thrown.
  package func run(_ make: (DaemonFeed) throws(SystemError) -> AnyObject) throws(ExitError) {
    do throws(SystemError) {
      let display = try make(self)
      _ = try withExtendedLifetime(display) { () throws(SystemError) in try loop.run() }
    } catch {
      throw ExitError(error.sentence, .internalError)
    }
    if let failure { throw failure }
  }

  // MARK: - Requests

  /// What the daemon reads, or the path of its socket.
  var source: String { privateDaemon?.source ?? connection?.daemonPath ?? "" }

  func send(_ request: Request) {
    var lines = JSONLinesWriter()
    lines.append(request)
    connection?.send(lines)
  }
}

/// Prints the events of a daemon as lines or as a table, without a full-screen display.
///
/// Signals keep their default actions, because a write to standard output may block.
package final class EventPrinter {
  private static let tableRate = 10.0

  private let isTable: Bool
  private var output: EventSource?
  private var list = DeviceList()

  /// Starts to print the daemon's JSON lines, for programs, or a table for people.
  package init(_ feed: DaemonFeed, isTable: Bool) throws(SystemError) {
    self.isTable = isTable
    output = feed.loop.watchReader(of: STDOUT_FILENO) { [loop = feed.loop] in loop.stop() }
    if isTable { StandardOutput.print(TableRow.heading) }
    try feed.start { requests in
      guard isTable else { return }
      requests.append(
        .subscribe(events: [.device, .weight, .press], maximumRate: EventPrinter.tableRate))
    } handler: { [weak self] in
      self?.handle($0)
    }
  }

  private func handle(_ update: DaemonFeed.Update) {
    switch update {
    case .event(let event, _) where isTable:
      list.update(with: event)
      let rows = TableRow.rows(of: event) { list[$0]?.device.isEstimate == true }
      if !rows.isEmpty { StandardOutput.print(rows.joined(separator: "\n")) }
    case .event(_, let line):
      (line + [UInt8(ascii: "\n")]).withUnsafeBufferPointer(StandardOutput.write)
    case .waiting(let error, let isNew): if isNew { Log.info(error.waitingSentence) }
    }
  }
}

enum TableRow {
  static let heading = row(["time", "contact", "ratio", "grams", "x", "y"], "device")

  /// The rows for an event, without line breaks; none for events that the table does not contain.
  static func rows(of event: ReceivedEvent, _ isEstimate: (String) -> Bool) -> [String] {
    switch event {
    case .weight(let weight) where weight.contacts.isEmpty:
      [row([weight.time.seconds, "none", "", "", "", ""], weight.device)]
    case .weight(let weight):
      weight.contacts.map { row(of: $0, weight, isEstimate(weight.device)) }
    case .press(let press): [row(of: press, isEstimate(press.device))]
    case .hello, .device, .contact, .maximumForce, .heaviest, .scale, .action, .access, .missed,
      .reply, .other:
      []
    }
  }

  private static func row(
    of contact: ReceivedPressure, _ weight: ReceivedWeight, _ isEstimate: Bool
  ) -> String {
    let mark = contact.contact == weight.heaviest ? "*" : ""
    let more = contact.isSaturated ? "+" : ""
    let grams = contact.grams.map { ($0.text(decimals: 1) + more).estimated(isEstimate) }
    return row(
      [
        weight.time.seconds, "\(mark)\(contact.contact)", contact.ratio?.percent ?? "–",
        grams ?? "–", contact.x?.percent ?? "–", contact.y?.percent ?? "–",
      ], weight.device)
  }

  private static func row(of press: ReceivedPress, _ isEstimate: Bool) -> String {
    let note = press.simulated == true ? ", simulated" : ""
    let stage = press.stage.map { " \($0)" } ?? ""
    let grams = press.grams?.text(decimals: 1).estimated(isEstimate) ?? "–"
    return row(
      [press.time.seconds, String(press.contact), (press.ratio ?? 0).percent, grams, "", ""],
      "\(press.device)  press \(press.state.rawValue)\(stage)\(note)")
  }

  private static func row(_ cells: [String], _ device: String) -> String {
    let padded = zip(cells, [12, 8, 7, 10, 7, 7]).map { cell, width in
      .blanks(max(width - cell.columns, 1)) + cell
    }
    // The names of devices and stages are untrusted and may contain control characters.
    return (padded.joined() + "  \(device)").onOneLine
  }
}

extension Int64 {
  /// A time in microseconds as seconds.
  fileprivate var seconds: String { (Double(self) / 1_000_000).text(decimals: 3) }
}
