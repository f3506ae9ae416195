internal import CLinux
internal import Glibc
package import PressureDevices
package import PressureKit
package import PressureLoop
package import PressureProtocol
package import PressureRecordings
package import PressureSettings
package import PressureSystem

/// Devices × engines × clients: all that lives long, and who wakes it.
///
/// What wakes it belongs to it, and so knows it without keeping it. A weak reference would do that, too, but
/// where there is one, each other use of the object takes a detour for ever after.
///
///     loop ──▶ device ──▶ engine ──▶ batch ──▶ clients
///          └─▶ client ──▶ request ──▶ reply
package final class Daemon {
  /// What is read.
  package enum Source {
    /// The touch devices of the kernel; all of them, or one node.
    case devices(only: String?)
    /// Whoever writes to a pipe, as if it were a device.
    case events(EventPipe)
    /// A recording, served as if it were a device.
    case recording(Player)
  }

  /// The signals that it is told things by.
  package static let signals = [SIGTERM, SIGINT, SIGHUP]

  /// Bytes from which on memory is the kernel's to give and take back, piece by piece.
  ///
  /// The corresponding constant of the C library is `M_MMAP_THRESHOLD`.
  private static let largeMemory: Int32 = 128 * 1024

  package let loop: EventLoop
  package var configuration: Configuration {
    didSet { actions = ActionTable(configuration, added: clientActions) }
  }

  /// What was wrong with the configuration when it was last read again; nil where nothing was.
  var reloadError: String?

  /// Where the configuration is read again, or nil where there is no place for one.
  package let location: ConfigurationLocation?

  package let source: Source
  package let listener: Listener

  // There is one thread, and no list is changed while somebody goes through it: see `sweepLater`.
  @exclusivity(unchecked) package var devices: [ServedDevice] = [] {
    didSet { scheduleStatusUpdate() }
  }
  @exclusivity(unchecked) var clients: [Client] = [] { didSet { scheduleStatusUpdate() } }
  var isReading = false

  /// Whether all is over but what clients have not taken yet.
  var isStopping = false

  /// Whether all ends with the recording, as for one client that prints it.
  package var exitsAfterRecording = false

  /// What was wrong with the recording that all has ended with.
  package var recordingError: RecordingError?

  /// What has been done for clients and devices that are gone, and at the door.
  var counts = DaemonCounts()

  /// Microseconds of CLOCK_MONOTONIC when all began.
  let since: Int64

  /// Whether unused memory of the heap is to be given back when `trimTimer` fires.
  var isTrimDue = false

  /// Whether the service manager is to be told how many there are.
  var isStatusUpdateScheduled = false
  var lastStatus: String?

  /// Whether a terminal was there to be told things in the beginning.
  let hasTerminal = isatty(STDERR_FILENO) != 0

  /// When the next reading that was held back is due, in microseconds of CLOCK_MONOTONIC.
  var dueAt: Int64?

  /// When the first engine has something to say although its device is silent.
  package var deadline: Timestamp?

  /// When the first of those who wait for a stable reading has waited for long enough; nil where nobody waits.
  var weighDueAt: Int64?

  /// What scales keep while their devices are closed.
  var scales = ScaleCache()

  /// Where calibrations are kept; nil where a recording is to be what it is everywhere.
  package let calibrations: CalibrationStore?

  /// Calibrations that are finished and not in force yet.
  var pendingFits: [(ServedDevice, CalibrationFit)] = []

  /// Names of devices that are ignored, by their nodes, which nobody else gets while they are there.
  var ignoredNames: [String: DeviceID] = [:]

  /// Quick actions that clients have added, in the order in which they came.
  var clientActions: [ClientAction] = [] { didSet { actions.setDynamic(clientActions) } }

  /// Those and all others.
  private(set) var actions: ActionTable

  /// What was said of nodes that are not read, so that it is said once.
  package var reportedErrors: [String: String] = [:]

  /// How often devices may still pulse, all together.
  var pulseLimit: PulseLimit

  /// Clients with requests that wait for their turn, in the order in which they came.
  var requestQueue: [Client] = []

  /// Whose turn among them is next.
  var scheduler = UserScheduler()

  /// How often users may still change what others read.
  var useLimits = UseLimits()

  /// What was done so far, in bytes or what takes as long as a byte.
  @exclusivity(unchecked) var work = 0

  /// How much of it was done when devices were last looked after.
  @exclusivity(unchecked) var workAtReadAhead = 0

  /// Memory to put a client's lines together in, used again.
  @exclusivity(unchecked) var gatherWrite = GatherWrite()

  /// Memory to write answers in, used again.
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
    // Not a device's turn: at a speed that cannot be kept, clients and signals would never be heard.
    playTimer = try loop.timer(priority: .normal) { daemon.value?.play() }
    dueTimer = try loop.timer { daemon.value?.sendDueReadings() }
    // A pad that never rests must not keep connections that are over, nor the door shut.
    sweepTimer = try loop.timer(priority: .normal) { daemon.value?.sweep() }
    weighTimer = try loop.timer { daemon.value?.resolvePendingWeighs() }
    statusTimer = try loop.timer { daemon.value?.publishStatus() }
    // Requests that wait keep the loop busy; the end must not wait for them.
    shutdownTimer = try loop.timer(priority: .signal) { daemon.value?.end() }
    trimTimer = try loop.timer { daemon.value?.trimHeap() }
    pendingChangeTimer = try loop.timer { daemon.value?.applyPendingChanges() }
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
    // What waits for a client is given back whole; in the heap, that of hundreds would leave holes.
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

  /// A number that no device and no client has had.
  func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// The present, on the clock that stamps events.
  package var now: Timestamp { Timestamp(microseconds: loop.now) }
}

/// Lets timers be made before there is a daemon for them to wake.
private final class DaemonReference {
  unowned var value: Daemon?
}

// From the word that all is ready to the last line that a client gets.

extension Daemon {
  /// What we are at, on one line.
  package var status: String {
    let open = isReading ? "\(devices.count) open" : "closed"
    // Also for those who may not read the log.
    let fault = reloadError.map { "; the last reload failed: \($0)" } ?? ""
    return "Serving \(listener.path); devices: \(open); clients: \(clients.count)\(fault)".onOneLine
  }

  /// Microseconds between two words on the status: clients may come and go a thousand times a second.
  private static let statusInterval: Int64 = 500_000

  /// The status may be another one.
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

  /// Reads the configuration again, unless it was a terminal that has hung up: then nobody would know
  /// any more that we are there.
  func reloadOrStop() {
    guard !isStopping else { return }
    guard !(hasTerminal && isatty(STDERR_FILENO) == 0) else { return stop() }
    _ = try? reload()
  }

  /// Microseconds that clients have for what they have not taken yet; all is to be over within a second.
  private static let shutdownGrace: Int64 = 700_000

  /// Cancels contacts, and ends once everybody has been told, or has had time enough.
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

  /// Ends the loop.
  package func end() {
    clients = []
    loop.stop()
  }
}
