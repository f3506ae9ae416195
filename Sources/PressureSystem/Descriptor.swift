package import CLinux
internal import Glibc

package struct Descriptor: ~Copyable {
  package let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  deinit { close(number) }
}

/// Events that a descriptor is ready for, or is watched for.
package struct Readiness: OptionSet {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Data can be read, or the peer has shut down writing.
  package static let reading = Readiness(rawValue: EPOLLIN.rawValue)

  package static let writing = Readiness(rawValue: EPOLLOUT.rawValue)

  /// An attribute of sysfs has changed.
  package static let exceptional = Readiness(rawValue: EPOLLPRI.rawValue)

  /// Whether the peer has closed the connection, or an error occurred; reported even if not watched for.
  package var isGone: Bool { rawValue & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
}

/// The one place that writes bytes to descriptors.
///
/// Two writers remain elsewhere, as neither can be Swift's: libraries that write on their own (libevdev, libsystemd),
/// and the signal handler that restores the terminal.
package enum DescriptorWriter {
  package enum Target {
    /// A file, a pipe, a device or a terminal.
    case file
    /// A socket: writing never blocks, and a peer that has closed it causes an error, not SIGPIPE.
    case socket
  }

  package enum Outcome: Hashable {
    /// This many bytes were accepted.
    case written(Int)
    /// Nothing is accepted until the descriptor is writable.
    case blocked
    case failed(Int32)
  }

  /// The most vectors that the kernel accepts in one call; the corresponding constant is `UIO_MAXIOV`.
  private static let maximumVectors = 1024

  private static let socketFlags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)

  /// Writes as many bytes as one call accepts.
  package static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ target: Target = .file
  ) -> Outcome {
    while true {
      let count =
        switch target {
        case .file: Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        case .socket: send(descriptor, bytes.baseAddress, bytes.count, socketFlags)
        }
      if let outcome = outcome(count) { return outcome }
    }
  }

  /// Writes as many bytes as a socket accepts, in few calls; returns the total, or an error even if bytes before it were written.
  package static func write(
    _ vectors: UnsafeBufferPointer<iovec>, toSocket descriptor: Int32
  ) -> Outcome {
    var total = 0
    var first = 0
    while first < vectors.count {
      let end = min(first + maximumVectors, vectors.count)
      let some = UnsafeBufferPointer(rebasing: vectors[first..<end])
      var message = msghdr()
      message.msg_iov = UnsafeMutablePointer(mutating: some.baseAddress)
      message.msg_iovlen = some.count
      switch outcome(sendmsg(descriptor, &message, socketFlags)) {
      case nil: continue
      case .written(let count)?:
        total += count
        guard count == some.reduce(0, { $0 + $1.iov_len }) else { return .written(total) }
      case .blocked?: return total > 0 ? .written(total) : .blocked
      case .failed(let number)?: return .failed(number)
      }
      first = end
    }
    return .written(total)
  }

  /// The outcome of a call; nil if a signal has interrupted it before any byte was written.
  private static func outcome(_ count: Int) -> Outcome? {
    if count >= 0 { return .written(count) }
    switch errno {
    case EINTR: return nil
    case EAGAIN: return .blocked
    default: return .failed(errno)
    }
  }

  /// Writes all bytes; returns 0, or the error number, also if a descriptor that does not block accepts only a part.
  package static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch write(UnsafeRawBufferPointer(rebasing: rest), to: descriptor) {
      case .written(0): return ENOSPC
      case .written(let count): rest = rest.dropFirst(count)
      case .blocked: return EAGAIN
      case .failed(let number): return number
      }
    }
    return 0
  }

  /// Writes all bytes of a text, as `writeAll` does with bytes.
  @discardableResult
  package static func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  /// Writes queued bytes, and removes from the queue what was accepted; returns 0, also if a part stays, or the error number.
  package static func flush(
    _ queue: inout [UInt8], to descriptor: Int32, _ target: Target = .file
  ) -> Int32 {
    while !queue.isEmpty {
      switch queue.withUnsafeBytes({ write($0, to: descriptor, target) }) {
      case .written(let count): queue.removeFirst(count)
      case .blocked: return 0
      case .failed(let number): return number
      }
    }
    return 0
  }
}
