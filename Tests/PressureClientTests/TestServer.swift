import CLinux
import Glibc
import Synchronization

@testable import PressureClient
@testable import PressureSystem

/// A server on a Unix socket whose every step a test makes.
final class TestServer: Sendable {
  let path: String
  private let folder: String
  private let listener: Int32

  /// Listens at the path of an earlier server, or at a new one.
  init(at path: String? = nil) throws {
    let path = try path ?? "\(TemporaryDirectory.make(in: "/tmp"))/socket"
    (self.path, folder) = (path, String(path.dropLast("/socket".count)))
    mkdir(folder, 0o700)
    let socket = try ListeningSocket.make(at: path)
    listener = fcntl(socket.number, F_DUPFD_CLOEXEC, 0)
    _ = fcntl(listener, F_SETFL, 0)
  }

  deinit {
    close(listener)
    unlink(path)
    rmdir(folder)
  }

  func accept() async -> Peer {
    await onThread { [listener] in Peer(Glibc.accept(listener, nil, nil)) }
  }

  /// The server's end of a connection.
  final class Peer: Sendable {
    private let socket: Int32
    private let received = Mutex<[UInt8]>([])

    init(_ socket: Int32) {
      self.socket = socket
    }

    deinit {
      close(socket)
    }

    /// Sends lines in one call: the kernel counts many small ones as if they were large.
    func send(_ lines: String...) {
      let bytes = Array(lines.map { "\($0)\n" }.joined().utf8)
      _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Sends a line until the socket's buffers are full, and returns how often it was sent.
    func fill(with line: String) async -> Int {
      await onThread { self.fillNow(with: line) }
    }

    private func fillNow(with line: String) -> Int {
      let bytes = Array("\(line)\n".utf8)
      var count = 0
      while true {
        var waiting = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        // Twice as long as a reader that goes on reading could need.
        guard poll(&waiting, 1, 500) == 1 else { return count }
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
          return count
        }
        count += 1
      }
    }

    /// Reads the next line; nil at the end of the connection.
    func line() async -> String? {
      await onThread { self.lineNow() }
    }

    private func lineNow() -> String? {
      received.withLock { received in
        while true {
          if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: received[..<end], as: UTF8.self)
            received.removeFirst(end + 1)
            return line
          }
          var buffer = [UInt8](repeating: 0, count: 4096)
          let count = recv(socket, &buffer, buffer.count, 0)
          guard count > 0 else { return nil }
          received.append(contentsOf: buffer[..<count])
        }
      }
    }
  }
}

/// Runs a blocking call on a thread of its own: the pool of tasks may have two threads only.
private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    _ = DetachedThread.start { continuation.resume(returning: body()) }
  }
}
