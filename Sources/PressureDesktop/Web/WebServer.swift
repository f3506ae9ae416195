internal import CLinux
internal import Glibc
package import PressureLoop
package import PressureSystem

/// Serves the page on the loopback interface, and connects it to the daemon.
///
/// | request | response |
/// |---|---|
/// | `GET` of a file | the file, which is part of the program |
/// | `POST /events` with request lines | all lines of a new connection to the daemon, until the page closes it |
/// | `POST /request` with request lines | the same, which the daemon ends after its replies |
///
/// Each connection serves one request. The daemon sees a client of this user, with the rights of this user.
package final class WebServer {
  /// The most connections at once; a page has one, and a second for the time of a request.
  private static let connectionLimit = 64

  /// A page that is not displayed may pause so long between its attempts to connect, in microseconds.
  package static let longestPause: Int64 = 60_000_000

  package let port: UInt16
  package let access: WebAccess

  let loop: EventLoop

  /// The folder of the page; nil for the page of this program.
  let folder: String?

  /// The paths of the daemon's socket, in the order in which they are tried.
  let daemonPaths: () -> [String]

  /// How long after the last page was closed `onIdle` is called, in microseconds.
  private let idleTime: Int64

  private let listener: Descriptor
  private var acceptor: Acceptor?
  private var connections: [WebConnection] = []
  private(set) var idleTimer: EventSource?

  /// Listens on a free port of 127.0.0.1.
  package init(
    loop: EventLoop, folder: String?, idleTime: Int64, daemonPaths: @escaping () -> [String],
    onIdle: @escaping () -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.folder = folder
    self.idleTime = idleTime
    self.daemonPaths = daemonPaths
    listener = Descriptor(
      try SystemError.checkErrno(pressured_listen_on_loopback(), "listen on 127.0.0.1"))
    port = pressured_port(listener.number)
    access = WebAccess(port: port)
    idleTimer = try loop.timer(onIdle)
    acceptor = try Acceptor(listener.number, loop: loop, budget: 16) { [unowned self] file in
      accept(file)
      return 1
    }
  }

  /// The address to open, which contains the token.
  package var address: String { "http://127.0.0.1:\(port)/?token=\(access.token)" }

  private func accept(_ file: consuming Descriptor) {
    // Other users could otherwise hold all places.
    guard connections.count < WebServer.connectionLimit,
      pressured_loopback_user(file.number) == Int(geteuid())
    else { return }
    do throws(SystemError) {
      connections.append(try WebConnection(file, of: self))
    } catch {
      Log.warning(error.sentence)
    }
  }

  /// Removes a connection; the last page that is closed starts the time until the end.
  func remove(_ connection: WebConnection) {
    connections.removeAll { $0 === connection }
    if connection.isPage { awaitPage(for: idleTime) }
  }

  /// Calls `onIdle` unless a page is or gets connected within a time in microseconds.
  package func awaitPage(for time: Int64) {
    if !connections.contains(where: \.isPage) { idleTimer?.set(to: loop.now + time) }
  }
}
