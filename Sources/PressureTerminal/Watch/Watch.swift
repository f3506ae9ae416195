internal import FoundationEssentials
internal import PressureConnection
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// A connection × a model × a terminal: what the daemon says is seen, and what keys ask for is asked.
///
///     connection ──▶ line ──▶ model ──▶ picture ──▶ terminal
///     terminal ──▶ key ──▶ model, or request ──▶ connection
package final class Watch {
  private let loop: EventLoop
  private let privateDaemon: PrivateDaemon?
  private var model = WatchViewModel()
  private var connection: LoopConnection?
  private var terminal: Terminal?

  /// Why it has ended, where somebody has to be told.
  package private(set) var failure: ExitError?

  /// Begins to show what a daemon says.
  ///
  /// - Parameters:
  ///   - loop: who wakes it.
  ///   - socket: where the daemon is, or nil to look where daemons are.
  ///   - privateDaemon: whose socket that is, if it is ours.
  /// - Throws: why the terminal cannot be drawn on.
  package init(loop: EventLoop, socket: String?, privateDaemon: PrivateDaemon?) throws(SystemError)
  {
    self.loop = loop
    self.privateDaemon = privateDaemon
    let terminal = try Terminal(
      loop: loop, paint: { [weak self] in self?.paint($0) ?? Canvas($0) },
      body: { [weak self] in self?.hear($0) })
    self.terminal = terminal
    let connection = LoopConnection(
      loop: loop, socket: socket,
      greeting: Watch.greet, handler: { [weak self] in self?.hear($0) })
    self.connection = connection
    try connection.start()
  }

  private static func greet(_ requests: inout JSONLinesWriter) {
    let names: [EventName] = [.device, .weight, .press, .scale, .action]
    requests.appendRequest("subscribe", ["events": .list(names.map { .text($0.rawValue) })])
    // A thing that lies still says nothing: what it weighs has to be asked for.
    requests.appendRequest("state")
  }

  private func paint(_ size: TerminalSize) -> Canvas {
    guard let terminal else { return Canvas(size) }
    return WatchLayout(model: model, glyphs: terminal.glyphs, depth: terminal.depth).canvas(size)
  }

  /// Shows what has changed, if anything has.
  private func change(_ body: (inout WatchViewModel) -> Void) {
    let before = model
    body(&model)
    if model != before { terminal?.setNeedsDisplay() }
  }
}

// MARK: - What the daemon says

extension Watch {
  private func hear(_ news: ReconnectingConnection.Update) {
    switch news {
    case .line(let line):
      let event = ReceivedEvent(line: line)
      if case .reply(let reply) = event { hear(reply, line) }
      change {
        $0.hear(event)
        if case .hello = event { $0.place = privateDaemon?.source ?? connection?.daemonPath ?? "" }
      }
    case .lost: change { $0.forget() }
    case .unavailable(let fault, _): lose(to: fault)
    }
  }

  private func lose(to fault: ConnectionError) {
    if let privateDaemon {
      // Nobody else will serve that socket.
      failure = privateDaemon.end() ?? ExitError(fault)
      return loop.stop()
    }
    change {
      $0.forget()
      $0.place = fault.sentence
    }
  }

  private func hear(_ reply: ReceivedReply, _ line: [UInt8]) {
    guard reply.isSuccess else {
      change { $0.remark = reply.error?.message ?? "the daemon refuses" }
      // Without it there is nothing to show.
      if reply.verb == "state" { connection?.giveUp(reply) }
      return
    }
    if reply.verb == "state" { take(line) }
  }

  private func take(_ line: [UInt8]) {
    let answer = try? JSONDecoder().decode(
      ReceivedResult<[ReceivedState]>.self, from: Data(line))
    guard let answer else { return }
    change { $0.take(answer.result) }
  }
}

// MARK: - What the keys ask for

extension Watch {
  private func hear(_ news: Terminal.Input) {
    switch news {
    case .end: loop.stop()
    case .key(let key):
      change { $0.remark = "" }
      hear(key)
    }
  }

  private func hear(_ key: Key) {
    switch key {
    case .character("q"), .control("c"), .control("d"): loop.stop()
    case .character("?"): change { $0.listsKeys.toggle() }
    case .escape: change { $0.listsKeys = false }
    case .control("l"): terminal?.redraw()
    case .tab, .right, .down: change { $0.step(by: 1) }
    case .backTab, .left, .up: change { $0.step(by: -1) }
    case .character(let glyph): hear(glyph)
    case .control, .enter, .backspace, .delete, .home, .end, .pageUp, .pageDown: break
    }
  }

  private func hear(_ letter: Unicode.Scalar) {
    switch letter {
    case "1"..."9": change { $0.choose(Int(letter.value) - 0x30) }
    case "t": ask("tare", "tared")
    case "u": ask("untare", "all counts again")
    case "z": ask("zero", "zeroed")
    case "h":
      let isHeld = model.device?.scale?.isHeld ?? false
      ask(isHeld ? "release" : "hold", isHeld ? "the reading follows again" : "held")
    default: break
    }
  }

  /// Asks the device that is looked at for something, and says it is done until the answer says otherwise.
  private func ask(_ verb: String, _ remark: String) {
    guard let device = model.device?.device.device else { return }
    var request = JSONLinesWriter()
    request.appendRequest(verb, ["device": .text(device)])
    connection?.send(request)
    change { $0.remark = remark }
  }
}
