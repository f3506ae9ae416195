internal import CLinux
internal import PressureClient
internal import PressureKit
package import PressureProtocol
package import PressureSystem

/// The lines that a client's socket has not accepted yet, in a bounded queue.
///
/// Lines stay in order while the queue has space. If it is full, readings are dropped: first the oldest with the same key, then
/// the oldest of any key. Lossless lines are never dropped. A reading that still does not fit is not queued.
package struct SendQueue {
  /// Identifies what a coalescible line is about: a newer line with the same key supersedes an older one.
  package struct Key: Hashable {
    package var name: EventName
    package var device: Int
    package var contact: Int32 = 0
  }

  private struct Line {
    var start: Int
    var length: Int
    var key: Key?
    var isDropped = false

    /// Whether it reports how many lines were dropped.
    var isMissedReport = false

    /// The index of the next line with the same key, so that no search is needed.
    var next: Int?
  }

  /// The first and the last index of the lines with one key.
  private struct Chain {
    var first: Int
    var last: Int
  }

  /// The most bytes that may be queued.
  package let limit: Int

  /// How many lines were dropped since the last report.
  package private(set) var missed = 0

  /// How many lines were dropped in all.
  private(set) var totalMissed = 0

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

  /// Bytes of storage in use, including sent and dropped ones.
  var footprint: Int { bytes.count }

  /// The most bytes of storage: the limit, and a quarter of it for sent and dropped lines.
  private var storageLimit: Int { limit + limit / 4 }

  /// Bytes of storage allocated.
  var capacity: Int { bytes.capacity }

  /// Whether this many bytes fit without dropping lines.
  func hasRoom(for length: Int) -> Bool { pendingByteCount + length <= limit }

  /// Appends a line; without a key it is lossless.
  ///
  /// Returns false if lossless lines leave no space for it. In that case no line was dropped for a coalescible one.
  package mutating func append(_ line: UnsafeBufferPointer<UInt8>, key: Key?) -> Bool {
    if key != nil, pendingByteCount - droppable + line.count > limit { return false }
    while !hasRoom(for: line.count) {
      guard let evictionCandidate = evictionCandidate(for: key) else { return false }
      drop(evictionCandidate)
    }
    add(line, key: key)
    return true
  }

  /// Appends the rest of a partially sent line to an empty queue.
  ///
  /// The rest must be sent, so it may exceed the limit by less than one line.
  package mutating func append(restOfLine rest: UnsafeBufferPointer<UInt8>) {
    add(rest, key: nil)
  }

  private mutating func add(_ line: UnsafeBufferPointer<UInt8>, key: Key?) {
    if isEmpty { reset() }
    if bytes.count + line.count > storageLimit { compact() }
    // Reserve all of it at once: the kernel commits pages on first write, and growing would fragment the heap.
    if bytes.capacity < storageLimit { bytes.reserveCapacity(storageLimit) }
    lines.append(Line(start: bytes.count, length: line.count, key: key))
    chain(lines.count - 1)
    bytes.append(contentsOf: line)
    pendingByteCount += line.count
  }

  mutating func countMissed() {
    missed += 1
    totalMissed += 1
  }

  mutating func resetMissed() {
    missed = 0
  }

  /// Appends a report of dropped lines, which must fit.
  mutating func appendMissedReport(_ line: UnsafeBufferPointer<UInt8>) {
    guard append(line, key: nil) else { return }
    lines[lines.count - 1].isMissedReport = true
    isMissedReportQueued = true
    resetMissed()
  }

  /// Passes queued bytes to `write` until it accepts less than a piece; false if it returns nil.
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
  /// The next run of contiguous lines.
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
        // A partially sent line must be sent to its end.
        unchain(first)
        lines[first].start += step
        lines[first].length -= step
        if lines[first].length > 0 { break }
        if lines[first].isMissedReport { isMissedReportQueued = false }
      }
      first += 1
    }
  }

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

  /// Removes the first line of its key's chain, which is dropped or may no longer be dropped.
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

  /// The line to drop for a line with a key: the oldest with that key, else the oldest reading.
  private func evictionCandidate(for key: Key?) -> Int? {
    key.flatMap { chains[$0]?.first } ?? chains.values.lazy.map(\.first).min()
  }

  private mutating func drop(_ index: Int) {
    unchain(index)
    lines[index].isDropped = true
    pendingByteCount -= lines[index].length
    countMissed()
  }

  /// Moves pending lines to the front of the storage.
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

  /// Frees the storage: an idle client holds no memory.
  private mutating func reset() {
    (bytes, lines, chains, isMissedReportQueued) = ([], [], [:], false)
    (first, pendingByteCount, droppable) = (0, 0, 0)
  }
}

/// Lines for one client, in order, gathered for a single system call.
///
/// Clients with the same subscription share one.
package struct GatherWrite: ~Copyable {
  /// One line, or several contiguous ones.
  struct Piece {
    var range: Range<Int>

    var key: SendQueue.Key?
  }

  private(set) var pieces: [Piece] = []

  /// The same bytes in as few ranges as possible.
  private var runs: [Range<Int>] = []

  /// The total number of bytes.
  package private(set) var count = 0

  /// Removes the lines and keeps the allocated memory.
  package mutating func removeAll() {
    pieces.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
    count = 0
  }

  package mutating func append(_ range: Range<Int>, key: SendQueue.Key?) {
    pieces.append(Piece(range: range, key: key))
    count += range.count
    let last = runs.count - 1
    if last >= 0, runs[last].upperBound == range.lowerBound {
      runs[last] = runs[last].lowerBound..<range.upperBound
    } else {
      runs.append(range)
    }
  }

  /// Writes as much of the lines, which are in `bytes`, as the socket accepts.
  package borrowing func write(
    _ bytes: UnsafeBufferPointer<UInt8>, to socket: Int32
  ) -> DescriptorWriter.Outcome {
    // Usually they are contiguous, and `send` is cheaper than `sendmsg`.
    if runs.count == 1 {
      let run = UnsafeBufferPointer(rebasing: bytes[runs[0]])
      return DescriptorWriter.write(UnsafeRawBufferPointer(run), to: socket, .socket)
    }
    let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
    return withUnsafeTemporaryAllocation(of: iovec.self, capacity: runs.count) { vectors in
      for (index, run) in runs.enumerated() {
        vectors[index] = iovec(iov_base: start?.advanced(by: run.lowerBound), iov_len: run.count)
      }
      return DescriptorWriter.write(UnsafeBufferPointer(vectors), toSocket: socket)
    }
  }
}
