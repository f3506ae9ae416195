internal import PressureClient
internal import PressureLoop
internal import PressureProtocol
package import PressureSystem

/// `pressured watch`: displays the events of a daemon in a terminal, and sends the requests of its keys.
///
///     feed ──▶ event ──▶ model ──▶ layout ──▶ terminal
///     terminal ──▶ key ──▶ model, or request ──▶ feed
package final class Watch {
  private let feed: DaemonFeed
  private var model = WatchViewModel() {
    didSet { if model != oldValue { terminal?.setNeedsDisplay() } }
  }
  private var terminal: Terminal?

  package init(_ feed: DaemonFeed) throws(SystemError) {
    self.feed = feed
    terminal = try Terminal(
      loop: feed.loop,
      paint: { [unowned self] in
        WatchLayout(model: model, glyphs: $0.glyphs, depth: $0.depth).canvas($0.size)
      }, keyPressed: { [unowned self] in handle($0) })
    try feed.start {
      $0.append(.subscribe(events: [.device, .weight, .press, .scale, .action]))
      // A load at rest causes no events, so its reading has to be requested.
      $0.append(.state())
    } handler: { [weak self] in
      self?.handle($0)
    }
  }

  // MARK: - Events of the daemon

  private func handle(_ update: DaemonFeed.Update) {
    switch update {
    case .event(.reply(let reply), _) where !reply.isSuccess:
      model.message = reply.error?.message ?? "the daemon refused the request"
      // Without the state there is nothing to display.
      if reply.verb == "state" { feed.connection?.giveUp(reply) }
    case .event(.reply(let reply), let line):
      if reply.verb == "state", let states: [ReceivedState] = try? Prompter.decode(line) {
        model.update(with: states)
      }
    case .event(let event, _):
      model.update(with: event)
      if case .hello = event { model.connectionStatus = feed.source }
    case .waiting(let error, _):
      model.disconnect()
      model.connectionStatus = error.sentence
    }
  }

  // MARK: - Keys

  private func handle(_ key: Key) {
    model.message = ""
    switch key {
    case .character("?"): model.listsKeys.toggle()
    case .escape: model.listsKeys = false
    case .tab, .right, .down: model.step(by: 1)
    case .backTab, .left, .up: model.step(by: -1)
    case .character("t"): send(Request.tare, "tared")
    case .character("u"): send(Request.clearTare, "tare cleared")
    case .character("z"): send(Request.zero, "zeroed")
    case .character("h"):
      let isHeld = model.device?.scale?.isHeld ?? false
      send(isHeld ? Request.release : Request.hold, isHeld ? "released" : "held")
    case .character(let letter):
      if ("1"..."9").contains(letter) { model.select(Int(letter.value) - 0x30) }
    case .control: break
    }
  }

  /// Sends a request for the displayed device, and displays its success; an error reply replaces that message.
  private func send(_ request: (String) -> Request, _ message: String) {
    guard let device = model.device?.device.device else { return }
    feed.send(request(device))
    model.message = message
  }
}

struct WatchViewModel: Equatable {
  private var list = DeviceList()
  var listsKeys = false

  /// What the daemon reads or its socket, or why there is no connection.
  var connectionStatus = ""
  private(set) var isConnected = false
  var message = ""

  var devices: [WatchedDevice] { list.devices }

  private var index: Int { list.index(list.selectedName) ?? 0 }

  var device: WatchedDevice? { devices.isEmpty ? nil : devices[index] }

  var number: Int { index + 1 }

  mutating func update(with event: ReceivedEvent) {
    switch event {
    case .action(let action): message = action.title ?? action.type
    case .access(let access): message = access.sentence
    case .hello: isConnected = true
    case .device, .weight, .press, .scale, .contact, .maximumForce, .heaviest, .missed, .reply,
      .other:
      list.update(with: event)
    }
  }

  mutating func update(with states: [ReceivedState]) {
    isConnected = true
    for state in states { list[state.device]?.update(with: state) }
  }

  mutating func disconnect() {
    list.selectedName = list.selectedName ?? devices.first?.device.device
    list.removeAll()
    isConnected = false
  }

  mutating func step(by step: Int) { list.select(step, from: index) }

  mutating func select(_ number: Int) {
    if devices.indices.contains(number - 1) { list.select(0, from: number - 1) }
  }
}
