internal import CLinux
internal import Glibc
internal import PressureKit
package import PressureProtocol
package import PressureSystem

/// A client's connection to the daemon: sends requests and receives lines without blocking.
package final class Connection {
  /// The longest accepted line in bytes; the lines of a daemon with fifty devices of ten contacts are shorter.
  package static let lineLimit = 1 << 20

  private static let readSize = 64 * 1024

  package let path: String

  private let file: Descriptor
  private var framer = LineFramer(limit: Connection.lineLimit)
  private var unsent: [UInt8] = []

  private init(path: String, file: consuming Descriptor) {
    self.path = path
    self.file = file
  }

  package var descriptor: Int32 { file.number }

  package var readiness: Readiness { unsent.isEmpty ? .reading : [.reading, .writing] }

  // MARK: - Sending

  /// Sends requests; what the socket does not accept is queued for `flush`.
  package func send(_ requests: borrowing JSONLinesWriter) throws(ConnectionError) {
    try send(requests.bytes)
  }

  package func send(_ lines: some Collection<UInt8>) throws(ConnectionError) {
    unsent.append(contentsOf: lines)
    try flush()
  }

  /// Writes queued requests until the socket accepts no more.
  package func flush() throws(ConnectionError) {
    switch DescriptorWriter.flush(&unsent, to: descriptor, .socket) {
    case 0: break
    // Lines that the daemon sent before it closed the connection are still to be read; reading reports the end.
    case EPIPE, ECONNRESET: unsent = []
    case let number: throw .lost(number)
    }
  }

  // MARK: - Receiving

  /// Reads available bytes, and returns the lines that are complete, without line ends.
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

  // MARK: - Connecting

  /// The default timeout of a command that waits for a busy daemon, in seconds.
  package static let defaultTimeout = 5.0

  /// Connects to the first daemon that accepts, and waits until the deadline if its listen backlog is full.
  package static func open(
    at paths: [String], before deadline: Deadline?
  ) throws(ConnectionError) -> Connection {
    var attempts: [ConnectionError.Attempt] = []
    for path in paths {
      let file: Descriptor
      do throws(SystemError) {
        file = try .unixSocket(isBlocking: false)
      } catch {
        attempts.append(.init(path: path, number: error.number))
        continue
      }
      switch connect(file.number, to: path, before: deadline) {
      case 0: return Connection(path: path, file: file)
      // A daemon listens here: do not try further paths.
      case EAGAIN: throw .busy(path)
      case let number: attempts.append(.init(path: path, number: number))
      }
    }
    throw .absent(attempts)
  }

  /// Connects a socket; returns the error number, or 0.
  private static func connect(_ file: Int32, to path: String, before deadline: Deadline?) -> Int32 {
    guard let address = SocketAddress(path: path) else { return ENAMETOOLONG }
    var number = attempt(file, address)
    // A blocking connect keeps its place in the kernel's queue; repeated attempts would be overtaken.
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

  // MARK: - Blocking calls for commands with a single request

  private static let onlyID: Int64 = 1

  /// Sends the only request of this connection, and waits for its reply; a rejected connection gets an error.
  ///
  /// The caller decodes the result from the line of the reply.
  package func ask(
    _ request: Request, before deadline: Deadline
  ) throws(ConnectionError) -> (reply: ReceivedReply, line: [UInt8]) {
    var lines = JSONLinesWriter()
    var request = request
    request.id = .integer(Connection.onlyID)
    lines.append(request)
    try send(lines)
    while readiness.contains(.writing) {
      try wait(for: Int16(POLLOUT), before: deadline)
      try flush()
    }
    // The daemon replies to what it has received, and closes the connection.
    guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { throw .lost(errno) }
    while true {
      for line in try receive() {
        guard case .reply(let reply) = ReceivedEvent(line: line) else { continue }
        if reply.rejectsConnection || reply.id == .integer(Connection.onlyID) {
          return (reply, line)
        }
      }
      try wait(for: Int16(POLLIN), before: deadline)
    }
  }

  /// Sends what is pending, waits for the daemon and returns its lines, of which there may be none yet.
  package func nextLines(before deadline: Deadline) throws(ConnectionError) -> [[UInt8]] {
    try flush()
    let isSending = readiness.contains(.writing)
    try wait(for: Int16(isSending ? POLLIN | POLLOUT : POLLIN), before: deadline)
    return try receive()
  }

  private func wait(for events: Int16, before deadline: Deadline) throws(ConnectionError) {
    // Check the deadline even if events keep arriving without a reply.
    let left = deadline.milliseconds
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    let count = poll(&entry, 1, left)
    if count == 0 || left == 0 { throw .timedOut(deadline.seconds) }
    if count < 0, errno != EINTR {
      throw .system(SystemError(attempt: "wait for the daemon", number: errno))
    }
  }
}

extension ConnectionError {
  static func lost(_ number: Int32) -> ConnectionError {
    switch number {
    case EPIPE, ECONNRESET: .ended
    default: .system(SystemError(attempt: "communicate with the daemon", number: number))
    }
  }
}

/// Requests that wait for their replies: each has an ID, which its reply repeats.
///
/// The requests of a greeting have none: each is sent once for each connection and known by its verb, and a rejected connection
/// gets one reply that answers no request.
package struct PendingReplies<Context> {
  private var contexts: [Int64: Context] = [:]
  private var lastID: Int64 = 0

  package init() {}

  package mutating func append(
    _ request: Request, for context: Context, to lines: inout JSONLinesWriter
  ) {
    lastID += 1
    contexts[lastID] = context
    var request = request
    request.id = .integer(lastID)
    lines.append(request)
  }

  /// Removes the request that a reply answers, and returns its context; nil if it answers none of them.
  package mutating func remove(for reply: ReceivedReply) -> Context? {
    guard case .integer(let id)? = reply.id else { return nil }
    return contexts.removeValue(forKey: id)
  }

  package mutating func removeAll() { contexts = [:] }
}

extension ReceivedReply {
  /// Whether it rejects the connection: an error that answers no request.
  package var rejectsConnection: Bool { !isSuccess && id == nil }
}

extension ReceivedEvent {
  /// Decodes a line; an invalid one counts as an unknown event.
  package init(line: [UInt8]) {
    self = (try? LineDecoder.decode(from: line)) ?? .other
  }
}

package struct Deadline {
  /// The original timeout, for messages.
  package let seconds: Double

  private let end: Timestamp

  package init(seconds: Double) {
    self.seconds = seconds
    end = Timestamp(microseconds: Timestamp.now.microseconds + Int64(seconds * 1_000_000))
  }

  /// The remaining milliseconds as `poll` takes them; 0 after the deadline.
  package var milliseconds: Int32 {
    Int32(clamping: max(end.microseconds - Timestamp.now.microseconds + 999, 0) / 1000)
  }
}
