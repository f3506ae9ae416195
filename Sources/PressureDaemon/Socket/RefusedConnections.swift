internal import CLinux
internal import Glibc
package import PressureKit
internal import PressureLoop
internal import PressureProtocol
package import PressureSettings
package import PressureSystem

/// Refused connections, which stay open for a moment after the line that states the reason.
///
/// A program that sends a request at once, such as `echo devices | socat`, would otherwise fail to send it, and end before
/// it has read the reason.
final class RefusedConnections {
  /// How long a connection stays open, in microseconds.
  private static let lifetime: Int64 = 1_000_000

  /// The most connections; the oldest are closed first.
  private static let maximum = 64

  /// How many connections of a user get the reason, per second and at once, and how many those of all users.
  private static let reasonsPerSecond = 64.0
  private static let allFactor = 4.0

  private let loop: EventLoop
  private var reasons = TokenBuckets()
  private var timer: EventSource?

  /// In the order of their ends.
  private var connections: [(client: Client, end: Int64)] = []

  init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    timer = try loop.timer { [unowned self] in
      let now = loop.now
      connections.removeAll { $0.end <= now }
      timer?.set(to: connections.first?.end)
    }
  }

  /// Whether a client gets the reason before it is disconnected: its user may connect at any rate, and wants to delay those
  /// behind it in the listen backlog.
  func admit(_ client: Client) -> Bool {
    let all: TokenBuckets.Share = (.all, RefusedConnections.allFactor)
    let rate = RefusedConnections.reasonsPerSecond
    return client.account.kind == .privileged
      || reasons.acquire(
        [(.one(client.userID), 1), all], at: loop.now, perSecond: rate, burst: rate) == nil
  }

  /// Ends the output to a client, and closes the connection later.
  ///
  /// What the client sends is not read.
  func add(_ client: Client) {
    _ = Glibc.shutdown(client.descriptor, Int32(SHUT_WR))
    if connections.count >= RefusedConnections.maximum { connections.removeFirst() }
    connections.append((client, loop.now + RefusedConnections.lifetime))
    timer?.set(to: connections.first?.end)
  }
}

/// A service whose configuration is invalid: refuses each connection with the error, until the file can be read.
///
/// A service that exited instead would be started again by the same connection, until the service manager gives up and closes
/// the socket.
package final class InvalidConfiguration {
  /// How often connections have a file read again that has not changed.
  ///
  /// What it refers to may have changed, and a stranger may connect without pause.
  private static let readsPerSecond = 1.0

  private let loop: EventLoop
  private let path: String?
  private var version: [Int] = []
  private var reads = TokenBuckets()
  private let read: () throws(ConfigurationErrors) -> Configuration
  private let refused: RefusedConnections
  private var acceptor: Acceptor?
  private var signals: [EventSource] = []
  private var errors: ConfigurationErrors
  private var configuration: Configuration?

  /// Refuses all clients until `read` succeeds; returns nil if a signal has ended the service.
  package static func wait(
    on listener: Listener, because errors: ConfigurationErrors, path: String?,
    read: @escaping () throws(ConfigurationErrors) -> Configuration
  ) throws(SystemError) -> Configuration? {
    let service = try InvalidConfiguration(listener, errors, path, read)
    _ = try withExtendedLifetime(service) { () throws(SystemError) in try service.loop.run() }
    return service.configuration
  }

  private init(
    _ listener: Listener, _ errors: ConfigurationErrors, _ path: String?,
    _ read: @escaping () throws(ConfigurationErrors) -> Configuration
  ) throws(SystemError) {
    loop = try EventLoop()
    self.path = path
    self.read = read
    self.errors = errors
    refused = try RefusedConnections(loop: loop)
    signals = try loop.onSignals(Daemon.signals) { [unowned self] number in
      if number == SIGHUP { _ = readAgain() } else { loop.stop() }
    }
    // What waits in the backlog is served once the file can be read.
    acceptor = try Acceptor(
      listener.descriptor, loop: loop, budget: Daemon.servedCost,
      mayAccept: { [unowned self] in !(mayRead() && readAgain()) },
      serve: { [unowned self] in refuse($0) })
    loop.enableWatchdog()
    report()
  }

  private func mayRead() -> Bool {
    let current = InvalidConfiguration.version(of: path)
    defer { version = current }
    guard current == version else { return true }
    let rate = InvalidConfiguration.readsPerSecond
    return reads.acquire(at: loop.now, perSecond: rate, burst: rate)
  }

  /// What changes with the content of a file; empty if there is none.
  private static func version(of path: String?) -> [Int] {
    var status = stat()
    guard let path, stat(path, &status) == 0 else { return [] }
    let inode = Int(truncatingIfNeeded: status.st_ino)
    return [inode, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  /// Reads the file again; returns whether it is valid now.
  private func readAgain() -> Bool {
    do throws(ConfigurationErrors) {
      configuration = try read()
      loop.stop()
      return true
    } catch {
      if error != errors {
        errors = error
        report()
      }
      return false
    }
  }

  private func report() {
    for sentence in errors.sentences { Log.error(sentence) }
    Log.error("no client is served until the configuration is corrected")
    ServiceNotifier.ready("Serving no client: \(errors.summary)".onOneLine)
  }

  private func refuse(_ file: consuming Descriptor) -> Int {
    let client = Client(
      number: 0, file: file, bufferLimit: SocketConfiguration().clientBufferKibibytes * 1024,
      account: Account(userID: .max, kind: .member), since: loop.now)
    client.send(
      RequestError(
        .failed, "\(errors.summary); no client is served until the configuration is corrected"))
    refused.add(client)
    return Daemon.rejectedCost
  }
}

extension ConfigurationErrors {
  /// The first three errors, for a reply.
  var summary: String {
    let rest = sentences.count - 3
    let more = rest > 0 ? ["and \(rest) more"] : []
    return (sentences.prefix(3) + more).joined(separator: "; ")
  }
}
