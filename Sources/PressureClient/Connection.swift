internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import PressureKit
package import PressureProtocol
package import PressureSystem

/// The client's end of the socket: lines in, requests out, and nothing here waits.
package final class Connection {
  /// Bytes of the longest line that is taken; a daemon with fifty devices of ten contacts stays below.
  package static let lineLimit = 1 << 20

  /// How much is read at once.
  private static let readSize = 64 * 1024

  /// Where the daemon was found.
  package let path: String

  private let file: Descriptor
  private var framer = LineFramer(limit: Connection.lineLimit)
  private var unsent: [UInt8] = []

  private init(path: String, file: consuming Descriptor) {
    self.path = path
    self.file = file
  }

  package var descriptor: Int32 { file.number }

  /// What the loop is to wake us for.
  package var readiness: Readiness { unsent.isEmpty ? .reading : [.reading, .writing] }
}

// MARK: - To the daemon

extension Connection {
  /// Sends requests; what the socket does not take at once waits for `flush`.
  package func send(_ requests: borrowing JSONLinesWriter) throws(ConnectionError) {
    unsent.append(contentsOf: requests.bytes)
    try flush()
  }

  /// Sends what waits, as far as the socket takes it.
  package func flush() throws(ConnectionError) {
    while !unsent.isEmpty {
      let count = Glibc.send(descriptor, unsent, unsent.count, Int32(MSG_NOSIGNAL))
      if count >= 0 {
        unsent.removeFirst(count)
        continue
      }
      switch errno {
      case EAGAIN: return
      case EINTR: continue
      case EPIPE, ECONNRESET:
        // What the daemon said before it hung up is still to be read; the end comes after that.
        unsent = []
      default: throw .lost(errno)
      }
    }
  }

  /// Says that no more requests will come: the daemon answers what was asked, and hangs up.
  func shutdownWriting() throws(ConnectionError) {
    guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { throw .lost(errno) }
  }
}

// MARK: - From the daemon

extension Connection {
  /// Reads what has come.
  ///
  /// - Returns: the lines that it completes, without their ends; none where nothing has come.
  /// - Throws: what has ended the connection.
  package func receive() throws(ConnectionError) -> [[UInt8]] {
    var pieces: [LineFramer.Line] = []
    let number = withUnsafeTemporaryAllocation(byteCount: Connection.readSize, alignment: 1) {
      let count = recv(descriptor, $0.baseAddress, $0.count, 0)
      let number = count < 0 ? errno : count == 0 ? ECONNRESET : 0
      pieces = framer.push($0.prefix(max(count, 0)))
      return number
    }
    guard [0, EAGAIN, EINTR].contains(number) else { throw .lost(number) }
    return try pieces.map { (piece) throws(ConnectionError) in
      switch piece {
      case .whole(let line): line
      case .tooLong: throw .tooLong
      }
    }
  }
}

// MARK: - Finding the daemon

extension Connection {
  /// How long a verb without a deadline of its own waits for a daemon that is busy, in seconds.
  package static let defaultTimeout = 5.0

  /// Connects to the first daemon that answers.
  ///
  /// - Parameters:
  ///   - paths: where to look for a daemon, in this order.
  ///   - deadline: how long to wait for a entry in the listen backlog, or nil not to wait.
  /// - Returns: the connection, on which the daemon speaks first.
  /// - Throws: where it was looked for in vain, and why.
  package static func open(
    at paths: [String], before deadline: Deadline?
  ) throws(ConnectionError) -> Connection {
    var attempts: [ConnectionError.Attempt] = []
    for path in paths {
      let file = Descriptor(socket(AF_UNIX, kind, 0))
      switch connect(file.number, to: path, before: deadline) {
      case 0: return Connection(path: path, file: file)
      // A daemon is there, so it is not looked for elsewhere.
      case EAGAIN: throw .busy(path)
      case let number: attempts.append(.init(path: path, number: number))
      }
    }
    throw .absent(attempts)
  }

  private static var kind: Int32 {
    Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  }

  /// Connects a socket; gives the number of the error where that fails, or 0.
  private static func connect(
    _ file: Int32, to path: String, before deadline: Deadline?
  ) -> Int32 {
    guard let address = SocketAddress(path: path) else { return ENAMETOOLONG }
    var number = attempt(file, address)
    // The kernel keeps those who wait in order, while those who try again and again would be overtaken.
    while number == EAGAIN || number == EINTR, let left = deadline?.milliseconds, left > 0 {
      guard pressured_limit_sending(file, Int(left)) == 0 else { return errno }
      _ = fcntl(file, F_SETFL, 0)
      number = attempt(file, address)
      _ = fcntl(file, F_SETFL, O_NONBLOCK)
    }
    return number
  }

  private static func attempt(_ file: Int32, _ address: SocketAddress) -> Int32 {
    address.with { Glibc.connect(file, $0, $1) } == 0 ? 0 : errno
  }
}

extension ConnectionError {
  fileprivate static func lost(_ number: Int32) -> ConnectionError {
    switch number {
    case EPIPE, ECONNRESET: .ended
    default: .system(SystemError(attempt: "talk with the daemon", number: number))
    }
  }
}

/// For verbs that ask one thing and are done.
extension Connection {
  /// Sends the last requests of this connection, and waits for the first answer.
  ///
  /// - Parameters:
  ///   - requests: lines of JSON.
  ///   - deadline: how long to wait.
  /// - Returns: the answer, and its line for whoever knows what kind of result is in it.
  /// - Throws: what has ended the connection before that, or that time is up.
  package func ask(
    _ requests: borrowing JSONLinesWriter, before deadline: Deadline
  ) throws(ConnectionError) -> (reply: ReceivedReply, line: [UInt8]) {
    try send(requests)
    while readiness.contains(.writing) {
      try wait(for: Int16(POLLOUT), before: deadline)
      try flush()
    }
    try shutdownWriting()
    while true {
      for line in try receive() {
        if case .reply(let reply) = ReceivedEvent(line: line) { return (reply, line) }
      }
      try wait(for: Int16(POLLIN), before: deadline)
    }
  }

  /// Waits until the daemon says something; what it is does not matter.
  package func waitForLine(before deadline: Deadline) throws(ConnectionError) {
    while try receive().isEmpty {
      try wait(for: Int16(POLLIN), before: deadline)
    }
  }

  package func wait(for events: Int16, before deadline: Deadline) throws(ConnectionError) {
    // A daemon that says one thing after another, but never the answer, must not keep us either.
    let left = deadline.milliseconds
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    let count = poll(&entry, 1, left)
    if count == 0 || left == 0 { throw .timedOut(deadline.seconds) }
    if count < 0, errno != EINTR {
      throw .system(SystemError(attempt: "wait for the daemon", number: errno))
    }
  }
}

extension ReceivedEvent {
  /// Reads a line; one that cannot be read is as good as one of an unknown event.
  package init(line: [UInt8]) {
    self = (try? JSONDecoder().decode(ReceivedEvent.self, from: Data(line))) ?? .other
  }
}

/// The moment at which somebody who waits gives up.
package struct Deadline {
  /// How long it was when it was made, for people.
  package let seconds: Double

  private let end: SuspendingClock.Instant

  package init(seconds: Double) {
    self.seconds = seconds
    end = SuspendingClock.now + .milliseconds(Int64(seconds * 1000))
  }

  /// Milliseconds that are left, as `poll` takes them; 0 once it has passed.
  package var milliseconds: Int32 {
    let left = SuspendingClock.now.duration(to: end) / Duration.milliseconds(1)
    return Int32(clamping: Int64(max(left.rounded(.up), 0)))
  }
}
