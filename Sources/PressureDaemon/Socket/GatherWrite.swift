internal import CLinux
internal import Glibc
internal import PressureKit

/// Lines on their way to a client, in order, made ready for one system call.
///
/// Clients that want the same of a batch get the same parcel.
package struct GatherWrite: ~Copyable {
  /// A line, or several.
  struct Piece {
    var bytes: UnsafeBufferPointer<UInt8>

    /// What makes it worthless, where it is a state.
    var key: SendQueue.Key?
  }

  /// As many places in memory as the kernel takes in one call; the corresponding constant is `UIO_MAXIOV`.
  private static let mostVectors = 1024

  private(set) var pieces: [Piece] = []
  private var vectors: [iovec] = []

  /// How many bytes there are.
  package private(set) var count = 0

  /// Forgets the lines, and keeps the memory.
  package mutating func removeAll() {
    pieces.removeAll(keepingCapacity: true)
    vectors.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Adds a line; its bytes stay where they are until the parcel is sent.
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, key: SendQueue.Key?) {
    pieces.append(Piece(bytes: bytes, key: key))
    count += bytes.count
    let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
    let last = vectors.count - 1
    if last >= 0, vectors[last].iov_base + vectors[last].iov_len == start {
      vectors[last].iov_len += bytes.count
    } else {
      vectors.append(iovec(iov_base: start, iov_len: bytes.count))
    }
  }

  /// Writes as much as a socket takes at once.
  ///
  /// - Returns: how many bytes that was; nil where the socket is broken.
  package borrowing func write(to socket: Int32) -> Int? {
    // What lies in one piece, as it mostly does, is not worth a list to the kernel.
    if vectors.count == 1 {
      return GatherWrite.taken(
        send(socket, vectors[0].iov_base, vectors[0].iov_len, GatherWrite.flags))
    }
    var total = 0
    var first = 0
    while first < vectors.count {
      let some = vectors[first..<min(first + GatherWrite.mostVectors, vectors.count)]
      guard let taken = GatherWrite.write(some, to: socket) else { return nil }
      total += taken
      guard taken == some.reduce(0, { $0 + $1.iov_len }) else { break }
      first = some.endIndex
    }
    return total
  }

  private static func write(_ vectors: ArraySlice<iovec>, to socket: Int32) -> Int? {
    vectors.withUnsafeBufferPointer { vectors in
      var message = msghdr()
      message.msg_iov = UnsafeMutablePointer(mutating: vectors.baseAddress)
      message.msg_iovlen = vectors.count
      return taken(sendmsg(socket, &message, flags))
    }
  }

  private static let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)

  private static func taken(_ count: Int) -> Int? {
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }
}
