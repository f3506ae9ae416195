internal import CLinux
internal import Glibc
internal import PressureClient
internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

/// A connection of a browser, which serves one request.
final class WebConnection {
  /// How long a browser may take to send its request, and to receive a file, in microseconds.
  private static let timeout: Int64 = 10_000_000

  /// How long a page may not read while that many bytes wait for it, in microseconds.
  private static let stallTimeout: Int64 = 30_000_000

  /// While more bytes than this wait for the browser, nothing is read from the daemon, which then replaces older readings by newer ones.
  private static let unsentLimit = 65_536

  private let file: Descriptor
  private unowned let server: WebServer
  private var reader = HTTPReader()
  private var hasRequest = false
  private var unsent: [UInt8] = []
  private var source: EventSource?
  private var timer: EventSource?

  /// The connection to the daemon that the page reads, and whether it has ended.
  private var daemon: Connection?
  private var daemonSource: EventSource?

  /// Whether it was connected to the daemon: from then on the timer runs while the browser does not read what waits for it.
  private var isConnected = false

  private(set) var isPage = false

  init(_ file: consuming Descriptor, of server: WebServer) throws(SystemError) {
    self.file = file
    self.server = server
    source = try server.loop.watch(self.file.number, for: .reading) { [unowned self] readiness in
      if readiness.isGone || readiness.contains(.reading) && !receive() { return close() }
      flush()
    }
    timer = try server.loop.timer { [unowned self] in close() }
    timer?.set(to: server.loop.now + WebConnection.timeout)
  }

  private func close() {
    (source, timer, daemonSource, daemon) = (nil, nil, nil, nil)
    server.remove(self)
  }

  // MARK: - The browser

  /// Reads what the browser sends; returns false if it has closed the connection.
  private func receive() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      let count = recv(file.number, buffer.baseAddress, buffer.count, 0)
      guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
      // What follows a request is not read: each connection serves one.
      if hasRequest { return true }
      do throws(HTTPError) {
        guard let request = try reader.append(buffer.prefix(count)) else { return true }
        hasRequest = true
        try respond(to: request)
      } catch {
        hasRequest = true
        respond(error.status, "text/plain; charset=utf-8", Array("\(error.reason)\n".utf8))
      }
      return true
    }
  }

  /// Sends what waits; closes the connection after a complete response.
  private func flush() {
    guard DescriptorWriter.flush(&unsent, to: file.number, .socket) == 0 else { return close() }
    if hasRequest, unsent.isEmpty, daemon == nil { return close() }
    source?.watch(for: unsent.isEmpty ? .reading : [.reading, .writing])
    let isFull = unsent.count >= WebConnection.unsentLimit
    if let daemon { daemonSource?.watch(for: isFull ? [] : daemon.readiness) }
    // A browser that hangs does not close its connection.
    let isStalled = isFull || daemon == nil
    guard isConnected, isStalled != (timer?.moment != nil) else { return }
    timer?.set(to: isStalled ? server.loop.now + WebConnection.stallTimeout : nil)
  }

  // MARK: - Responses

  private func respond(to request: HTTPRequest) throws(HTTPError) {
    let needsCookie = try server.access.check(request)
    switch (request.method, request.path) {
    case (.post, "/events"): try connect(request.body, isPage: true)
    case (.post, "/request"): try connect(request.body, isPage: false)
    case (.get, let path):
      guard let file = WebFile(at: path, in: server.folder) else {
        throw HTTPError(404, "there is no such file")
      }
      let cookie = "\(server.access.cookieName)=\(server.access.cookie)"
      respond(
        200, file.type, file.bytes,
        needsCookie ? "Set-Cookie: \(cookie); HttpOnly; SameSite=Strict; Path=/\r\n" : "")
    case (.post, _): throw HTTPError(404, "there is no such address")
    }
  }

  private func respond(_ status: Int, _ type: String, _ body: [UInt8], _ more: String = "") {
    start(status, type, more + "Content-Length: \(body.count)\r\n")
    unsent += body
  }

  private func start(_ status: Int, _ type: String, _ more: String = "") {
    unsent +=
      """
      HTTP/1.1 \(status) \(status == 200 ? "OK" : "Refused")\r
      Content-Type: \(type)\r
      Cache-Control: no-store\r
      Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; \
      img-src 'self' data: blob:; media-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r
      Cross-Origin-Opener-Policy: same-origin\r
      Cross-Origin-Resource-Policy: same-origin\r
      Referrer-Policy: no-referrer\r
      X-Content-Type-Options: nosniff\r
      Connection: close\r
      \(more)\r

      """.utf8
  }

  // MARK: - The daemon

  /// Sends request lines to the daemon on a separate connection, and starts to return its lines.
  private func connect(_ lines: [UInt8], isPage: Bool) throws(HTTPError) {
    let verbs = try WebConnection.verbs(of: lines)
    guard isPage == (verbs == ["subscribe"]), verbs.count == 1 else {
      throw HTTPError(400, "send one request; subscribe belongs to /events, all others to /request")
    }
    do throws(ConnectionError) {
      let daemon = try Connection.open(at: server.daemonPaths(), before: nil)
      try daemon.send(lines + [UInt8(ascii: "\n")])
      // A page changes nothing by its end: without more to read, the daemon replies and closes the connection.
      if !isPage { shutdown(daemon.descriptor, Int32(SHUT_WR)) }
      daemonSource = try? server.loop.watch(daemon.descriptor, for: .reading) { [unowned self] _ in
        daemonReady()
      }
      self.daemon = daemon
    } catch {
      if isPage { server.awaitPage(for: WebServer.longestPause) }
      throw HTTPError(503, error.sentence)
    }
    timer?.set(to: nil)
    (isConnected, self.isPage) = (true, isPage)
    if isPage { server.idleTimer?.set(to: nil) }
    start(200, "application/x-ndjson")
  }

  /// The verbs of request lines; throws if one needs the right to control: a page only displays and weighs.
  private static func verbs(of lines: [UInt8]) throws(HTTPError) -> [String] {
    var verbs: [String] = []
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      do throws(RequestError) {
        let request = try Request(line: Array(line))
        if case .control = try RequestDefinition.of(request).permission {
          throw RequestError(.notPermitted, "a page may not use \(request.verb)")
        }
        verbs.append(request.verb)
      } catch {
        throw HTTPError(400, error.message)
      }
    }
    return verbs
  }

  private func daemonReady() {
    do throws(ConnectionError) {
      try daemon?.flush()
      for line in try daemon?.receive() ?? [] {
        unsent += line
        unsent.append(UInt8(ascii: "\n"))
      }
    } catch {
      // The daemon disconnects a client that does not read, too: the page connects again.
      (daemonSource, daemon) = (nil, nil)
    }
    flush()
  }
}
