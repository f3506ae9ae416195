internal import Glibc
internal import PressureConnection
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem
internal import PressureTerminal

/// A link × bindings × commands and keys: does for the user what the daemon never does.
///
///     link ──▶ line ──▶ matcher ──▶ commands
///                           └─────▶ keys
package final class Binder {
  private let loop: EventLoop
  private let file: String
  private var matcher = BindingMatcher([])
  private var keys: VirtualKeys?
  private let children: ChildProcesses
  private var link: LoopConnection?
  private var sources: [EventSource] = []

  private let session = LoginSession()
  private var limits = StartLimits(perSecond: Bindings().maxPerSecond)
  private var maxPerSecond = Bindings().maxPerSecond

  /// Why something was not done last, so that it is said once until something is done.
  private var objection: String?

  /// The keys that were pressed and are to be let go, by the places of their bindings, which may be others by then.
  private var pressed: [Int: (key: EventCode, count: Int)] = [:]

  /// The bindings whose commands could not be started, so that it is said once.
  private var complaints: Set<Int> = []

  /// Begins with bindings that were read from a file, and are read from there again.
  ///
  /// With `explains` the log tells of each press which bindings it fires, and why not the others.
  package init(
    loop: EventLoop, socket: String?, bindings: Bindings, file: String, explains: Bool = false
  ) throws(SystemError) {
    self.loop = loop
    self.file = file
    matcher.explains = explains
    children = ChildProcesses(limit: bindings.maxRunning)
    adopt(bindings)
    let link = LoopConnection(
      loop: loop, socket: socket,
      greeting: { $0.appendRequest("subscribe", ["events": Binder.events]) },
      handler: { [weak self] in self?.hear($0) })
    self.link = link
    try watch()
    try link.start()
  }

  /// The events that bindings are on.
  private static let events = RequestValue.list([.text("press"), .text("action")])

  private func watch() throws(SystemError) {
    // Whoever started us may have ignored it, and then no child's end would be told.
    signal(SIGCHLD, SIG_DFL)
    for number in [SIGTERM, SIGINT] {
      sources.append(try loop.onSignal(number) { [weak self] in self?.stop() })
    }
    sources.append(try loop.onSignal(SIGHUP) { [weak self] in self?.reload() })
    sources.append(try loop.onSignal(SIGCHLD) { [weak self] in self?.children.reap() })
  }

  /// Lets go of all keys; commands go on, as they are the user's.
  private func stop() {
    keys = nil
    children.tellTurnedAway()
    loop.stop()
  }
}

// MARK: - What comes from the daemon

extension Binder {
  private func hear(_ news: ReconnectingConnection.Update) {
    switch news {
    case .line(let line):
      let event = ReceivedEvent(line: line)
      if case .reply(let reply) = event { hear(reply) }
      let outcomes = matcher.hear(event)
      if matcher.explains { explain(event, outcomes) }
      for outcome in outcomes { follow(outcome, event, line) }
    case .lost:
      for outcome in matcher.forget() { follow(outcome, .other, []) }
    case .unavailable(.refused(let fault), let isNew):
      if isNew { Log.error(ConnectionError.refused(fault).waitingSentence) }
    case .unavailable(let fault, let isNew):
      if isNew { Log.info(fault.waitingSentence) }
    }
  }

  /// The only thing that was asked is to hear presses and actions.
  private func hear(_ reply: ReceivedReply) {
    if reply.isSuccess, let path = link?.daemonPath { Log.info("listening to \(path)") }
  }

  private func follow(
    _ outcome: BindingMatcher.Outcome, _ event: ReceivedEvent, _ line: [UInt8]
  ) {
    switch outcome {
    case .fire(let index):
      guard mayDo(index) else { return matcher.refuse(index, of: event) }
      switch matcher.bindings[index].deed {
      case .run(let words): run(words, of: index, EventVariables.of(event, line: line))
      case .pressKey(let key):
        pressed[index, default: (key, 0)].count += 1
        keys?.press(key)
      }
    case .skip: break
    case .letGo(let index):
      guard let (key, count) = pressed[index] else { return }
      pressed[index] = count > 1 ? (key, count - 1) : nil
      keys?.release(key)
    }
  }

  /// Whether a binding may do something now, by its rate and by the state of the session.
  private func mayDo(_ index: Int) -> Bool {
    // What cannot be started in any case is told of there.
    if case .run = matcher.bindings[index].deed, children.isFull { return true }
    let objection =
      limits.admits(index, at: loop.now)
      ? session.objection : "max_per_second is \(maxPerSecond), and more was asked for"
    if let objection, objection != self.objection {
      Log.warning("binding \(index + 1) of \(file) does nothing: \(objection)")
    }
    self.objection = objection
    return objection == nil
  }

  /// Says of a press that has climbed to a stage what that does, binding by binding.
  private func explain(_ event: ReceivedEvent, _ outcomes: [BindingMatcher.Outcome]) {
    guard case .press(let press) = event, let stage = press.stage else { return }
    let count = press.fingers ?? 1
    let heard = "press at \(stage) with \(count) \(count == 1 ? "finger" : "fingers")"
    for outcome in outcomes {
      switch outcome {
      case .fire(let index): Log.info("\(heard): binding \(index + 1) fires")
      case .skip(let index, let reason):
        Log.info("\(heard): binding \(index + 1) does not fire: \(reason)")
      case .letGo: break
      }
    }
    let hasBindings = matcher.bindings.contains {
      if case .press = $0.trigger { true } else { false }
    }
    if !hasBindings, press.state == .started { Log.info("\(heard): no binding is on presses") }
  }

  private func run(
    _ words: [String], of index: Int, _ variables: [(name: String, value: String)]
  ) {
    do throws(SystemError) {
      try children.start(words, variables: variables)
    } catch {
      guard complaints.insert(index).inserted else { return }
      Log.error("\(error.sentence); it stands in binding \(index + 1) of \(file)")
    }
  }
}

// MARK: - What comes from the user

extension Binder {
  /// Reads the file again; where it is wrong, all stays as it was.
  private func reload() {
    do throws(ConfigurationErrors) {
      adopt(try BindingsFile.read(path: file))
    } catch {
      for sentence in error.sentences { Log.error(sentence) }
      Log.error("the bindings stay as they were")
    }
  }

  private func adopt(_ bindings: Bindings) {
    let oldKeys = Bindings(list: matcher.bindings).keys
    for outcome in matcher.replace(by: bindings.list) { follow(outcome, .other, []) }
    complaints = []
    (objection, pressed) = (nil, [:])
    maxPerSecond = bindings.maxPerSecond
    limits = StartLimits(perSecond: maxPerSecond)
    children.setLimit(bindings.maxRunning)
    if bindings.keys != oldKeys { makeKeys(bindings.keys) }
    Log.info("bindings in force: \(bindings.list.count), of \(file)")
  }

  /// A device's keys are fixed when it is made, so other keys are another device.
  private func makeKeys(_ codes: Set<EventCode>) {
    keys = nil
    guard !codes.isEmpty else { return }
    do throws(SystemError) {
      keys = try VirtualKeys(codes)
    } catch {
      let advice = VirtualKeys.advice(for: error)
      Log.error("\(error.sentence), so no binding presses a key; \(advice)")
    }
  }
}
