internal import Glibc
internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// The commands that run, limited in number.
///
/// They continue to run when this program exits.
final class ChildProcesses {
  /// How many commands may run; running commands are not affected by a change.
  var limit = 0 {
    // The commands skipped so far were over the previous limit.
    willSet { logSkipped() }
  }

  private var running: Set<pid_t> = []

  /// How many commands were not started since the last log line about them.
  private var skippedCount = 0

  var isFull: Bool { running.count >= limit }

  /// Starts a command unless the limit is reached; returns why it was skipped, of which the first is logged.
  func start(
    _ arguments: [String], variables: [(name: String, value: String)]
  ) throws(SystemError) -> String? {
    guard !isFull else {
      let reason = "max_running (\(limit)) commands are running"
      if skippedCount == 0 { Log.warning("\(reason): no more are started") }
      skippedCount += 1
      return reason
    }
    // The home directory may not be one that can be entered.
    let home = Environment.value("HOME").flatMap { access($0, X_OK) == 0 ? $0 : nil }
    let command = Spawn(
      words: arguments, folder: home ?? "/", variables: variables,
      excludesVariable: EventVariables.isOurs)
    running.insert(try command.start())
    return nil
  }

  func reap() {
    running = running.filter { waitpid($0, nil, WNOHANG) == 0 }
    if running.count < limit { logSkipped() }
  }

  func logSkipped() {
    guard skippedCount > 0 else { return }
    Log.warning("commands not started because max_running (\(limit)) were running: \(skippedCount)")
    skippedCount = 0
  }
}

/// Rate limits for each binding and for all bindings together.
///
/// They are needed because every client of the daemon can perform actions.
struct StartLimits {
  /// The rate of all bindings together, as a multiple of the rate of one.
  private static let sharedFactor = 4.0

  /// The burst that is allowed, as a multiple of the rate per second.
  private static let burstFactor = 2.0

  let perSecond: Int
  private(set) var buckets = TokenBuckets()

  /// Whether a binding may fire at a time of CLOCK_MONOTONIC in microseconds; if so, it is counted.
  mutating func admits(_ index: Int, at now: Int64) -> Bool {
    let rate = Double(perSecond)
    return buckets.acquire(
      [(.one(UInt32(index)), 1), (.all, StartLimits.sharedFactor)], at: now, perSecond: rate,
      burst: rate * StartLimits.burstFactor) == nil
  }
}

/// The environment variables that describe an event to a command.
///
/// A field that the event does not have is not set, so that a script can test for it with `${PRESSURED_STAGE:-}`.
enum EventVariables {
  /// In bytes; a longer line is omitted, because the kernel accepts at most 128 KiB per variable.
  private static let lineLimit = 64 * 1024

  /// Returns the names and values, with the whole line last.
  static func of(_ event: ReceivedEvent, line: [UInt8]) -> [(name: String, value: String)] {
    var pairs: [(String, String?)] = []
    if case .press(let press) = event {
      pairs = [
        ("EVENT", "press"), ("TIME", String(press.time)), ("DEVICE", press.device),
        ("CONTACT", String(press.contact)), ("STATE", press.state.rawValue),
        ("STAGE", press.stage), ("FINGERS", press.fingers.map { String($0) }),
        ("X", press.x?.shortDescription), ("Y", press.y?.shortDescription),
        ("FORCE", press.force?.shortDescription), ("RATIO", press.ratio?.shortDescription),
        ("GRAMS", press.grams?.shortDescription), ("TARGET", press.target),
        ("SIMULATED", press.simulated.map { String($0) }),
      ]
    }
    if case .action(let action) = event {
      pairs = [
        ("EVENT", "action"), ("TIME", String(action.time)), ("DEVICE", action.device),
        ("ACTION", action.type), ("TITLE", action.title), ("ORIGIN", action.origin?.rawValue),
      ]
    }
    if line.count <= lineLimit { pairs.append(("JSON", String(decoding: line, as: UTF8.self))) }
    return pairs.compactMap { name, value in value.map { (prefix + name, $0) } }
  }

  /// Whether a name is reserved for event variables; commands do not inherit such variables.
  static func isOurs(_ name: Substring) -> Bool {
    name.hasPrefix(prefix) && name != "PRESSURED_SOCKET"
  }

  private static let prefix = "PRESSURED_"
}
