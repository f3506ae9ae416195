internal import Glibc
internal import PressureClient
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// Runs the user's commands and presses keys when events of the daemon match a binding.
///
///     connection ──▶ line ──▶ matcher ──▶ commands
///                                 └─────▶ keys
///
/// It runs as the user, because the daemon itself starts no programs and presses no keys.
package final class Binder {
  private let loop: EventLoop
  private let file: String
  private var matcher = BindingMatcher([])
  private var keys: VirtualKeys?

  /// Why no binding presses a key; nil if there is nothing to press or the device exists.
  private var keysObstacle: String?

  private let children = ChildProcesses()
  private var connection: LoopConnection?
  private var sources: [EventSource] = []

  private var logins: LoginMonitor?
  private var limits = StartLimits(perSecond: Bindings().maxPerSecond)

  /// Why the last binding was not carried out; logged once until a binding is carried out again.
  private var lastObstacle: String?

  /// The bindings whose commands could not be started; each failure is logged once.
  private var failedBindings: Set<Int> = []

  /// Creates a binder of the bindings that were read from a file, which SIGHUP reads again, and connects.
  package init(
    loop: EventLoop, socket: String?, bindings: Bindings, file: String, explains: Bool = false
  ) throws(SystemError) {
    self.loop = loop
    self.file = file
    matcher.explains = explains
    adopt(bindings)
    let connection = LoopConnection(
      loop: loop, paths: { SocketPath.forClients(named: socket) },
      greeting: { $0.append(.subscribe(events: [.press, .action])) },
      handler: { [weak self] in self?.handle($0) })
    self.connection = connection
    // An ignored SIGCHLD is inherited from the parent, and would hide the exit of child processes.
    signal(SIGCHLD, SIG_DFL)
    sources = try loop.onSignals([SIGTERM, SIGINT]) { [weak self] _ in self?.stop() }
    sources += try loop.onSignals([SIGHUP]) { [weak self] _ in self?.reload() }
    sources += try loop.onSignals([SIGCHLD]) { [weak self] _ in self?.children.reap() }
    if LoginMonitor.isPossible { logins = try LoginMonitor(loop: loop) {} }
    try connection.start()
  }

  /// Releases all keys and stops; running commands continue, because they belong to the user.
  private func stop() {
    keys = nil
    children.logSkipped()
    loop.stop()
  }

  // MARK: - Events of the daemon

  private func handle(_ update: ReconnectingConnection.Update) {
    switch update {
    case .line(let line):
      let event = ReceivedEvent(line: line)
      // Since the last press root may have permitted it, as bind --init advises.
      if keysObstacle != nil { makeKeys(Bindings(list: matcher.bindings).keys) }
      // The subscription is the only request.
      if case .reply(let reply) = event, reply.isSuccess, let path = connection?.daemonPath {
        Log.info("listening to \(path)")
      }
      let outcomes = matcher.update(with: event)
      let obstacles = outcomes.map { $0.mismatch ?? carryOut($0.binding, event, line) }
      keys?.hold(matcher.heldKeys)
      if matcher.explains { explain(event, zip(outcomes.map(\.binding), obstacles)) }
    case .lost:
      matcher.connectionLost()
      keys?.hold([])
    case .unavailable(.refused(let error), let isNew):
      if isNew { Log.error(ConnectionError.refused(error).waitingSentence) }
    case .unavailable(let error, let isNew):
      if isNew { Log.info(error.waitingSentence) }
    }
  }

  /// Carries out a binding that fires; returns why not.
  private func carryOut(_ index: Int, _ event: ReceivedEvent, _ line: [UInt8]) -> String? {
    let obstacle = obstacle(to: index) ?? start(index, event, line)
    if obstacle != nil { matcher.cancel(index, for: event) }
    return obstacle
  }

  /// Runs the command of a binding, or taps its key; returns why it does not.
  ///
  /// The key of a press is held afterwards, with those of all others.
  private func start(_ index: Int, _ event: ReceivedEvent, _ line: [UInt8]) -> String? {
    switch matcher.bindings[index].action {
    case .run(let arguments):
      do throws(SystemError) {
        return try children.start(arguments, variables: EventVariables.of(event, line: line))
      } catch {
        if failedBindings.insert(index).inserted {
          Log.error("\(error.sentence) (binding \(index + 1) of \(file))")
        }
        return error.sentence
      }
    case .pressKey(let key):
      guard let keys else { return keysObstacle.map { "it would press \(key.keyName), but \($0)" } }
      if case .action = event { keys.tap(key) }
      return nil
    }
  }

  /// Why a binding may not be carried out now, by its rate limit and by the state of the session.
  private func obstacle(to index: Int) -> String? {
    // `ChildProcesses` logs commands over its own limit, so they do not count against the rate.
    if case .run = matcher.bindings[index].action, children.isFull { return nil }
    let obstacle =
      limits.admits(index, at: loop.now)
      ? sessionObstacle : "the limit max_per_second (\(limits.perSecond)) is exceeded"
    if let obstacle, obstacle != lastObstacle {
      Log.warning("binding \(index + 1) of \(file) is skipped: \(obstacle)")
    }
    lastObstacle = obstacle
    return obstacle
  }

  /// Why bindings must not fire in this user's session; nil if it is active and unlocked, or unknown.
  private var sessionObstacle: String? {
    guard let seats = logins?.seats else { return nil }
    let found = seats.all.map { seats.access(of: getuid(), at: $0.name, suspendsWhenLocked: true) }
    if found.contains(.granted) { return nil }
    if found.contains(.locked) { return "the session is locked" }
    return found.contains(.inactive) ? "the session is not active" : nil
  }

  private func explain(_ event: ReceivedEvent, _ outcomes: some Sequence<(Int, String?)>) {
    guard case .press(let press) = event, let stage = press.stage else { return }
    let count = press.fingers ?? 1
    let summary = "press at \(stage) with \(count) \(count == 1 ? "finger" : "fingers")"
    for (index, obstacle) in outcomes {
      let result = obstacle.map { "does not fire: \($0)" } ?? "fires"
      Log.info("\(summary): binding \(index + 1) \(result)")
    }
    if press.state == .started, !matcher.bindings.contains(where: \.isForPress) {
      Log.info("\(summary): no binding is triggered by presses")
    }
  }

  // MARK: - Reload

  private func reload() {
    do throws(ConfigurationErrors) {
      adopt(try BindingsFile.read(path: file))
    } catch {
      for sentence in error.sentences { Log.error(sentence) }
      Log.error("the previous bindings stay in effect")
    }
  }

  private func adopt(_ bindings: Bindings) {
    if bindings.keys != Bindings(list: matcher.bindings).keys { makeKeys(bindings.keys) }
    matcher.replace(by: bindings.list)
    keys?.hold([])
    failedBindings = []
    lastObstacle = nil
    limits = StartLimits(perSecond: bindings.maxPerSecond)
    children.limit = bindings.maxRunning
    Log.info("active bindings: \(bindings.list.count), from \(file)")
  }

  /// Creates a new device, because the keys of a uinput device cannot change.
  private func makeKeys(_ codes: Set<EventCode>) {
    let before = keysObstacle
    (keys, keysObstacle) = (nil, nil)
    guard !codes.isEmpty else { return }
    do throws(SystemError) {
      keys = try VirtualKeys(codes)
    } catch {
      let advice = UinputAccess.advice(for: error.number).map { "; \($0)" } ?? ""
      if error.sentence != before {
        Log.error("\(error.sentence), so no binding presses a key\(advice)")
      }
      keysObstacle = error.sentence
    }
  }
}
