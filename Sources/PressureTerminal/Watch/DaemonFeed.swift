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
    /// An event, and its line.
    case event(ReceivedEvent, line: [UInt8])
    /// The connection is lost.
    case lost
    /// There is no connection, for a reason that may be new.
    case waiting(ConnectionError, isNew: Bool)
  }

  let loop: EventLoop
  let privateDaemon: PrivateDaemon?
  private let socket: String?
  private var connection: LoopConnection?
  private var handler: (Update) -> Void = { _ in }
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
    self.handler = handler
    let connection = LoopConnection(
      loop: loop, paths: { [socket] in SocketPath.forClients(named: socket) }, greeting: greeting,
      handler: { [weak self] in self?.handle($0) })
    self.connection = connection
    try connection.start()
  }

  private func handle(_ update: ReconnectingConnection.Update) {
    switch update {
    case .line(let line): handler(.event(ReceivedEvent(line: line), line: line))
    case .lost: handler(.lost)
    case .unavailable(let error, let isNew):
      if let privateDaemon {
        let exitError = privateDaemon.end()
        // The end of the recording is not a failure.
        let hasEnded = privateDaemon.endsWithRecording && error == .ended
        end(exitError ?? (hasEnded ? nil : ExitError(error)))
      } else if connection?.isHopeless(error) == true {
        end(ExitError(error))
      } else {
        handler(.waiting(error, isNew: isNew))
      }
    }
  }

  /// Ends the program, with an error unless it is nil.
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
    send(lines)
  }

  func send(_ lines: borrowing JSONLinesWriter) { connection?.send(lines) }

  /// Handles an error reply; without the state there is nothing to display, so that the connection is closed.
  func giveUp(_ reply: ReceivedReply) { connection?.giveUp(reply) }
}
