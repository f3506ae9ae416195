internal import CLinux
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
  let location: ConfigurationLocation?
  var reloadError: String?
  let discovery: DeviceDiscovery

  // One thread runs the daemon, and no list is mutated while it is iterated: see `sweepLater`.
  @exclusivity(unchecked) package var devices: [ServedDevice] = [] {
    didSet { publishStatusLater() }
  }
  @exclusivity(unchecked) var clients: [Client] = [] { didSet { publishStatusLater() } }

  var memory: DeviceMemory

  var actions: ActionTable

  var pulses = TokenBuckets()

  /// A finished calibration that is applied after the reply was sent.
  var pendingFit: (served: ServedDevice, fit: CalibrationFit)?

  let work: WorkMeter

  /// Scratch memory for each client and batch; no callee re-enters.
  @exclusivity(unchecked) var gatherWrite = GatherWrite()

  let listener: Listener
  let acceptor: Acceptor
  let access: AccessControl
  let refused: RefusedConnections
  let requests: RequestQueue
  let timers: DaemonTimers
  var statistics: Statistics
  private var publishedStatus: String?
  private var signals: [EventSource] = []
  private let hadTerminal = isatty(STDERR_FILENO) != 0

  /// Whether the daemon only sends queued output before it exits.
  private(set) var isStopping = false

  /// The error in the recording that ended the daemon early.
  package private(set) var recordingError: ExitError?

  package var reply = JSONLinesWriter()

  package init(
    loop: EventLoop, configuration: Configuration, location: ConfigurationLocation?,
    source: Source, listener: Listener, calibrations: CalibrationStore? = nil
  ) throws(SystemError) {
    let daemon = DaemonReference()
    self.loop = loop
    self.configuration = configuration
    self.location = location
    discovery = DeviceDiscovery(source, loop: loop) { daemon.value?.nodeAppeared($0) }
    memory = DeviceMemory(calibrations: calibrations)
    actions = ActionTable(configuration)
    work = WorkMeter { daemon.value?.readAhead() }
    self.listener = listener
    acceptor = try Acceptor(
      listener.descriptor, loop: loop, budget: 16 * Daemon.servedCost,
      mayAccept: { daemon.value?.mayAccept() ?? true },
      serve: { daemon.value?.serveConnection($0) ?? Daemon.rejectedCost })
    access = AccessControl(isEnforced: listener.isOpenToAll, configuration, loop: loop) {
      daemon.value?.seatsChanged()
    }
    refused = try RefusedConnections(loop: loop)
    requests = try RequestQueue(loop: loop) { daemon.value?.serveNextClient() }
    timers = DaemonTimers(
      resume: try loop.timer { daemon.value?.resumeReading() },
      pendingChanges: try loop.timer { daemon.value?.applyPendingChanges() },
      deadlines: try loop.timer { daemon.value?.fireDeadlines() },
      weighs: try loop.timer { daemon.value?.resolvePendingWeighs() },
      sweep: try loop.timer { daemon.value?.sweep() },
      held: try loop.timer { daemon.value?.sendDueReadings() },
      exit: try loop.timer(priority: .signal) { daemon.value?.end() },
      status: try loop.timer { daemon.value?.publishStatus() },
      trim: try loop.timer { _ = pressured_return_memory() })
    _ = pressured_return_memory_from(Daemon.largeAllocation)
    statistics = Statistics(since: loop.now)
    daemon.value = self
    signals = try loop.onSignals(Daemon.signals) { [unowned self] in received($0) }
    updateSeats()
    loop.enableWatchdog()
  }

  package var now: Timestamp { Timestamp(microseconds: loop.now) }
}

/// Lets timers be created before the daemon that they call.
private final class DaemonReference {
  unowned var value: Daemon?
}

extension Daemon {
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

  /// Checks the requests again that wait for a reading: it is set to when the first one times out or may be resolved.
  let weighs: EventSource

  /// Closes finished connections outside of iterations over clients or devices.
  let sweep: EventSource

  /// Sends the readings that rate limits have held: it is set to when the first ones are due.
  let held: EventSource

  /// Exits although clients have not read queued output; pending requests, which keep the loop busy, do not delay it.
  let exit: EventSource

  /// Publishes the status for the service manager.
  let status: EventSource

  /// Returns unused heap memory to the kernel: disconnected clients leave holes that only a trim returns.
  let trim: EventSource
}

struct Statistics {
  /// When the daemon started, in microseconds of CLOCK_MONOTONIC.
  let since: Int64

  /// Counters of disconnected clients and removed devices, and of accepted and rejected connections.
  var counts = DaemonCounts()

  fileprivate var lastNumber = 0

  /// A number that no other device or client of this process has.
  mutating func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }
}

// MARK: - Status and shutdown

extension Daemon {
  package static let signals = [SIGTERM, SIGINT, SIGHUP]

  package var statusText: String {
    let open = discovery.isOpen ? "\(devices.count) open" : "closed"
    // Included for users who may not read the log.
    let error = reloadError.map { "; the last reload failed: \($0)" } ?? ""
    return "Serving \(listener.path); devices: \(open); clients: \(clients.count)\(error)"
      .onOneLine
  }

  /// Microseconds between two updates: clients may connect a thousand times a second.
  private static let statusInterval: Int64 = 500_000

  private func publishStatusLater() {
    guard ServiceNotifier.isAvailable else { return }
    timers.status.set(noLaterThan: loop.now + Daemon.statusInterval)
  }

  private func publishStatus() {
    let text = statusText
    guard text != publishedStatus else { return }
    publishedStatus = text
    ServiceNotifier.status(text)
  }

  /// Microseconds between two trims: each walks the whole heap.
  static let trimInterval: Int64 = 10_000_000

  /// Allocations of at least this many bytes are mapped separately and returned to the kernel when freed: in the heap,
  /// the large buffers of hundreds of clients would leave holes.
  ///
  /// The corresponding constant of the C library is `M_MMAP_THRESHOLD`.
  private static let largeAllocation: Int32 = 128 * 1024

  /// Microseconds that clients have to read queued output; the daemon has to exit within a second.
  private static let grace: Int64 = 700_000

  /// Handles one of `signals`: SIGHUP reloads, except when the terminal has closed.
  private func received(_ signal: Int32) {
    guard signal == SIGHUP else { return stop() }
    guard !isStopping else { return }
    if hadTerminal, isatty(STDERR_FILENO) == 0 { stop() } else { _ = try? reload() }
  }

  /// Cancels contacts, sends what is queued, and exits when clients have read it or the grace period has passed.
  package func stop(because error: ExitError? = nil) {
    guard !isStopping else { return end() }
    (isStopping, recordingError) = (true, error)
    ServiceNotifier.stopping()
    timers.exit.set(to: loop.now + Daemon.grace)
    acceptor.stop()
    discovery.pipe?.source = nil
    stopReading()
    resolvePendingWeighs()
    for client in clients { client.closeAfterFlushing() }
    sweep()
  }

  package func end() {
    clients = []
    loop.stop()
  }
}
