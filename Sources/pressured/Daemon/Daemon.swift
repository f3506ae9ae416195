internal import CSystemd
internal import Glibc
internal import PressureKit

/// Devices × engines × clients: all that lives long, and who wakes it.
///
/// What wakes it belongs to it, and so knows it without keeping it. A weak reference would do that, too, but
/// where there is one, each other use of the object takes a detour for ever after.
///
///     loop ──▶ device ──▶ engine ──▶ batch ──▶ clients
///          └─▶ client ──▶ request ──▶ reply
final class Daemon {
  /// What is read.
  enum Source {
    /// The touch devices of the kernel; all of them, or one node.
    case devices(only: String?)
    /// Whoever writes to a pipe, as if it were a device.
    case events(EventPipe)
    /// A recording, served as if it were a device.
    case recording(Player)
  }

  /// The signals that it is told things by.
  static let signals = [SIGTERM, SIGINT, SIGHUP]

  /// Bytes from which on memory is the kernel's to give and take back, piece by piece.
  ///
  /// The corresponding constant of the C library is `M_MMAP_THRESHOLD`.
  private static let largeMemory: Int32 = 128 * 1024

  let loop: EventLoop
  var configuration: Configuration {
    didSet { actions = ActionTable(configuration, added: clientActions) }
  }

  /// What was wrong with the configuration when it was last read again; nil where nothing was.
  var reloadFault: String?

  /// Where the configuration is read again, or nil where there is no place for one.
  let location: ConfigurationLocation?

  let source: Source
  let listener: Listener

  // There is one thread, and no list is changed while somebody goes through it: see `sweepLater`.
  @exclusivity(unchecked) var devices: [ServedDevice] = [] { didSet { statusChanged() } }
  @exclusivity(unchecked) var clients: [Client] = [] { didSet { statusChanged() } }
  var isReading = false

  /// Whether all is over but what clients have not taken yet.
  var isStopping = false

  /// Whether all ends with the recording, as for one client that prints it.
  var endsWithRecording = false

  /// What was wrong with the recording that all has ended with.
  var recordingFault: RecordingFault?

  /// What has been done for clients and devices that are gone, and at the door.
  var counts = DaemonCounts()

  /// Microseconds of CLOCK_MONOTONIC when all began.
  let since: Int64

  /// Whether unused memory of the heap is to be given back when `trimTimer` fires.
  var isTrimDue = false

  /// Whether the service manager is to be told how many there are.
  var isStatusDue = false
  var toldStatus: String?

  /// Whether a terminal was there to be told things in the beginning.
  let hasTerminal = isatty(STDERR_FILENO) != 0

  /// When the next reading that was held back is due, in microseconds of CLOCK_MONOTONIC.
  var dueAt: Int64?

  /// When the first engine has something to say although its device is silent.
  var deadline: Timestamp?

  /// When the first of those who wait for a stable reading has waited for long enough; nil where nobody waits.
  var weighDueAt: Int64?

  /// What scales keep while their devices are closed.
  var scales = ScaleCache()

  /// Where calibrations are kept; nil where a recording is to be what it is everywhere.
  let calibrations: CalibrationStore?

  /// Calibrations that are finished and not in force yet.
  var newFits: [(ServedDevice, CalibrationFit)] = []

  /// Names of devices that are ignored, by their nodes, which nobody else gets while they are there.
  var ignoredNames: [String: DeviceID] = [:]

  /// Quick actions that clients have added, in the order in which they came.
  var clientActions: [ClientAction] = [] { didSet { actions.setDynamic(clientActions) } }

  /// All quick actions: configured, added by clients and built in.
  private(set) var actions: ActionTable

  /// What was said of nodes that are not read, so that it is said once.
  var complaints: [String: String] = [:]

  /// How often devices may still pulse, all together.
  var pulseLimit: PulseLimit

  /// Clients with requests that wait for their turn, in the order in which they came.
  var queue: [Client] = []

  /// Whose turn among them is next.
  var turns = TurnOrder()

  /// How often users may still change what others read.
  var useLimits = UseLimits()

  /// What was done so far, in bytes or what takes as long as a byte.
  @exclusivity(unchecked) var work = 0

  /// How much of it was done when devices were last looked after.
  @exclusivity(unchecked) var workAtReadAhead = 0

  /// Memory to put a client's lines together in, used again.
  @exclusivity(unchecked) var parcel = Parcel()

  /// Memory to write answers in, used again.
  var answers = JSONLines()

  private(set) var playTimer: EventSource
  private(set) var dueTimer: EventSource
  private(set) var sweepTimer: EventSource
  private(set) var doorTimer: EventSource
  private(set) var restTimer: EventSource
  private(set) var weighTimer: EventSource
  private(set) var deadlineTimer: EventSource
  private(set) var renewalTimer: EventSource
  private(set) var statusTimer: EventSource
  private(set) var endTimer: EventSource
  private(set) var turnSource: EventSource
  private(set) var trimTimer: EventSource
  private(set) var door: EventSource?
  private var sources: [EventSource] = []
  private var monitor: DeviceMonitor?
  private var onlyMonitor: PathMonitor?
  private var numbers = 0

  init(
    loop: EventLoop, configuration: Configuration, location: ConfigurationLocation?,
    source: Source, listener: Listener, calibrations: CalibrationStore? = nil
  ) throws(SystemFault) {
    self.loop = loop
    since = loop.now
    self.configuration = configuration
    actions = ActionTable(configuration)
    self.location = location
    self.source = source
    self.listener = listener
    self.calibrations = calibrations
    pulseLimit = PulseLimit(pulsesPerSecond: configuration.haptics.pulsesPerSecond)
    let daemon = DaemonToBe()
    // Not a device's turn: at a speed that cannot be kept, clients and signals would never be heard.
    playTimer = try loop.timer(turn: .usual) { daemon.value?.play() }
    dueTimer = try loop.timer { daemon.value?.sendDueReadings() }
    // A pad with continuous input must not keep closed connections, nor keep new ones from being accepted.
    sweepTimer = try loop.timer(turn: .usual) { daemon.value?.sweep() }
    weighTimer = try loop.timer { daemon.value?.settleWeighs() }
    // Turns and devices that keep the loop busy would starve timers of a lower priority.
    statusTimer = try loop.timer(turn: .usual) { daemon.value?.tellStatus() }
    // Queued requests keep the loop busy; shutting down must not wait for them.
    endTimer = try loop.timer(turn: .signal) { daemon.value?.end() }
    trimTimer = try loop.timer(turn: .usual) { daemon.value?.returnMemory() }
    renewalTimer = try loop.timer(turn: .usual) { daemon.value?.renewDevices() }
    deadlineTimer = try loop.timer { daemon.value?.passDeadlines() }
    doorTimer = try loop.timer(turn: .usual) { daemon.value?.door?.watch(for: .reading) }
    restTimer = try loop.timer(turn: .usual) { daemon.value?.readRest() }
    turnSource = try loop.recurring { daemon.value?.takeTurn() }
    daemon.value = self
    try watch()
  }

  private func watch() throws(SystemFault) {
    signal(SIGPIPE, SIG_IGN)
    // What waits for a client is given back whole; in the heap, that of hundreds would leave holes.
    _ = pressured_return_memory_from(Daemon.largeMemory)
    for number in Daemon.signals {
      sources.append(
        try loop.onSignal(number) { [unowned self] in
          if number == SIGHUP { hangUp() } else { stop() }
        })
    }
    door = try loop.watch(listener.descriptor, for: .reading) { [unowned self] _ in accept() }
    if case .devices(let only) = source {
      monitor = DeviceMonitor(loop: loop) { [unowned self] node in nodeAppeared(node) }
      onlyMonitor = only.map { node in
        PathMonitor(loop: loop, path: node) { [unowned self] in nodeAppeared(node) }
      }
    }
    loop.feedWatchdog()
  }

  /// A number that no device and no client has had.
  func newNumber() -> Int {
    numbers += 1
    return numbers
  }

  /// The present, on the clock that stamps events.
  var now: Timestamp { Timestamp(microseconds: loop.now) }
}

/// Lets timers be made before there is a daemon for them to wake.
private final class DaemonToBe {
  unowned var value: Daemon?
}
