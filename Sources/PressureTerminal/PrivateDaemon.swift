internal import Glibc
internal import PressureClient
package import PressureSystem

/// A child process that runs `pressured run` for this program alone, on a socket that only this user can open.
///
///     let daemon = try PrivateDaemon.startIfNoneRuns(socketOptions)
///     let path = daemon?.path ?? socketOptions.path()
///
/// It ends with this object or with this program, even if the program is killed, and its socket is removed.
package final class PrivateDaemon {
  package let path: String
  package let source: String

  /// Whether it exits with status 0 at the end of its recording.
  private let endsWithRecording: Bool

  private let child: pid_t
  private let errors: Descriptor
  private var hasEnded = false
  private static let startTimeout = 20.0

  /// How many bytes of its standard error are read; an error message is much shorter.
  private static let readSize = 4096

  /// Starts `pressured run`, which reads the devices, or plays a recording.
  ///
  /// For devices waits for its first line; throws its own error and exit status. A recording begins with the first connection, so
  /// that must be the caller's, and an error is that of `end`.
  package init(
    playing recording: String? = nil, isLooping: Bool = false, endsWithRecording: Bool = false
  ) throws(ExitError) {
    source = recording.map { "recording \($0)" } ?? "read by this program itself"
    self.endsWithRecording = endsWithRecording
    // Only this user can enter the folder, because access to a socket requires access to its folder.
    let parent = Environment.value("XDG_RUNTIME_DIR") ?? Environment.value("TMPDIR") ?? "/tmp"
    path =
      try SystemError.orExit(.cannotCreate, try TemporaryDirectory.make(in: parent)) + "/socket"
    do throws(SystemError) {
      var numbers: [Int32] = [0, 0]
      try SystemError.checkErrno(pipe(&numbers), "make a pipe")
      for number in numbers {
        // Nonblocking, so that a full pipe never blocks the daemon.
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      }
      let write = Descriptor(numbers[1])
      errors = Descriptor(numbers[0])
      let program = realpath("/proc/self/exe", nil)
      defer { free(program) }
      var words = [program.map { String(cString: $0) } ?? "/proc/self/exe"]
      words += ["run", "--parent-pid", String(getpid())]
      if endsWithRecording { words.append("--ends-with-recording") }
      if let recording { words += ["--replay", recording] }
      if isLooping { words.append("--loop") }
      let listener = try ListeningSocket.make(at: path)
      child = try Spawn(words: words, errors: write.number, more: [listener.number]).start()
    } catch {
      PrivateDaemon.remove(path)
      throw ExitError(error.sentence, .cannotCreate)
    }
    if recording == nil { try waitUntilReady() }
  }

  deinit {
    _ = end()
    PrivateDaemon.remove(path)
  }

  /// Whether it has exited; `end` returns why.
  package var hasExited: Bool {
    var state = siginfo_t()
    return waitid(P_PID, id_t(child), &state, WEXITED | WNOHANG | WNOWAIT) == 0
      && state.si_signo == SIGCHLD
  }

  /// Ends the daemon after a loss of its connection; returns its own error or the loss; nil at the end of the recording.
  package func end(after loss: ExitError) -> ExitError? {
    let isOver = endsWithRecording && loss.status == ExitError.Status.noDaemon.rawValue
    return end() ?? (isOver ? nil : loss)
  }

  private func end() -> ExitError? {
    guard !hasEnded else { return nil }
    // It may be exiting already: its socket closes a moment before waitpid(2) reports it.
    kill(child, SIGTERM)
    var status: Int32 = 0
    guard waitpid(child, &status, 0) == child else { return nil }
    hasEnded = true
    guard status != 0 else { return nil }
    let signal = status & 0x7f
    return signal == 0
      ? ExitError(sentences: sentences, status: (status >> 8) & 0xff)
      : ExitError("the private daemon was killed by signal \(signal)", .internalError)
  }

  // MARK: - Start and end

  /// Removes the socket, unless the daemon has already removed it, and the folder.
  private static func remove(_ path: String) {
    unlink(path)
    if let end = path.lastIndex(of: "/") { rmdir(String(path[..<end])) }
  }

  private func waitUntilReady() throws(ExitError) {
    do throws(ConnectionError) {
      let deadline = Deadline(seconds: PrivateDaemon.startTimeout)
      let connection = try Connection.open(at: [path], before: deadline)
      while try connection.nextLines(before: deadline).isEmpty {}
    } catch {
      let failure = ExitError(error)
      // A daemon that ends before it accepts leaves a closed connection, or a path without a listener.
      throw failure.status == ExitError.Status.noDaemon.rawValue ? end() ?? failure : failure
    }
  }

  /// Its error messages, one per line, without the program name.
  private var sentences: [String] {
    let text = withUnsafeTemporaryAllocation(byteCount: PrivateDaemon.readSize, alignment: 1) {
      let count = read(errors.number, $0.baseAddress, $0.count)
      return String(decoding: $0.prefix(max(count, 0)), as: UTF8.self)
    }
    return text.split(separator: "\n").map { line in
      String(line.hasPrefix("pressured: ") ? line.dropFirst("pressured: ".count) : line)
    }
  }
}
