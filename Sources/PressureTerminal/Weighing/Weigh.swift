internal import Glibc
package import PressureClient
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
package import PressureSystem

/// `pressured weigh`: displays the readings of scales in a terminal, or prints them as lines.
///
///     feed ──▶ event ──▶ model ──▶ layout ──▶ terminal
///      ▲            └──▶ lines, log
///      └── request ◀── key ◀── terminal
package final class Weigh {
  private let feed: DaemonFeed
  private let options: WeighOptions
  private let log: ReadingLog?
  private var model: WeighViewModel {
    didSet { if model != oldValue { terminal?.setNeedsDisplay() } }
  }
  private var pendingHistories = PendingReplies<String>()
  private var terminal: Terminal?
  private var timer: EventSource?
  private var output: EventSource?
  private var lastLine = ""

  package init(
    _ feed: DaemonFeed, options: WeighOptions, log: ReadingLog?, draws: Bool
  ) throws(SystemError) {
    self.feed = feed
    self.options = options
    self.log = log
    model = WeighViewModel(unit: options.unit)
    model.list.selectedName = options.device
    if draws {
      terminal = try Terminal(
        loop: feed.loop,
        paint: { [unowned self] in WeighLayout(model: model, glyphs: $0.glyphs).canvas($0.size) },
        keyPressed: { [unowned self] in handle($0) })
    } else {
      output = feed.loop.watchReader(of: STDOUT_FILENO) { [weak self] in self?.feed.end(nil) }
      if let seconds = options.timeout {
        timer = try feed.loop.timer { [weak self] in
          let sentence = "no stable reading came within \(seconds.shortDescription) s"
          self?.feed.end(ExitError(sentence, .timedOut))
        }
        timer?.set(to: feed.loop.now + Int64(seconds * 1_000_000))
      }
    }
    try feed.start { [options] in
      $0.append(.subscribe(events: [.device, .scale]))
      if options.grabs { $0.append(.grab(options.device, isOn: true)) }
      // A load at rest causes no events, so its reading has to be requested.
      $0.append(.state())
    } handler: { [weak self] in
      self?.handle($0)
    }
  }

  // MARK: - Events of the daemon

  private func handle(_ update: DaemonFeed.Update) {
    switch update {
    case .event(.scale(let scale), _):
      if let name = scale.device { self.update(scale, of: name) }
    case .event(.reply(let reply), let line): handle(reply, line)
    case .event(let event, _): model.list.update(with: event)
    case .waiting(let error, let isNew):
      if terminal == nil, isNew { Log.info(error.waitingSentence) }
      pendingHistories.removeAll()
      model.disconnect()
      model.connectionStatus = error.sentence
    }
  }

  /// Whether the readings of a device are printed: it is the selected one or, without a selection, it can weigh or no
  /// device can.
  private func isSelected(_ name: String) -> Bool {
    if let selected = options.device { return name == selected }
    let canWeigh = model.list.devices.filter { $0.device.weightSource != .none }
    return canWeigh.isEmpty || canWeigh.contains { $0.device.device == name }
  }

  private func update(_ scale: ReceivedScale, of name: String) {
    let scale = options.withTarget(scale)
    model.list[name]?.scale = scale
    if scale.isStableReading, model.list[name]?.history.stableReadingReceived() == true {
      requestHistory(of: name)
    }
    guard isSelected(name), let device = model.list[name]?.device else { return }
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
    feed.connection?.send(request)
  }

  /// Updates the history of a device with a reply, which is an error if the device was removed before the request.
  private func updateHistory(of name: String, from line: [UInt8]) {
    let history: [ReceivedScale]? = try? Prompter.decode(line)
    guard var scale = model.list[name] else { return }
    let (newReadings, needsRequest) = scale.history.update(
      with: history ?? [], isAtRest: scale.scale?.isStableReading == true)
    model.list[name] = scale
    if isSelected(name) {
      for reading in newReadings { record(reading, of: scale.device) }
    }
    if needsRequest { requestHistory(of: name) }
  }

  private func record(_ scale: ReceivedScale, of device: ReceivedDevice) {
    timer?.set(to: nil)
    guard let log else { return }
    do throws(ExitError) {
      try log.add(scale, of: device)
      model.log = "\(log.count) in \(log.path)"
    } catch {
      feed.end(error)
    }
  }

  private func print(_ scale: ReceivedScale, of device: ReceivedDevice) {
    let count = model.list.devices.count { isSelected($0.device.device) }
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
    switch reply.verb {
    // Without the state there is nothing to display.
    case "state" where !reply.isSuccess: feed.connection?.giveUp(reply)
    case _ where !reply.isSuccess:
      guard terminal != nil else { return feed.end(ExitError(reply.error)) }
      model.message = reply.error?.message ?? "the daemon refused the request"
    case "state":
      guard let states: [ReceivedState] = try? Prompter.decode(line) else { return }
      model.connectionStatus = feed.source
      for state in states {
        var scale = state.scale
        (scale.time, scale.device) = (feed.loop.now, state.device)
        update(scale, of: state.device)
      }
      if terminal == nil, let name = options.device, model.list[name] == nil {
        Log.info("\(name) is not connected; waiting for it")
      }
    case "calibrate":
      guard let checked: ReceivedCalibration = try? Prompter.decode(line) else { return }
      model.message = CalibrationText.checked(checked, in: model.unit)
    case "grab":
      guard let grab: ReceivedGrab = try? Prompter.decode(line) else { return }
      model.isGrabbed = grab.grabbed
    default: break
    }
  }

  // MARK: - Keys

  private func handle(_ key: Key) {
    model.message = ""
    if let entry = model.entry { return edit(entry, key) }
    switch key {
    case .character("c"): model.entry = ""
    case .tab: model.step()
    case .character("n"): model.unit = model.unit.next
    case .character("t"): send(Request.tare)
    case .character("u"): send(Request.clearTare)
    case .character("z"): send(Request.zero)
    case .character("h"):
      send(model.scale?.scale?.isHeld == true ? Request.release : Request.hold)
    case .character("g"): send { .grab($0, isOn: !model.isGrabbed) }
    default: break
    }
  }

  /// Handles a key while the known weight of a check is typed.
  private func edit(_ entry: String, _ key: Key) {
    switch key {
    case .control("m"), .control("j"):
      model.entry = nil
      check(entry)
    case .control("h"): model.entry = String(entry.dropLast())
    case .character(let character) where entry.count < 20:
      model.entry = entry + String(character)
    case .escape: model.entry = nil
    default: break
    }
  }

  private func check(_ text: String) {
    if text == "undo" { return send { .calibrate($0, step: "drop") } }
    do throws(MassUnit.TextError) {
      let grams = try MassUnit.grams(of: text)
      send { .calibrate($0, step: "check", grams: grams) }
    } catch {
      model.message = CalibrationText.invalid(text, error)
    }
  }

  /// Sends a request for the displayed scale; its effect is visible in the next readings.
  private func send(_ request: (String) -> Request) {
    if let name = model.scale?.device.device { feed.send(request(name)) }
  }
}

private struct ReceivedGrab: Decodable {
  var grabbed: Bool
}

package struct WeighOptions {
  /// The name of the device; nil for the only one, or the first.
  package var device: String?
  package var unit = MassUnit.grams
  package var isJSON = false
  package var grabs = false

  package var target: (grams: Double, tolerance: Double)?

  /// The time limit for a stable reading in seconds; nil for none.
  package var timeout: Double?

  package init() {}

  /// A reading with the target of this program, instead of the daemon's, which all clients share and which persists.
  fileprivate func withTarget(_ reading: ReceivedScale) -> ReceivedScale {
    guard let target else { return reading }
    var reading = reading
    let distance = reading.grams.map { ($0 - target.grams).magnitude } ?? .infinity
    reading.target = ReceivedScale.Target(
      grams: target.grams, tolerance: target.tolerance,
      // Tolerates the rounding errors of decimal numbers, so that a distance equal to the tolerance is within.
      within: distance <= target.tolerance + 1e-6)
    return reading
  }

  /// Prints one stable reading: `pressured weigh --once`.
  package func weighOnce(over connection: Connection, log: ReadingLog?) throws(ExitError) {
    let limit = timeout ?? Double(Command.defaultWeighTimeoutMilliseconds) / 1000
    var requests = JSONLinesWriter()
    requests.append(.subscribe(events: []))
    if grabs { requests.append(.grab(device, isOn: true)) }
    // A person does not know otherwise why nothing happens.
    requests.append(.state())
    requests.append(.weigh(device, timeoutMilliseconds: Int(limit * 1000)))
    // The reply may come later than the time limit, but not much if the user has set that.
    let deadline = Deadline(seconds: limit + (timeout == nil ? 10 : 1))
    try ConnectionError.orExit(try connection.send(requests))
    var devices: [ReceivedDevice] = []
    while true {
      for line in try ConnectionError.orExit(try connection.nextLines(before: deadline)) {
        switch ReceivedEvent(line: line) {
        case .device(let device): devices.append(device)
        case .reply(let reply):
          guard reply.isSuccess else { throw ExitError(reply.error) }
          if reply.verb == "state" { explain(try Prompter.decode(line), devices, limit) }
          guard reply.verb == "weigh" else { continue }
          return try print(try Prompter.decode(line), devices, log)
        default: break
        }
      }
    }
  }

  /// Logs what it waits for if nothing lies on the scale: the named one, or the only one that can weigh.
  private func explain(_ states: [ReceivedState], _ devices: [ReceivedDevice], _ limit: Double) {
    let scales = devices.filter { candidate in
      device.map { $0 == candidate.device } ?? (candidate.weightSource != .none)
    }
    guard scales.count == 1, let state = states.first(where: { $0.device == scales[0].device }),
      state.contacts.isEmpty, !state.scale.isHeld
    else { return }
    let seconds = limit.shortDescription
    Log.info("nothing is on the scale: waiting at most \(seconds) s for a load at rest")
  }

  private func print(
    _ reading: ReceivedScale, _ devices: [ReceivedDevice], _ log: ReadingLog?
  ) throws(ExitError) {
    let device = devices.first { $0.device == reading.device }
    if let device { try log?.add(reading, of: device) }
    if isJSON { return StandardOutput.print(withTarget(reading).jsonText) }
    StandardOutput.print(reading.text(in: unit, isEstimate: device?.isEstimate ?? false))
  }
}
