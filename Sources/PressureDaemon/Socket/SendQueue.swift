internal import CLinux
internal import Glibc
internal import PressureClient
internal import PressureKit
package import PressureProtocol

/// The lines that a client's socket has not written yet, within a bound.
///
/// While there is room, lines wait in order. Where there is none, states make it: the oldest one of the
/// same kind and device goes first, then the oldest of any; happenings never do. A state for which even that
/// makes no room does not wait.
package struct SendQueue {
  /// What a state is of: a newer line with the same key makes it worthless.
  package struct Key: Hashable {
    package var name: EventName
    package var device: Int
    package var contact: Int32 = 0

    /// Whether requests have made them: these lines are dropped apart from other states, which do not say who asked.
    package var isRequested = false
  }

  private struct Line {
    var start: Int
    var length: Int
    var key: Key?
    var isDropped = false

    /// Whether it reports how many lines were dropped.
    var isMissedReport = false

    /// The index of the next line with the same key, so that none has to be looked for.
    var next: Int?
  }

  /// The first and the last index of the lines with one key.
  private struct Chain {
    var first: Int
    var last: Int
  }

  /// The storageLimit that may wait, in bytes.
  package let limit: Int

  /// How many lines did not fit since this was last told.
  package private(set) var missed = 0

  /// How many did not fit in all.
  private(set) var totalMissed = 0

  /// Whether a line that tells of it waits.
  private(set) var isMissedReportQueued = false

  private var bytes: [UInt8] = []
  private var lines: [Line] = []
  private var chains: [Key: Chain] = [:]
  private var first = 0

  /// Bytes that are neither sent nor dropped.
  private(set) var pendingByteCount = 0

  /// How many of them may be dropped.
  private var droppable = 0

  init(limit: Int) {
    self.limit = limit
  }

  package var isEmpty: Bool { pendingByteCount == 0 }

  /// How many bytes are kept, those that are sent or dropped among them.
  var footprint: Int { bytes.count }

  /// How many bytes are kept at storageLimit: the bound, and a quarter of it for what is sent or dropped.
  private var storageLimit: Int { limit + limit / 4 }

  /// For how many bytes there is memory.
  var capacity: Int { bytes.capacity }

  /// Whether so many bytes fit as they are.
  func hasRoom(for length: Int) -> Bool { pendingByteCount + length <= limit }

  /// Adds a line.
  ///
  /// - Parameters:
  ///   - line: its bytes.
  ///   - key: what makes it worthless, where it is a state.
  /// - Returns: false when happenings leave no room for it. Nothing was dropped then for a state.
  package mutating func append(_ line: UnsafeBufferPointer<UInt8>, key: Key?) -> Bool {
    guard key == nil || pendingByteCount - droppable + line.count <= limit else { return false }
    while !hasRoom(for: line.count) {
      guard let evictionCandidate = evictionCandidate(for: key) else { return false }
      drop(evictionCandidate)
    }
    add(line, key: key)
    return true
  }

  /// Adds the rest of a line that the socket has written in part, with nothing waiting before it.
  ///
  /// It must follow, so it goes beyond the bound if need be, by less than one line.
  package mutating func append(restOfLine rest: UnsafeBufferPointer<UInt8>) {
    add(rest, key: nil)
  }

  private mutating func add(_ line: UnsafeBufferPointer<UInt8>, key: Key?) {
    if isEmpty { reset() }
    if bytes.count + line.count > storageLimit { compact() }
    // At once, as the kernel gives a page only when it is written to, and memory that grows leaves holes.
    if bytes.capacity < storageLimit { bytes.reserveCapacity(storageLimit) }
    lines.append(Line(start: bytes.count, length: line.count, key: key))
    chain(lines.count - 1)
    bytes.append(contentsOf: line)
    pendingByteCount += line.count
  }

  /// Counts a line that did not fit.
  mutating func countMissed() {
    missed += 1
    totalMissed += 1
  }

  /// The count has been told.
  mutating func resetMissed() {
    missed = 0
  }

  /// Adds a line that tells the count, for which there must be room.
  mutating func appendMissedReport(_ line: UnsafeBufferPointer<UInt8>) {
    guard append(line, key: nil) else { return }
    lines[lines.count - 1].isMissedReport = true
    isMissedReportQueued = true
    resetMissed()
  }

  /// Hands what waits to `write`, piece by piece, until it takes less than a whole piece.
  ///
  /// - Parameter write: gives how many bytes it took, or nil where the socket is broken.
  /// - Returns: false where the socket is broken.
  package mutating func drain(_ write: (UnsafeBufferPointer<UInt8>) -> Int?) -> Bool {
    while let piece = nextPiece() {
      let written = bytes.withUnsafeBufferPointer { write(.init(rebasing: $0[piece])) }
      guard let written else { return false }
      advance(by: written)
      if written < piece.count { break }
    }
    if isEmpty { reset() }
    return true
  }
}

extension SendQueue {
  /// As many lines as lie side by side.
  private func nextPiece() -> Range<Int>? {
    guard let start = lines[first...].firstIndex(where: { !$0.isDropped }) else { return nil }
    var end = lines[start].start + lines[start].length
    for line in lines[(start + 1)...] {
      guard !line.isDropped else { break }
      end = line.start + line.length
    }
    return lines[start].start..<end
  }

  private mutating func advance(by written: Int) {
    var rest = written
    pendingByteCount -= written
    while rest > 0, first < lines.count {
      if !lines[first].isDropped {
        let step = min(rest, lines[first].length)
        rest -= step
        // What is half sent must be sent to its end.
        unchain(first)
        lines[first].start += step
        lines[first].length -= step
        if lines[first].length > 0 { break }
        if lines[first].isMissedReport { isMissedReportQueued = false }
      }
      first += 1
    }
  }

  /// Puts a line at the end of its key's chain.
  private mutating func chain(_ index: Int) {
    guard let key = lines[index].key else { return }
    droppable += lines[index].length
    if let last = chains[key]?.last {
      lines[last].next = index
      chains[key]?.last = index
    } else {
      chains[key] = Chain(first: index, last: index)
    }
  }

  /// Takes the first line of its key's chain out of it: it goes, or must stay to its end.
  private mutating func unchain(_ index: Int) {
    guard let key = lines[index].key else { return }
    lines[index].key = nil
    droppable -= lines[index].length
    if let next = lines[index].next {
      chains[key]?.first = next
    } else {
      chains[key] = nil
    }
  }

  private func evictionCandidate(for key: Key?) -> Int? {
    key.flatMap { chains[$0]?.first } ?? chains.values.lazy.map(\.first).min()
  }

  private mutating func drop(_ index: Int) {
    unchain(index)
    lines[index].isDropped = true
    pendingByteCount -= lines[index].length
    countMissed()
  }

  /// Moves what waits to the front, over the dropped and sent lines.
  private mutating func compact() {
    var (end, count) = (0, 0)
    chains.removeAll(keepingCapacity: true)
    droppable = 0
    for index in first..<lines.count where !lines[index].isDropped {
      var line = lines[index]
      move(line.start, to: end, count: line.length)
      (line.start, line.next) = (end, nil)
      lines[count] = line
      chain(count)
      end += line.length
      count += 1
    }
    bytes.removeLast(bytes.count - end)
    lines.removeLast(lines.count - count)
    first = 0
  }

  private mutating func move(_ start: Int, to index: Int, count: Int) {
    bytes.withUnsafeMutableBytes { bytes in
      let source = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
      UnsafeMutableRawBufferPointer(rebasing: bytes[index...]).copyMemory(from: source)
    }
  }

  /// An idle client keeps no memory.
  private mutating func reset() {
    (bytes, lines, chains, isMissedReportQueued) = ([], [], [:], false)
    (first, pendingByteCount, droppable) = (0, 0, 0)
  }
}

/// Lines on their way to a client, in order, made ready for one system call.
///
/// Clients that want the same of a batch get the same gatherWrite.
package struct GatherWrite: ~Copyable {
  /// A line, or several.
  struct Piece {
    var bytes: UnsafeBufferPointer<UInt8>

    /// What makes it worthless, where it is a state.
    var key: SendQueue.Key?
  }

  /// As many places in memory as the kernel takes in one call; the corresponding constant is `UIO_MAXIOV`.
  private static let maximumVectors = 1024

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

  /// Adds a line; its bytes stay where they are until the gatherWrite is sent.
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
      return GatherWrite.written(
        send(socket, vectors[0].iov_base, vectors[0].iov_len, GatherWrite.flags))
    }
    var total = 0
    var first = 0
    while first < vectors.count {
      let some = vectors[first..<min(first + GatherWrite.maximumVectors, vectors.count)]
      guard let written = GatherWrite.write(some, to: socket) else { return nil }
      total += written
      guard written == some.reduce(0, { $0 + $1.iov_len }) else { break }
      first = some.endIndex
    }
    return total
  }

  private static func write(_ vectors: ArraySlice<iovec>, to socket: Int32) -> Int? {
    vectors.withUnsafeBufferPointer { vectors in
      var message = msghdr()
      message.msg_iov = UnsafeMutablePointer(mutating: vectors.baseAddress)
      message.msg_iovlen = vectors.count
      return written(sendmsg(socket, &message, flags))
    }
  }

  private static let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)

  private static func written(_ count: Int) -> Int? {
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }
}
