internal import Glibc
internal import PressureLoop
internal import PressureRecordings
internal import PressureSystem

/// The signals that reload or stop the daemon, and the time that clients have to read queued output before it exits.
final class Shutdown {
  /// Microseconds of that time; the daemon has to exit within a second.
  private static let grace: Int64 = 700_000

  /// Whether the daemon only sends queued output before it exits.
  private(set) var hasBegun = false

  /// The error in the recording that ended it early, and the daemon with it.
  private(set) var error: RecordingError?

  /// Whether standard error was a terminal at the start.
  private let hadTerminal = isatty(STDERR_FILENO) != 0

  private let loop: EventLoop
  private let timer: EventSource
  private var signals: [EventSource] = []

  /// Handles the signals of the daemon.
  ///
  /// - Parameters:
  ///   - loop: the event loop.
  ///   - reload: called for SIGHUP, unless the controlling terminal has hung up.
  ///   - stop: called for all other signals, also if the shutdown has begun.
  ///   - end: called when the time for clients is over.
  /// - Throws: why a signal cannot be handled.
  init(
    loop: EventLoop, reload: @escaping () -> Void, stop: @escaping () -> Void,
    end: @escaping () -> Void
  ) throws(SystemError) {
    self.loop = loop
    // Pending requests keep the loop busy; shutting down must not wait for them.
    timer = try loop.timer(priority: .signal, end)
    for number in Daemon.signals where number != SIGHUP {
      signals.append(try loop.onSignal(number, stop))
    }
    let hangup = try loop.onSignal(SIGHUP) { [unowned self] in
      guard !hasBegun else { return }
      if hadTerminal, isatty(STDERR_FILENO) == 0 { stop() } else { reload() }
    }
    signals.append(hangup)
  }

  /// Starts the shutdown, because of an error or as requested; returns false if it has begun before.
  func begin(because error: RecordingError?) -> Bool {
    guard !hasBegun else { return false }
    hasBegun = true
    self.error = error
    ServiceNotifier.stopping()
    timer.set(to: loop.now + Shutdown.grace)
    return true
  }
}
