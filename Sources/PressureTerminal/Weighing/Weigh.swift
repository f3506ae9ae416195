internal import FoundationEssentials
internal import Glibc
internal import PressureConnection
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// A connection × a model × a terminal, or lines where there is none.
///
///     connection ──▶ line ──▶ model ──▶ picture ──▶ terminal
///       ▲               └──▶ lines, log
///       └── request ◀── key ◀── terminal
package final class Weigh {
  private let loop: EventLoop
  private let options: WeighOptions
  private let log: ReadingLog?
  private let privateDaemon: PrivateDaemon?
  private var model: WeighViewModel
  private var histories: [String: ReadingHistory] = [:]

  /// The devices whose histories the daemon was asked for, in the order of its answers.
  private var asked: [String] = []
  private var connection: LoopConnection?
  private var terminal: Terminal?
  private var timer: EventSource?
  private var output: EventSource?
  private var lastLine = ""

  /// Why it has ended, where somebody has to be told.
  package private(set) var failure: ExitError?

  /// Begins to weigh.
  ///
  /// - Parameters:
  ///   - loop: who wakes it.
  ///   - options: the command-line options.
  ///   - log: where stable readings go, if anywhere.
  ///   - socket: where the daemon is, or nil to look where daemons are.
  ///   - privateDaemon: whose socket that is, if it is ours.
  ///   - draws: whether standard output is a terminal to draw on.
  /// - Throws: why the terminal cannot be drawn on.
  package init(
    loop: EventLoop, options: WeighOptions, log: ReadingLog?, socket: String?,
    privateDaemon: PrivateDaemon?,
    draws: Bool
  ) throws(SystemError) {
    self.loop = loop
    self.options = options
    self.log = log
    self.privateDaemon = privateDaemon
    model = WeighViewModel(unit: options.unit, chosen: options.device)
    if draws {
      terminal = try Terminal(
        loop: loop, paint: { [weak self] in self?.paint($0) ?? Canvas($0) },
        body: { [weak self] in self?.hear($0) })
    } else {
      try beginLines()
    }
    let connection = LoopConnection(
      loop: loop, socket: socket,
      greeting: { [options] in Weigh.greet(&$0, options) },
      handler: { [weak self] in self?.hear($0) })
    self.connection = connection
    try connection.start()
  }

  private static func greet(_ requests: inout JSONLinesWriter, _ options: WeighOptions) {
    options.greet(&requests, subscribing: true)
    // A thing that lies still says nothing: what it weighs has to be asked for.
    requests.appendRequest("state")
  }

  private func beginLines() throws(SystemError) {
    // A pipe tells when nobody reads any more, also while there is nothing to write; a file cannot.
    output = try? loop.watch(STDOUT_FILENO, for: []) { [weak self] in
      if $0.contains(.gone) { self?.loop.stop() }
    }
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

  /// Shows what has changed, if anything has.
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

// MARK: - What the daemon says

extension Weigh {
  private func hear(_ news: ReconnectingConnection.Update) {
    switch news {
    case .line(let line): hear(ReceivedEvent(line: line), line)
    case .lost:
      (histories, asked) = ([:], [])
      change { $0.forget() }
    case .unavailable(let fault, let isNew):
      // Nobody else will serve a socket of our own.
      if let privateDaemon { return end(privateDaemon.end() ?? ExitError(fault)) }
      if terminal == nil, isNew { Log.info(fault.waitingSentence) }
      change {
        $0.forget()
        $0.place = fault.sentence
      }
    }
  }

  private func hear(_ event: ReceivedEvent, _ line: [UInt8]) {
    switch event {
    case .device(let device): change { $0.hear(device) }
    case .scale(let scale):
      guard let name = scale.device else { return }
      take(scale, of: name, ScaleLine(event: line))
    case .reply(let reply): hear(reply, line)
    default: break
    }
  }

  /// Whether a device is the one that was chosen; where none was, whether it can weigh or none can.
  private func isWanted(_ name: String) -> Bool {
    if let chosen = options.device { return name == chosen }
    let canWeigh = model.scales.filter { $0.device.weightSource != .none }
    return canWeigh.isEmpty || canWeigh.contains { $0.device.device == name }
  }

  private func take(_ scale: ReceivedScale, of name: String, _ line: @autoclosure () -> ScaleLine) {
    let scale = options.aimed(scale)
    change { $0.take(scale, of: name, histories[name]?.grams ?? []) }
    if scale.isStableReading, histories[name, default: ReadingHistory()].note() { askHistory(name) }
    guard isWanted(name), let device = device(name) else { return }
    if options.isJSON {
      var json = line()
      if options.target != nil { json.put(scale.target) }
      StandardOutput.print(json.text)
    } else if terminal == nil {
      print(scale, of: device)
    }
  }

  private func askHistory(_ name: String) {
    var request = JSONLinesWriter()
    request.appendRequest(
      "history", ["device": .text(name), "last": .integer(Int64(ReadingHistory.asked))])
    asked.append(name)
    connection?.send(request)
  }

  private func take(history line: [UInt8]?) {
    guard !asked.isEmpty else { return }
    let name = asked.removeFirst()
    let answer = line.flatMap {
      try? JSONDecoder().decode(ReceivedResult<[ReceivedScale]>.self, from: Data($0))
    }
    let latest = model.scales.first { $0.device.device == name }?.latest
    let outcome = histories[name]?.take(
      answer?.result ?? [], isResting: latest?.isStableReading == true)
    guard let (news, asksAgain) = outcome else { return }
    if let latest { change { $0.take(latest, of: name, histories[name]?.grams ?? []) } }
    if isWanted(name), let device = device(name) {
      for reading in news { note(reading, of: device) }
    }
    if asksAgain { askHistory(name) }
  }

  private func device(_ name: String) -> ReceivedDevice? {
    model.scales.first { $0.device.device == name }?.device
  }

  private func note(_ scale: ReceivedScale, of device: ReceivedDevice) {
    timer?.set(to: nil)
    guard let log else { return }
    do throws(ExitError) {
      try log.add(scale, of: device)
      change { $0.log = "\(log.count) in \(log.path)" }
    } catch {
      end(error)
    }
  }

  /// One line for each reading that looks another than the last.
  private func print(_ scale: ReceivedScale, of device: ReceivedDevice) {
    let wanted = model.scales.count { isWanted($0.device.device) }
    let several = wanted > 1 ? "\(device.device)  " : ""
    let isEstimate = device.isEstimate
    let text = scale.text(in: options.unit, isEstimate: isEstimate)
    let target = scale.target.map {
      ", " + $0.words(at: scale.grams, in: options.unit, isEstimate: isEstimate)
    }
    let line = "\(several)\(text)  \(scale.advice)\(target ?? "")".onOneLine
    guard line != lastLine else { return }
    lastLine = line
    StandardOutput.print(line)
  }

  private func hear(_ reply: ReceivedReply, _ line: [UInt8]) {
    guard reply.isSuccess else { return refuse(reply) }
    switch reply.verb {
    case "state": take(line)
    case "grab": take(grab: line)
    case "history": take(history: line)
    default: break
    }
  }

  private func refuse(_ reply: ReceivedReply) {
    switch reply.verb {
    case "state": connection?.giveUp(reply)
    // Of a device that has just gone.
    case "history": take(history: nil)
    default:
      guard terminal != nil else { return end(ExitError(reply.error)) }
      change { $0.remark = reply.error?.message ?? "the daemon refuses" }
    }
  }

  private func take(_ line: [UInt8]) {
    let answer = try? JSONDecoder().decode(ReceivedResult<[ReceivedState]>.self, from: Data(line))
    guard let answer else { return }
    change {
      $0.place = privateDaemon == nil ? connection?.daemonPath ?? "" : "read by this program itself"
    }
    let lines = options.isJSON ? ScaleLine.all(state: line, at: loop.now) : []
    for (index, state) in answer.result.enumerated() {
      guard !options.isJSON || index < lines.count else { break }
      take(state.scale, of: state.device, lines[index])
    }
    if terminal == nil, let name = options.device, device(name) == nil {
      Log.info("\(name) is not there; waiting for it")
    }
  }

  private func take(grab line: [UInt8]) {
    let answer = try? JSONDecoder().decode(ReceivedResult<ReceivedGrab>.self, from: Data(line))
    guard let isOn = answer?.result.grabbed else { return }
    change { $0.isGrabbed = isOn }
  }
}

/// What `grab` answers.
private struct ReceivedGrab: Decodable {
  var grabbed: Bool
}

// MARK: - What the keys ask for

extension Weigh {
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
    case .control("l"): terminal?.redraw()
    case .tab: change { $0.step() }
    case .character("n"): change { $0.unit = $0.unit.next }
    case .character("t"): ask("tare")
    case .character("u"): ask("untare")
    case .character("z"): ask("zero")
    case .character("h"): ask(model.scale?.latest?.isHeld == true ? "release" : "hold")
    case .character("g"): ask("grab", on: !model.isGrabbed)
    default: break
    }
  }

  /// Asks the scale that is looked at; what it does is seen in what it reads.
  private func ask(_ verb: String, on: Bool? = nil) {
    guard let name = model.scale?.device.device else { return }
    var request = JSONLinesWriter()
    if let on {
      request.appendRequest(verb, ["device": .text(name), "on": .bool(on)])
    } else {
      request.appendRequest(verb, ["device": .text(name)])
    }
    connection?.send(request)
  }
}
