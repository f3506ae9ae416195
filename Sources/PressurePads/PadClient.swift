internal import CLinux
internal import Glibc
internal import PressureClient
internal import PressureSystem

/// Asks the service of a pad to set it.
package enum PadClient {
  /// The folder of the sockets, one for each node.
  package static let folder = "/run/pressured/pad"

  /// How long a request may take: each of at most four writes and four reads takes up to six seconds.
  package static let patience = 60.0

  /// The socket of a pad; nil if no service runs for it.
  package static func path(of pad: PadDevice) -> String? {
    let path = "\(folder)/\(pad.node)"
    return access(path, F_OK) == 0 ? path : nil
  }

  /// Sends a request and waits for the reply.
  ///
  /// - Parameters:
  ///   - request: the line, without its line feed.
  ///   - path: the socket.
  ///   - seconds: how long to wait.
  /// - Returns: what was done, in sentences.
  /// - Throws: why it was not.
  package static func ask(
    _ request: String, at path: String, seconds: Double = patience
  ) throws(PadError) -> [String] {
    let deadline = Deadline(seconds: seconds)
    let file = try connect(to: path, before: deadline)
    var line = Array((request + "\n").utf8)
    // One that refuses this user may have closed the connection already, after its reply.
    _ = DescriptorWriter.flush(&line, to: file.number, .socket)
    let reply = try reply(from: file, path, before: deadline)
    guard reply.ok else {
      let code = reply.error.flatMap { PadError.Code(rawValue: $0.code) } ?? .failed
      throw PadError(code, reply.error?.message ?? "the service of the pad refuses")
    }
    return reply.done ?? []
  }

  private static func connect(
    to path: String, before deadline: Deadline
  ) throws(PadError) -> Descriptor {
    let file = try makeSocket(for: path)
    guard let address = SocketAddress(path: path) else {
      throw silent(path, "its path is too long")
    }
    // If too many others wait already, connecting waits as well.
    guard pressured_limit_sending(file.number, Int(deadline.milliseconds)) == 0 else {
      throw silent(path, String(cString: strerror(errno)))
    }
    let number = address.with { Glibc.connect(file.number, $0, $1) == 0 ? 0 : errno }
    switch number {
    case 0: break
    case EAGAIN: throw late(deadline)
    default: throw silent(path, String(cString: strerror(number)))
    }
    _ = fcntl(file.number, F_SETFL, O_NONBLOCK)
    return file
  }

  private static func makeSocket(for path: String) throws(PadError) -> Descriptor {
    do throws(SystemError) {
      return try .unixSocket(isBlocking: true)
    } catch {
      throw silent(path, error.sentence)
    }
  }

  private static func late(_ deadline: Deadline) -> PadError {
    PadError(
      .noAnswer, "the service of the pad did not reply within \(Int(deadline.seconds)) seconds")
  }

  private static func reply(
    from file: borrowing Descriptor, _ path: String, before deadline: Deadline
  ) throws(PadError) -> PadReply {
    var framer = LineFramer(limit: PadReply.maximumLength)
    while true {
      var entry = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
      let left = deadline.milliseconds
      guard left > 0, poll(&entry, 1, left) != 0 else { throw late(deadline) }
      var (received, number) = (0, Int32(0))
      let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
        received = recv(file.number, buffer.baseAddress, buffer.count, 0)
        number = errno
        count = max(received, 0)
      }
      if received < 0, number == EAGAIN || number == EINTR { continue }
      guard received > 0 else { throw silent(path, "it closed the connection") }
      for case .whole(let line) in framer.push(bytes) {
        guard let reply = PadReply(line: line) else { break }
        return reply
      }
    }
  }

  private static func silent(_ path: String, _ reason: String) -> PadError {
    PadError(
      .failed,
      "the service of the pad does not answer at \(path): \(reason); see systemctl status 'pressured-pad@*'"
    )
  }
}
