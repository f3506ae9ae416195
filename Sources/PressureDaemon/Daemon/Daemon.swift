internal import CLinux
internal import Glibc
package import PressureDevices
package import PressureKit
package import PressureLoop
package import PressureProtocol
package import PressureRecordings
package import PressureSettings
package import PressureSystem

/// Connects devices, engines and clients: owns all long-lived state and every source that wakes the loop.
///
/// Sources refer to the daemon by `unowned`, as it owns them. `weak` would add a side table that slows every
/// later access.
///
///     loop ──▶ device ──▶ engine ──▶ batch ──▶ clients
///          └─▶ client ──▶ request ──▶ reply
package final class Daemon {
  /// Where events come from.
  package enum Source {
    /// The kernel's touch devices: all of them, or one node.
    case devices(only: String?)
    /// A pipe, served as if it were a device.
    case events(EventPipe)
    /// A recording, served as if it were a device.
    case recording(Player)
  }

  /// The signals that the daemon handles.
  package static let signals = [SIGTERM, SIGINT, SIGHUP]

  /// Allocations of at least this many bytes are mapped separately and returned to the kernel when freed.
  ///
  /// The corresponding constant of the C library is `M_MMAP_THRESHOLD`.
  private static let largeMemory: Int32 = 128 * 1024

  package let loop: EventLoop
  package var configuration: Configuration {
    didSet { actions = ActionTable(configuration, added: clientActions) }
  }

  /// The error of the last reload, or nil if it succeeded.
  var reloadError: String?

  /// Where the configuration is read from, or nil if there is no such path.
  package let location: ConfigurationLocation?

  package let source: Source
  package let listener: Listener

  // One thread runs the daemon, and no list is mutated while it is iterated: see `sweepLater`.
  @exclusivity(unchecked) package var devices: [ServedDevice] = [] {
    didSet { scheduleStatusUpdate() }
  }
  @exclusivity(unchecked) var clients: [Client] = [] { didSet { scheduleStatusUpdate() } }
  var isReading = false

  /// Whether the daemon only sends queued output before it exits.
  var isStopping = false

  /// Whether the daemon exits after the recording, as for a client that prints it.
  package var exitsAfterRecording = false

  /// The error in the recording that ended it early.
  package var recordingError: RecordingError?

  /// Counters of disconnected clients and removed devices, and of accepted and rejected connections.
  var counts = DaemonCounts()

  /// When the daemon started, in microseconds of CLOCK_MONOTONIC.
  let since: Int64

  /// Whether `trimTimer` is set.
  var isTrimScheduled = false

  /// Whether `statusTimer` is set.
  var isStatusUpdateScheduled = false
  var lastStatus: String?

  /// Whether standard error was a terminal at the start.
  let hasTerminal = isatty(STDERR_FILENO) != 0

  /// When the next held reading is due, in microseconds of CLOCK_MONOTONIC.
  var dueAt: Int64?

  /// The earliest deadline of an engine, at which it may emit events without input.
  package var deadline: Timestamp?

  /// When the first pending request times out or is checked again; nil if there is none.
  var weighDueAt: Int64?

  /// The state of scales whose devices are closed.
  var scales = ScaleCache()

  /// Stored calibrations; nil for a recording, whose output must not depend on the machine.
  package let calibrations: CalibrationStore?

  /// Calibrations that are finished and not applied yet.
  var pendingFits: [(ServedDevice, CalibrationFit)] = []

  /// The names of ignored devices by their nodes; no other device gets such a name while the node exists.
  var ignoredNames: [String: DeviceID] = [:]

  /// Quick actions that clients have added, in the order of adding.
  var clientActions: [ClientAction] = [] { didSet { actions.setDynamic(clientActions) } }

  /// All quick actions.
  private(set) var actions: ActionTable

  /// The last error that was logged for each node, so that it is logged once.
  package var reportedErrors: [String: String] = [:]

  /// Limits haptic pulses of all devices together.
  var pulseLimit: PulseLimit

  /// Clients with requests to execute, in the order in which they became ready.
  var requestQueue: [Client] = []

  /// Selects the client that is served next.
  var scheduler = UserScheduler()

  /// Limits the requests of users that change what other clients receive.
  var useLimits = UseLimits()

  /// Work done so far, in bytes or what takes as long as a byte.
  @exclusivity(unchecked) var work = 0

  /// The value of `work` when devices were last read ahead.
  @exclusivity(unchecked) var workAtReadAhead = 0

  /// Scratch memory for the lines of a client, reused.
  @exclusivity(unchecked) var gatherWrite = GatherWrite()

  /// Scratch memory for replies, reused.
  package var reply = JSONLinesWriter()

  private(set) var playTimer: EventSource
  private(set) var dueTimer: EventSource
  private(set) var sweepTimer: EventSource
  private(set) var acceptRetryTimer: EventSource
  private(set) var resumeTimer: EventSource
  private(set) var weighTimer: EventSource
  private(set) var deadlineTimer: EventSource
  private(set) var pendingChangeTimer: EventSource
  private(set) var statusTimer: EventSource
  private(set) var shutdownTimer: EventSource
  private(set) var requestSource: EventSource
  private(set) var trimTimer: EventSource
  private(set) var listenerSource: EventSource?
  private var sources: [EventSource] = []
  private var monitor: DeviceMonitor?
  private var onlyMonitor: PathMonitor?
  private var lastNumber = 0

  package init(
    loop: EventLoop, configuration: Configuration, location: ConfigurationLocation?,
    source: Source, listener: Listener, calibrations: CalibrationStore? = nil
  ) throws(SystemError) {
    self.loop = loop
    since = loop.now
    self.configuration = configuration
    actions = ActionTable(configuration)
    self.location = location
    self.source = source
    self.listener = listener
    self.calibrations = calibrations
    pulseLimit = PulseLimit(pulsesPerSecond: configuration.haptics.pulsesPerSecond)
    let daemon = DaemonReference()
    // Not with a device's priority: at a speed that cannot be kept, clients and signals would starve.
    playTimer = try loop.timer(priority: .normal) { daemon.value?.play() }
    dueTimer = try loop.timer { daemon.value?.sendDueReadings() }
    // A pad with continuous input must not keep finished connections open, nor stop the daemon from accepting.
    sweepTimer = try loop.timer(priority: .normal) { daemon.value?.sweep() }
    weighTimer = try loop.timer { daemon.value?.resolvePendingWeighs() }
    // Requests and devices that keep the loop busy would starve timers of a lower priority.
    statusTimer = try loop.timer(priority: .normal) { daemon.value?.publishStatus() }
    // Pending requests keep the loop busy; shutting down must not wait for them.
    shutdownTimer = try loop.timer(priority: .signal) { daemon.value?.end() }
    trimTimer = try loop.timer(priority: .normal) { daemon.value?.trimHeap() }
    pendingChangeTimer = try loop.timer(priority: .normal) {
      daemon.value?.applyPendingChanges()
    }
    deadlineTimer = try loop.timer { daemon.value?.fireDeadlines() }
    acceptRetryTimer = try loop.timer(priority: .normal) {
      daemon.value?.listenerSource?.watch(for: .reading)
    }
    resumeTimer = try loop.timer(priority: .normal) { daemon.value?.resumeReading() }
    requestSource = try loop.recurring { daemon.value?.serveNextClient() }
    daemon.value = self
    try watch()
  }

  private func watch() throws(SystemError) {
    signal(SIGPIPE, SIG_IGN)
    // Large buffers of clients are returned to the kernel when freed; in the heap, hundreds would leave holes.
    _ = pressured_return_memory_from(Daemon.largeMemory)
    for number in Daemon.signals {
      sources.append(
        try loop.onSignal(number) { [unowned self] in
          if number == SIGHUP { reloadOrStop() } else { stop() }
        })
    }
    listenerSource = try loop.watch(listener.descriptor, for: .reading) { [unowned self] _ in
      accept()
    }
    if case .devices(let only) = source {
      monitor = DeviceMonitor(loop: loop) { [unowned self] node in nodeAppeared(node) }
      onlyMonitor = only.map { node in
        PathMonitor(loop: loop, path: node) { [unowned self] in nodeAppeared(node) }
      }
    }
    loop.enableWatchdog()
  }

  /// A number that no other device or client of this process has.
  func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// The current time, on the clock of event timestamps.
  package var now: Timestamp { Timestamp(microseconds: loop.now) }
}

/// Lets timers be created before the daemon that they call.
private final class DaemonReference {
  unowned var value: Daemon?
}

// MARK: - Service status and shutdown

extension Daemon {
  /// The state of the daemon on one line.
  package var status: String {
    let open = isReading ? "\(devices.count) open" : "closed"
    // Included for users who may not read the log.
    let fault = reloadError.map { "; the last reload failed: \($0)" } ?? ""
    return "Serving \(listener.path); devices: \(open); clients: \(clients.count)\(fault)".onOneLine
  }

  /// Microseconds between two status updates: clients may connect a thousand times a second.
  private static let statusInterval: Int64 = 500_000

  /// Schedules a status update.
  func scheduleStatusUpdate() {
    guard ServiceNotifier.isAvailable, !isStatusUpdateScheduled else { return }
    isStatusUpdateScheduled = true
    statusTimer.set(to: loop.now + Daemon.statusInterval)
  }

  func publishStatus() {
    isStatusUpdateScheduled = false
    guard status != lastStatus else { return }
    lastStatus = status
    ServiceNotifier.status(status)
  }

  /// Handles SIGHUP: reloads the configuration, or stops if the controlling terminal has hung up.
  func reloadOrStop() {
    guard !isStopping else { return }
    guard !(hasTerminal && isatty(STDERR_FILENO) == 0) else { return stop() }
    _ = try? reload()
  }

  /// Microseconds that clients have to read queued output; the daemon has to exit within a second.
  private static let shutdownGrace: Int64 = 700_000

  /// Cancels contacts, sends what is queued, and exits when clients have read it or the grace period has passed.
  package func stop() {
    guard !isStopping else { return end() }
    isStopping = true
    ServiceNotifier.stopping()
    stopAccepting()
    if case .events(let pipe) = source { pipe.source = nil }
    stopReading()
    resolvePendingWeighs()
    for client in clients { client.closeAfterFlushing() }
    shutdownTimer.set(to: loop.now + Daemon.shutdownGrace)
    sweep()
  }

  /// Stops the loop.
  package func end() {
    clients = []
    loop.stop()
  }
}
