internal import PressureClient
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// `pressured watch`: displays the events of a daemon in a terminal, and sends the requests of its keys.
///
///     connection ──▶ line ──▶ model ──▶ layout ──▶ terminal
///     terminal ──▶ key ──▶ model, or request ──▶ connection
package final class Watch {
  private let loop: EventLoop
  private let privateDaemon: PrivateDaemon?
  private var model = WatchViewModel()
  private var connection: LoopConnection?
  private var terminal: Terminal?

  /// The error that ended the program, or nil.
  package private(set) var failure: ExitError?

  /// Connects and starts the display.
  ///
  /// - Parameters:
  ///   - loop: the event loop that drives it.
  ///   - socket: the argument of `--socket`, or nil to look at the usual paths.
  ///   - privateDaemon: the private daemon on that socket, if there is one.
  /// - Throws: why the terminal cannot be used.
  package init(loop: EventLoop, socket: String?, privateDaemon: PrivateDaemon?) throws(SystemError)
  {
    self.loop = loop
    self.privateDaemon = privateDaemon
    let terminal = try Terminal(
      loop: loop, paint: { [weak self] in self?.paint($0) ?? Canvas($0) },
      body: { [weak self] in self?.handle($0) })
    self.terminal = terminal
    let connection = LoopConnection(
      loop: loop, paths: { SocketPath.forClients(named: socket) },
      greeting: Watch.appendGreeting, handler: { [weak self] in self?.handle($0) })
    self.connection = connection
    try connection.start()
  }

  private static func appendGreeting(_ requests: inout JSONLinesWriter) {
    requests.append(.subscribe(events: [.device, .weight, .press, .scale, .action]))
    // A load at rest causes no events, so its reading has to be requested.
    requests.append(.state())
  }

  private func paint(_ size: TerminalSize) -> Canvas {
    guard let terminal else { return Canvas(size) }
    return WatchLayout(model: model, glyphs: terminal.glyphs, depth: terminal.depth).canvas(size)
  }

  /// Updates the model, and the display if the model has changed.
  private func change(_ body: (inout WatchViewModel) -> Void) {
    let before = model
    body(&model)
    if model != before { terminal?.setNeedsDisplay() }
  }
}

// MARK: - Lines of the daemon

extension Watch {
  private func handle(_ update: ReconnectingConnection.Update) {
    switch update {
    case .line(let line):
      let event = ReceivedEvent(line: line)
      if case .reply(let reply) = event { handle(reply, line) }
      change {
        $0.update(with: event)
        if case .hello = event {
          $0.connectionStatus = privateDaemon?.source ?? connection?.daemonPath ?? ""
        }
      }
    case .lost: change { $0.disconnect() }
    case .unavailable(let error, _): lose(to: error)
    }
  }

  private func lose(to error: ConnectionError) {
    if let privateDaemon {
      // No other daemon will listen on this socket.
      failure = privateDaemon.end() ?? ExitError(error)
      return loop.stop()
    }
    if connection?.isHopeless(error) == true {
      failure = ExitError(error)
      return loop.stop()
    }
    change {
      $0.disconnect()
      $0.connectionStatus = error.sentence
    }
  }

  private func handle(_ reply: ReceivedReply, _ line: [UInt8]) {
    guard reply.isSuccess else {
      change { $0.message = reply.error?.message ?? "the daemon refused the request" }
      // Without the state there is nothing to display.
      if reply.verb == "state" { connection?.giveUp(reply) }
      return
    }
    if reply.verb == "state" { updateState(from: line) }
  }

  private func updateState(from line: [UInt8]) {
    let reply = try? LineDecoder.decode(ReceivedResult<[ReceivedState]>.self, from: line)
    guard let reply else { return }
    change { $0.update(with: reply.result) }
  }
}

// MARK: - Keys

extension Watch {
  private func handle(_ input: Terminal.Input) {
    switch input {
    case .end: loop.stop()
    case .key(let key):
      change { $0.message = "" }
      handle(key)
    }
  }

  private func handle(_ key: Key) {
    switch key {
    case .character("q"), .control("c"), .control("d"): loop.stop()
    case .character("?"): change { $0.listsKeys.toggle() }
    case .escape: change { $0.listsKeys = false }
    case .control("l"): terminal?.redraw()
    case .tab, .right, .down: change { $0.step(by: 1) }
    case .backTab, .left, .up: change { $0.step(by: -1) }
    case .character(let letter): handle(letter)
    case .control, .enter, .backspace, .delete, .home, .end, .pageUp, .pageDown: break
    }
  }

  private func handle(_ letter: Unicode.Scalar) {
    switch letter {
    case "1"..."9": change { $0.select(Int(letter.value) - 0x30) }
    case "t": send(Request.tare, "tared")
    case "u": send(Request.clearTare, "tare cleared")
    case "z": send(Request.zero, "zeroed")
    case "h":
      let isHeld = model.device?.scale?.isHeld ?? false
      send(isHeld ? Request.release : Request.hold, isHeld ? "released" : "held")
    default: break
    }
  }

  /// Sends a request for the displayed device, and displays its success; an error reply replaces that message.
  private func send(_ request: (String) -> Request, _ message: String) {
    guard let device = model.device?.device.device else { return }
    var lines = JSONLinesWriter()
    lines.append(request(device))
    connection?.send(lines)
    change { $0.message = message }
  }
}
