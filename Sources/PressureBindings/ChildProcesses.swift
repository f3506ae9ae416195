internal import Glibc
internal import PressureSystem

/// The commands that run, never more than a bound.
///
/// They are the user's: nobody waits for them, and when the program ends they go on.
final class ChildProcesses {
  private var limit: Int
  private var running: Set<pid_t> = []

  /// How many were not started since that was last told.
  private var turnedAway = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// Sets how many may run; what runs already goes on.
  func setLimit(_ limit: Int) {
    // Those were turned away by the limit from before.
    tellTurnedAway()
    self.limit = limit
  }

  /// Whether as many run as may.
  var isFull: Bool { running.count >= limit }

  /// Starts a command if there is room; where there is none, that is told once for all that follow.
  ///
  /// - Parameters:
  ///   - words: the program and its arguments.
  ///   - variables: what its environment has beside ours.
  /// - Throws: why it cannot be started.
  func start(
    _ words: [String], variables: [(name: String, value: String)]
  ) throws(SystemError) {
    guard !isFull else {
      if turnedAway == 0 {
        Log.warning("max_running is \(limit), and so many commands run: no more are started")
      }
      turnedAway += 1
      return
    }
    let command = Spawn(
      words: words, folder: ChildProcesses.home, variables: variables,
      excludesVariable: EventVariables.isOurs)
    running.insert(try command.start())
  }

  /// The home folder; the root where it is not there, as a program must be somewhere.
  private static var home: String {
    guard let home = Environment.value("HOME"), access(home, X_OK) == 0 else { return "/" }
    return home
  }

  /// Takes leave of those that have ended; there is room again.
  func reap() {
    running = running.filter { waitpid($0, nil, WNOHANG) == 0 }
    if running.count < limit { tellTurnedAway() }
  }

  /// Says how many commands were not started, if any.
  func tellTurnedAway() {
    guard turnedAway > 0 else { return }
    Log.warning("commands that were not started, as \(limit) ran already: \(turnedAway)")
    turnedAway = 0
  }
}
