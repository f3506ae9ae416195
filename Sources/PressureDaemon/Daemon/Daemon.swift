internal import Glibc
package import PressureDevices
package import PressureKit
package import PressureLoop
package import PressureProtocol
package import PressureRecordings
package import PressureSettings
package import PressureSystem

/// Connects devices, engines and clients: all long-lived state, and the timers that belong to no part of it.
///
/// Sources refer to the daemon by `unowned`, as it owns them. `weak` would add a side table that slows every
/// later access.
///
///     loop ──▶ device ──▶ engine ──▶ batch ──▶ clients
///          └─▶ client ──▶ request ──▶ reply
package final class Daemon {
  package let loop: EventLoop
  package var configuration: Configuration {
    didSet { actions = ActionTable(configuration, added: actions.added) }
  }
  var configurationSource: ConfigurationSource
  let discovery: DeviceDiscovery

  // One thread runs the daemon, and no list is mutated while it is iterated: see `sweepLater`.
  @exclusivity(unchecked) package var devices: [ServedDevice] = [] {
    didSet { status.updateLater() }
  }
  @exclusivity(unchecked) var clients: [Client] = [] { didSet { status.updateLater() } }

  /// What is kept of devices while they are closed.
  var memory: DeviceMemory

  /// All quick actions.
  var actions: ActionTable

  /// Limits haptic pulses of all devices together.
  var pulseLimit: PulseLimit

  let delivery: Delivery
  let listener: Listener
  let acceptor: Acceptor
  let access: AccessControl
  let refused: RefusedConnections
  let requests: RequestQueue
  let weighs: PendingWeighs
  let timers: DaemonTimers
  let trimmer: HeapTrimmer
  let status: StatusLine
  let shutdown: Shutdown
  var statistics: Statistics

  /// Turns of devices, for `fireOverdueTimersSometimes`.
  @exclusivity(unchecked) var deviceTurns = 0

  /// Scratch memory for replies, reused.
  package var reply = JSONLinesWriter()

  package init(
    loop: EventLoop, configuration: Configuration, location: ConfigurationLocation?,
    source: Source, listener: Listener, calibrations: CalibrationStore? = nil
  ) throws(SystemError) {
    let daemon = DaemonReference()
    self.loop = loop
    self.configuration = configuration
    configurationSource = ConfigurationSource(location)
    discovery = DeviceDiscovery(source, loop: loop) { daemon.value?.nodeAppeared($0) }
    memory = DeviceMemory(calibrations: calibrations)
    actions = ActionTable(configuration)
    pulseLimit = PulseLimit()
    let work = WorkMeter { daemon.value?.readAhead() }
    delivery = try Delivery(loop: loop, work: work) { daemon.value?.sendDueReadings() }
    self.listener = listener
    acceptor = try Acceptor(
      listener.descriptor, loop: loop, budget: 16 * Daemon.servedCost
    ) { daemon.value?.serveConnection($0) ?? Daemon.rejectedCost }
    access = AccessControl(isEnforced: listener.isOpenToAll, configuration, loop: loop) {
      daemon.value?.seatsChanged()
    }
    refused = try RefusedConnections(loop: loop)
    requests = try RequestQueue(loop: loop) { daemon.value?.serveNextClient() }
    weighs = try PendingWeighs(loop: loop) { daemon.value?.resolvePendingWeighs() }
    timers = DaemonTimers(
      resume: try loop.timer(priority: .normal) { daemon.value?.resumeReading() },
      pendingChanges: try loop.timer(priority: .normal) { daemon.value?.applyPendingChanges() },
      deadlines: try loop.timer { daemon.value?.fireDeadlines() },
      // A pad with continuous input must not keep finished connections open, nor stop the daemon from accepting.
      sweep: try loop.timer(priority: .normal) { daemon.value?.sweep() })
    trimmer = try HeapTrimmer(loop: loop)
    status = try StatusLine(loop: loop) { daemon.value?.statusText ?? "" }
    shutdown = try Shutdown(
      loop: loop, reload: { _ = try? daemon.value?.reload() }, stop: { daemon.value?.stop() },
      end: { daemon.value?.end() })
    statistics = Statistics(since: loop.now)
    daemon.value = self
    updateSeats()
    // So that a program such as `socat` need not know of suspensions; clients that are not at a seat wait, too.
    if access.isPending { acceptor.pause() }
    loop.enableWatchdog()
  }

  /// Counts work between two reads of the devices.
  var work: WorkMeter { delivery.work }

  /// The current time, on the clock of event timestamps.
  package var now: Timestamp { Timestamp(microseconds: loop.now) }
}

/// Lets timers be created before the daemon that they call.
private final class DaemonReference {
  unowned var value: Daemon?
}

extension Daemon {
  /// Where events come from.
  package enum Source {
    /// The kernel's touch devices: all of them, or one node.
    case devices(only: String?)
    /// A pipe, served as if it were a device.
    case events(EventPipe)
    /// A recording, served as if it were a device; the daemon may exit at its end, as for a client that prints it.
    case recording(Player, exitsAtEnd: Bool)
  }
}

/// Timers for work that no file descriptor triggers.
struct DaemonTimers {
  /// Continues with events that do not make a descriptor readable: those in memory, and those of a recording.
  let resume: EventSource

  /// Applies configuration changes that waited until nothing touches the device.
  let pendingChanges: EventSource

  /// Advances the engines: it is set to the earliest deadline at which one may emit events without input.
  let deadlines: EventSource

  /// Closes finished connections outside of iterations over clients or devices.
  let sweep: EventSource
}

/// What the daemon has counted itself, and the numbers that it has given.
struct Statistics {
  /// When the daemon started, in microseconds of CLOCK_MONOTONIC.
  let since: Int64

  /// Counters of disconnected clients and removed devices, and of accepted and rejected connections.
  var counts = DaemonCounts()

  private var lastNumber = 0

  init(since: Int64) {
    self.since = since
  }

  /// A number that no other device or client of this process has.
  mutating func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }
}

// MARK: - Status and shutdown

extension Daemon {
  /// The signals that the daemon handles.
  package static let signals = [SIGTERM, SIGINT, SIGHUP]

  /// The state of the daemon on one line.
  package var statusText: String {
    let open = discovery.isOpen ? "\(devices.count) open" : "closed"
    // Included for users who may not read the log.
    let error = configurationSource.lastError.map { "; the last reload failed: \($0)" } ?? ""
    return "Serving \(listener.path); devices: \(open); clients: \(clients.count)\(error)"
      .onOneLine
  }

  /// The error in the recording that ended it early, and the daemon with it.
  package var recordingError: RecordingError? { shutdown.error }

  /// Cancels contacts, sends what is queued, and exits when clients have read it or the grace period has passed.
  package func stop(because error: RecordingError? = nil) {
    guard shutdown.begin(because: error) else { return end() }
    acceptor.stop()
    if case .events(let pipe) = discovery.source { pipe.source = nil }
    stopReading()
    resolvePendingWeighs()
    for client in clients { client.closeAfterFlushing() }
    sweep()
  }

  /// Stops the loop.
  package func end() {
    clients = []
    loop.stop()
  }
}
