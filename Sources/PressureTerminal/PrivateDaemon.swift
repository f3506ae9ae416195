internal import CLinux
internal import Glibc
internal import PressureConnection
internal import PressureKit
package import PressureSystem

/// A daemon for one client, where none runs: our own program on a socket that nobody else may open.
///
///     let companion = try Companion.whereNoneRuns(socketOptions, configurationOptions)
///     let path = companion?.path ?? socketOptions.path(configurationOptions)
///
/// It ends with this object, or with the program, however that ends, and takes its socket with it.
package final class PrivateDaemon {
  /// Where it is reached.
  package let path: String

  /// What it reads, for people.
  package let source: String

  /// Whether it ends in order when what it reads is over.
  package let endsByItself: Bool

  private let child: pid_t
  private let errors: Descriptor
  private var hasEnded = false

  /// How long it may take to begin, in seconds.
  private static let patience = 20.0

  /// How much of what it says is read at once; a sentence is much shorter.
  private static let readSize = 4096

  /// Starts it, and waits until it speaks.
  ///
  /// - Parameters:
  ///   - arguments: those of `pressured run`, without a socket.
  ///   - source: what it reads, for people.
  ///   - endsByItself: whether it ends when its recording is over.
  /// - Throws: what it says itself, with its own status, where it does not begin.
  package init(
    _ arguments: [String], source: String, endsByItself: Bool = false
  ) throws(ExitError) {
    self.source = source
    self.endsByItself = endsByItself
    let folder = try PrivateDaemon.privateFolder()
    path = "\(folder)/socket"
    do throws(SystemError) {
      let pipe = try PrivateDaemon.pipe()
      let end = endsByItself ? ["--ends-with-recording"] : []
      child = try PrivateDaemon.start(end + arguments, at: path, errors: pipe.write.number)
      errors = pipe.read
    } catch {
      PrivateDaemon.remove(path)
      throw ExitError(error.sentence, .cannotCreate)
    }
    try waitUntilItSpeaks()
  }

  deinit {
    if !hasEnded {
      kill(child, SIGTERM)
      waitpid(child, nil, 0)
    }
    PrivateDaemon.remove(path)
  }

  /// Ends it, where it does not answer any more, and says why it has ended; nil where it knows of nothing.
  package func end() -> ExitError? {
    // Its socket is closed a moment before it can be waited for: it may be ending just now.
    if !hasEnded { kill(child, SIGTERM) }
    return whyEnded()
  }

  private func whyEnded() -> ExitError? {
    var status: Int32 = 0
    guard !hasEnded, waitpid(child, &status, 0) == child else { return nil }
    hasEnded = true
    return status == 0 ? nil : ExitError(sentences, status: status)
  }
}

// MARK: - How it begins and ends

extension PrivateDaemon {
  private struct Pipe: ~Copyable {
    let read: Descriptor
    let write: Descriptor
  }

  /// A folder that is ours alone, for a socket's file has its folder's rights at least.
  private static func privateFolder() throws(ExitError) -> String {
    let parent = Environment.value("XDG_RUNTIME_DIR") ?? Environment.value("TMPDIR") ?? "/tmp"
    do throws(SystemError) {
      return try TemporaryDirectory.make(in: parent)
    } catch {
      throw ExitError(error.sentence, .cannotCreate)
    }
  }

  /// Removes the socket, which it has removed itself if it had the time, and the folder.
  private static func remove(_ path: String) {
    unlink(path)
    if let end = path.lastIndex(of: "/") { rmdir(String(path[..<end])) }
  }

  private static func start(
    _ arguments: [String], at path: String, errors: Int32
  ) throws(SystemError) -> pid_t {
    let listener = try ListeningSocket.make(at: path)
    let program = realpath("/proc/self/exe", nil)
    defer { free(program) }
    let words = [program.map { String(cString: $0) } ?? "/proc/self/exe", "run"]
    let parent = ["--companion-of", String(getpid())]
    return try Spawn(
      words: words + parent + arguments, errors: errors, more: [listener.number]
    ).start()
  }

  /// What it says is nobody's business while it does its work, and must never make it wait.
  private static func pipe() throws(SystemError) -> Pipe {
    var numbers: [Int32] = [0, 0]
    try SystemError.checkErrno(Glibc.pipe(&numbers), "make a pipe")
    for number in numbers {
      _ = fcntl(number, F_SETFL, O_NONBLOCK)
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }
    return Pipe(read: Descriptor(numbers[0]), write: Descriptor(numbers[1]))
  }

  private func waitUntilItSpeaks() throws(ExitError) {
    do throws(ConnectionError) {
      let deadline = Deadline(seconds: PrivateDaemon.patience)
      let connection = try Connection.open(at: [path], before: deadline)
      try connection.waitForLine(before: deadline)
    } catch {
      guard error == .ended, let failure = whyEnded() else { throw ExitError(error) }
      throw failure
    }
  }

  /// What it has said, one sentence a line, without our name before each.
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

extension ExitError {
  /// The end of another program of ours, as `waitpid` tells it.
  fileprivate init(_ sentences: [String], status: Int32) {
    let hasExited = status & 0x7f == 0
    self.init("the reading has ended: signal \(status & 0x7f)", .internalError)
    guard hasExited else { return }
    self.sentences = sentences
    self.status = (status >> 8) & 0xff
  }
}
