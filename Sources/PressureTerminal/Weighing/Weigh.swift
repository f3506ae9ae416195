internal import Glibc
internal import PressureClient
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// `pressured weigh`: displays the readings of scales in a terminal, or prints them as lines.
///
///     connection ──▶ line ──▶ model ──▶ layout ──▶ terminal
///       ▲               └──▶ lines, log
///       └── request ◀── key ◀── terminal
package final class Weigh {
  private let loop: EventLoop
  private let options: WeighOptions
  private let log: ReadingLog?
  private let privateDaemon: PrivateDaemon?
  private var model: WeighViewModel
  private var histories: [String: ReadingHistory] = [:]

  /// Requests for the histories of devices.
  private var pendingHistories = PendingReplies<String>()
  private var connection: LoopConnection?
  private var terminal: Terminal?
  private var timer: EventSource?
  private var output: EventSource?
  private var lastLine = ""

  /// The error that ended the program, or nil.
  package private(set) var failure: ExitError?

  /// Connects and starts the output.
  ///
  /// - Parameters:
  ///   - loop: the event loop that drives it.
  ///   - options: the command-line options.
  ///   - log: the file for stable readings, or nil.
  ///   - socket: the argument of `--socket`, or nil to look at the usual paths.
  ///   - privateDaemon: the private daemon on that socket, if there is one.
  ///   - draws: whether standard output is a terminal for a full-screen display.
  /// - Throws: why the terminal or the event loop cannot be used.
  package init(
    loop: EventLoop, options: WeighOptions, log: ReadingLog?, socket: String?,
    privateDaemon: PrivateDaemon?,
    draws: Bool
  ) throws(SystemError) {
    self.loop = loop
    self.options = options
    self.log = log
    self.privateDaemon = privateDaemon
    model = WeighViewModel(unit: options.unit, selectedName: options.device)
    if draws {
      terminal = try Terminal(
        loop: loop, paint: { [weak self] in self?.paint($0) ?? Canvas($0) },
        body: { [weak self] in self?.handle($0) })
    } else {
      try watchOutput()
    }
    let connection = LoopConnection(
      loop: loop, paths: { SocketPath.forClients(named: socket) },
      greeting: { [options] in Weigh.appendGreeting(&$0, options) },
      handler: { [weak self] in self?.handle($0) })
    self.connection = connection
    try connection.start()
  }

  private static func appendGreeting(
    _ requests: inout JSONLinesWriter, _ options: WeighOptions
  ) {
    options.appendGreeting(to: &requests, subscribing: true)
    // A load at rest causes no events, so its reading has to be requested.
    requests.append(.state())
  }

  private func watchOutput() throws(SystemError) {
    output = loop.watchReader(of: STDOUT_FILENO) { [weak self] in self?.loop.stop() }
    guard let seconds = options.timeout else { return }
    timer = try loop.timer { [weak self] in
      self?.end(ExitError("no stable reading came within \(seconds.shortDescription) s", .timedOut))
    }
    timer?.set(to: loop.now + Int64(seconds * 1_000_000))
  }

  private func paint(_ size: TerminalSize) -> Canvas {
    guard let terminal else { return Canvas(size) }
    return WeighLayout(model: model, glyphs: terminal.glyphs).canvas(size)
  }

  /// Updates the model, and the display if the model has changed.
  private func change(_ body: (inout WeighViewModel) -> Void) {
    let before = model
    body(&model)
    if model != before { terminal?.setNeedsDisplay() }
  }

  private func end(_ failure: ExitError) {
    self.failure = failure
    loop.stop()
  }
}

// MARK: - Lines of the daemon

extension Weigh {
  private func handle(_ update: ReconnectingConnection.Update) {
    switch update {
    case .line(let line): handle(ReceivedEvent(line: line), line)
    case .lost:
      histories = [:]
      pendingHistories.removeAll()
      change { $0.disconnect() }
    case .unavailable(let error, let isNew):
      // No other daemon will listen on the socket of a private daemon.
      if let privateDaemon { return end(privateDaemon.end() ?? ExitError(error)) }
      if connection?.isHopeless(error) == true { return end(ExitError(error)) }
      if terminal == nil, isNew { Log.info(error.waitingSentence) }
      change {
        $0.disconnect()
        $0.connectionStatus = error.sentence
      }
    }
  }

  private func handle(_ event: ReceivedEvent, _ line: [UInt8]) {
    switch event {
    case .device(let device): change { $0.update(with: device) }
    case .scale(let scale):
      guard let name = scale.device else { return }
      update(scale, of: name)
    case .reply(let reply): handle(reply, line)
    default: break
    }
  }

  /// Whether the readings of a device are printed: it is the selected one or, without a selection, it can weigh or no
  /// device can.
  private func isSelected(_ name: String) -> Bool {
    if let selected = options.device { return name == selected }
    let canWeigh = model.scales.filter { $0.device.weightSource != .none }
    return canWeigh.isEmpty || canWeigh.contains { $0.device.device == name }
  }

  private func update(_ scale: ReceivedScale, of name: String) {
    let scale = options.withTarget(scale)
    change { $0.update(scale, of: name, histories[name]?.grams ?? []) }
    if scale.isStableReading, histories[name, default: ReadingHistory()].stableReadingReceived() {
      requestHistory(of: name)
    }
    guard isSelected(name), let device = device(name) else { return }
    if options.isJSON {
      StandardOutput.print(scale.jsonText)
    } else if terminal == nil {
      print(scale, of: device)
    }
  }

  private func requestHistory(of name: String) {
    var request = JSONLinesWriter()
    pendingHistories.append(
      .history(name, last: ReadingHistory.requestedCount), for: name, to: &request)
    connection?.send(request)
  }

  /// Updates the history of a device with a reply, which is an error if the device was removed before the request.
  private func updateHistory(of name: String, from line: [UInt8]) {
    let reply = try? LineDecoder.decode(ReceivedResult<[ReceivedScale]>.self, from: line)
    let latest = model.scales.first { $0.device.device == name }?.latest
    let update = histories[name]?.update(
      with: reply?.result ?? [], isAtRest: latest?.isStableReading == true)
    guard let (newReadings, needsRequest) = update else { return }
    if let latest { change { $0.update(latest, of: name, histories[name]?.grams ?? []) } }
    if isSelected(name), let device = device(name) {
      for reading in newReadings { record(reading, of: device) }
    }
    if needsRequest { requestHistory(of: name) }
  }

  private func device(_ name: String) -> ReceivedDevice? {
    model.scales.first { $0.device.device == name }?.device
  }

  private func record(_ scale: ReceivedScale, of device: ReceivedDevice) {
    timer?.set(to: nil)
    guard let log else { return }
    do throws(ExitError) {
      try log.add(scale, of: device)
      change { $0.log = "\(log.count) in \(log.path)" }
    } catch {
      end(error)
    }
  }

  /// Prints a reading as a line, unless it is equal to the line before.
  private func print(_ scale: ReceivedScale, of device: ReceivedDevice) {
    let count = model.scales.count { isSelected($0.device.device) }
    let name = count > 1 ? "\(device.device)  " : ""
    let isEstimate = device.isEstimate
    let text = scale.text(in: options.unit, isEstimate: isEstimate)
    let target = scale.target.map {
      ", " + $0.text(at: scale.grams, in: options.unit, isEstimate: isEstimate)
    }
    let line = "\(name)\(text)  \(scale.advice)\(target ?? "")".onOneLine
    guard line != lastLine else { return }
    lastLine = line
    StandardOutput.print(line)
  }

  private func handle(_ reply: ReceivedReply, _ line: [UInt8]) {
    if let name = pendingHistories.remove(for: reply) { return updateHistory(of: name, from: line) }
    guard reply.isSuccess else { return handleError(reply) }
    switch reply.verb {
    case "state": updateState(from: line)
    case "grab": updateGrab(from: line)
    default: break
    }
  }

  private func handleError(_ reply: ReceivedReply) {
    switch reply.verb {
    case "state": connection?.giveUp(reply)
    default:
      guard terminal != nil else { return end(ExitError(reply.error)) }
      change { $0.message = reply.error?.message ?? "the daemon refused the request" }
    }
  }

  private func updateState(from line: [UInt8]) {
    let reply = try? LineDecoder.decode(ReceivedResult<[ReceivedState]>.self, from: line)
    guard let reply else { return }
    change {
      $0.connectionStatus =
        privateDaemon == nil ? connection?.daemonPath ?? "" : "read by this program itself"
    }
    for state in reply.result {
      var scale = state.scale
      (scale.time, scale.device) = (loop.now, state.device)
      update(scale, of: state.device)
    }
    if terminal == nil, let name = options.device, device(name) == nil {
      Log.info("\(name) is not connected; waiting for it")
    }
  }

  private func updateGrab(from line: [UInt8]) {
    let reply = try? LineDecoder.decode(ReceivedResult<ReceivedGrab>.self, from: line)
    guard let isOn = reply?.result.grabbed else { return }
    change { $0.isGrabbed = isOn }
  }
}

/// The result of `grab`.
private struct ReceivedGrab: Decodable {
  var grabbed: Bool
}

// MARK: - Keys

extension Weigh {
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
    case .control("l"): terminal?.redraw()
    case .tab: change { $0.step() }
    case .character("n"): change { $0.unit = $0.unit.next }
    case .character("t"): send(Request.tare)
    case .character("u"): send(Request.clearTare)
    case .character("z"): send(Request.zero)
    case .character("h"):
      send(model.scale?.latest?.isHeld == true ? Request.release : Request.hold)
    case .character("g"): send { .grab($0, isOn: !model.isGrabbed) }
    default: break
    }
  }

  /// Sends a request for the displayed scale; its effect is visible in the next readings.
  private func send(_ request: (String) -> Request) {
    guard let name = model.scale?.device.device else { return }
    var lines = JSONLinesWriter()
    lines.append(request(name))
    connection?.send(lines)
  }
}
