internal import CLinux
internal import PressureClient
internal import PressureKit
package import PressureProtocol
package import PressureSystem

/// What a line reports on: a newer state of the same subject supersedes an older one.
package struct Subject: Hashable {
  package var name: EventName
  package var device: Int

  /// The contact, if each contact has separate states.
  package var contact: Int32 = 0
}

/// The lines that a client's socket has not accepted yet, in a bounded queue.
///
/// Lines stay in order. If the queue is full, readings are removed: those with a newer one of the same key, or all if that frees too
/// little. Lossless lines are never removed. A reading that still does not fit is not queued.
package struct SendQueue {
  private struct Line {
    var length: Int

    /// Nil for a lossless line, and for one that was sent in part.
    var key: Subject?

    /// Whether it reports how many lines were dropped.
    var isMissedReport = false
  }

  package let limit: Int

  /// How many lines were dropped since the last report.
  package var missed = 0

  private(set) var totalMissed = 0

  private(set) var isMissedReportQueued = false

  /// The lines, of which the bytes before `start` and the lines before `first` were sent.
  private(set) var bytes: [UInt8] = []
  private var lines: [Line] = []
  private var start = 0
  private var first = 0

  /// How many bytes are those of readings.
  private var readingByteCount = 0

  init(limit: Int) {
    self.limit = limit
  }

  var pendingByteCount: Int { bytes.count - start }

  package var isEmpty: Bool { pendingByteCount == 0 }

  /// The most bytes of storage: the limit, and a quarter of it for sent lines.
  private var storageLimit: Int { limit + limit / 4 }

  /// Whether this many bytes fit without dropping lines.
  func hasRoom(for length: Int) -> Bool { pendingByteCount + length <= limit }

  /// Appends a line; without a key it is lossless.
  ///
  /// Returns false if the other lines leave no space for it.
  package mutating func append(_ line: UnsafeBufferPointer<UInt8>, key: Subject?) -> Bool {
    if !hasRoom(for: line.count) { makeRoom(for: line.count, key) }
    guard hasRoom(for: line.count) else { return false }
    add(line, key: key)
    return true
  }

  /// Appends a line that fits or, to an empty queue, the rest of a partially sent one, which must be sent.
  ///
  /// The rest may exceed the limit by less than one line.
  mutating func add(_ line: UnsafeBufferPointer<UInt8>, key: Subject?) {
    if bytes.count + line.count > storageLimit { remove { _, _ in false } }
    // Reserve all of it at once: the kernel commits pages on first write, and growing would fragment the heap.
    if bytes.capacity < storageLimit { bytes.reserveCapacity(storageLimit) }
    lines.append(Line(length: line.count, key: key))
    bytes.append(contentsOf: line)
    if key != nil { readingByteCount += line.count }
  }

  mutating func countMissed() {
    missed += 1
    totalMissed += 1
  }

  /// Appends a report of dropped lines, which must fit.
  mutating func appendMissedReport(_ line: UnsafeBufferPointer<UInt8>) {
    guard append(line, key: nil) else { return }
    lines[lines.count - 1].isMissedReport = true
    isMissedReportQueued = true
    missed = 0
  }

  /// Passes the queued bytes to `write`, and removes those that it accepts.
  package mutating func drain(
    _ write: (UnsafeBufferPointer<UInt8>) -> DescriptorWriter.Outcome
  ) -> DescriptorWriter.Outcome {
    guard !isEmpty else { return .blocked }
    let outcome = bytes.withUnsafeBufferPointer { write(.init(rebasing: $0[start...])) }
    if case .written(let count) = outcome { advance(by: count) }
    return outcome
  }

  private mutating func advance(by written: Int) {
    start += written
    // An idle client holds no memory.
    guard !isEmpty else {
      (bytes, lines, isMissedReportQueued) = ([], [], false)
      (start, first, readingByteCount) = (0, 0, 0)
      return
    }
    var rest = written
    while rest > 0 {
      // A line that was sent in part must be sent to its end.
      if lines[first].key != nil { readingByteCount -= lines[first].length }
      lines[first].key = nil
      guard rest >= lines[first].length else {
        lines[first].length -= rest
        return
      }
      rest -= lines[first].length
      if lines[first].isMissedReport { isMissedReportQueued = false }
      first += 1
    }
  }

  /// Removes readings for a line, which supersedes those with its key.
  ///
  /// Each search goes through the whole queue, so that it has to free a part of it: a reading does not cause one
  /// if lossless lines fill nearly all of the queue.
  private mutating func makeRoom(for length: Int, _ key: Subject?) {
    guard key == nil || readingByteCount >= limit / 8 else { return }
    var newer = Set(key.map { [$0] } ?? [])
    var isSuperseded = [Bool](repeating: false, count: lines.count)
    for index in lines.indices[first...].reversed() {
      if let key = lines[index].key { isSuperseded[index] = !newer.insert(key).inserted }
    }
    remove { index, _ in isSuperseded[index] }
    if !hasRoom(for: max(length, limit / 16)) { remove { _, line in line.key != nil } }
  }

  /// Removes the lines that a condition accepts, by their indices, and the storage of those that were sent.
  private mutating func remove(where isRemoved: (Int, Line) -> Bool) {
    var (place, end, count) = (start, 0, 0)
    for index in first..<lines.count {
      let line = lines[index]
      defer { place += line.length }
      if isRemoved(index, line) {
        readingByteCount -= line.length
        countMissed()
        continue
      }
      bytes.withUnsafeMutableBytes {
        let source = UnsafeRawBufferPointer(rebasing: $0[place..<place + line.length])
        UnsafeMutableRawBufferPointer(rebasing: $0[end...]).copyMemory(from: source)
      }
      lines[count] = line
      end += line.length
      count += 1
    }
    bytes.removeLast(bytes.count - end)
    lines.removeLast(lines.count - count)
    (start, first) = (0, 0)
  }
}

/// Lines for one client, in order, gathered for a single system call.
///
/// Clients with the same subscription share one.
package struct GatherWrite: ~Copyable {
  /// One line each, or several contiguous ones: where they are in the bytes, and the key by which a full queue may drop them.
  private(set) var pieces: [(range: Range<Int>, key: Subject?)] = []

  /// The same bytes in as few ranges as possible.
  private var runs: [Range<Int>] = []

  package private(set) var count = 0

  /// Removes the lines and keeps the allocated memory.
  package mutating func removeAll() {
    pieces.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
    count = 0
  }

  package mutating func append(_ range: Range<Int>, key: Subject?) {
    pieces.append((range, key))
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
