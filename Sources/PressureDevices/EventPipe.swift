internal import CEvdev
internal import Glibc
package import PressureKit
package import PressureLoop
package import PressureSystem

/// A pipe with the bytes of a device node, such as those that `cat` sends through ssh.
///
///     no writer ──first bytes──▶ has a writer ──last writer closes──▶ reopened, no writer
///
/// A pipe has no state that can be queried later, so it is read even without clients.
package final class EventPipe {
  /// The result of `read`.
  package enum Step {
    /// Bytes; `next` returns the events in them.
    case bytes
    /// No bytes are available now.
    case empty
    /// The last writer has closed the pipe.
    case over
  }

  /// The number of records in one read; a frame of ten contacts has fewer than 50.
  private static let recordCount = 512

  /// The maximum number of events in a frame: far more than any device sends.
  private static let longestFrame = 65_536

  package let path: String

  /// The device, with the slot to which the next event belongs.
  @exclusivity(unchecked) package private(set) var description: DeviceDescription
  private let firstSlot: Int32
  package var source: EventSource?

  @exclusivity(unchecked) private var ahead = ReadAheadQueue()
  @exclusivity(unchecked) private var isAtEnd = false
  private var file = Descriptor(-1)
  @exclusivity(unchecked) private var clock = PipeClock()

  /// When the bytes in the buffer were read, which may be later than the start of the loop's iteration.
  @exclusivity(unchecked) private var readAt: Int64 = 0
  @exclusivity(unchecked) private var records = RecordBuffer(recordCount: EventPipe.recordCount)
  @exclusivity(unchecked) private var eventsInFrame = 0

  /// Whether the current writer has written anything.
  @exclusivity(unchecked) package private(set) var hasBegun = false

  /// Creates a pipe that is not open yet.
  package init(path: String, description: DeviceDescription) {
    self.path = path
    self.description = description
    firstSlot = description.currentSlot
  }

  /// Whether there is a pipe at a path.
  package static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  package var descriptor: Int32 { file.number }

  /// Opens the pipe for the next writer.
  ///
  /// After its last writer has closed, a descriptor stays ready (hangup), so a new one is opened. The old one is closed
  /// afterwards: a writer without a reader would be killed by SIGPIPE.
  package func open() throws(SystemError) {
    source = nil
    file = Descriptor(
      try SystemError.checkErrno(
        Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), "open \(path)"))
    records.removeAll()
    eventsInFrame = 0
    (ahead, isAtEnd, hasBegun) = (ReadAheadQueue(), false, false)
    clock = PipeClock()
    description.currentSlot = firstSlot
  }

  /// Reads once.
  ///
  /// `next` must have returned all earlier events. The descriptor stays ready if more bytes are available.
  @discardableResult package func read() -> Step {
    guard !isAtEnd else { return .over }
    switch records.read(from: descriptor) {
    case .read: break
    case .empty: return .empty
    case .ended:
      // Stored, because another writer may open the pipe before the next read.
      isAtEnd = true
      return .over
    }
    readAt = Timestamp.now.microseconds
    hasBegun = true
    return .bytes
  }

  /// Replaces the content of a batch with the next complete events that were read, up to the end of a frame.
  ///
  /// - Returns: false if there are none until more is read.
  package func next(into batch: inout InputBatch) -> Bool {
    guard ahead.isEmpty else {
      ahead.move(to: &batch)
      return true
    }
    batch.removeAll()
    while !batch.isFull, let event = parseRecord() {
      batch.append(event)
      if event.code.isSynchronization { break }
    }
    return !batch.isEmpty
  }

  /// The next complete event that was read, or nil until more is read.
  package func next() -> InputEvent? { ahead.isEmpty ? nextRecord() : ahead.next() }

  /// As `next`, without the read-ahead queue; not inlined, as it is not on the path of each event.
  @inline(never)
  private func nextRecord() -> InputEvent? { parseRecord() }

  /// Drains the pipe into the read-ahead queue, from which `next` returns the events later.
  ///
  /// - Returns: whether `next` has events for which the descriptor will not become ready.
  @discardableResult package func readAhead() -> Bool {
    while let event = nextRecord() { ahead.append(event) }
    while !ahead.isFull, case .bytes = read() {
      while let event = nextRecord() { ahead.append(event) }
    }
    return hasAhead
  }

  /// Whether `next` has events for which the descriptor will not become ready.
  package var hasAhead: Bool { !ahead.isEmpty || records.hasRecord }

  /// Whether the last writer has closed the pipe, and `next` has returned all events.
  package var isOver: Bool { isAtEnd && !hasAhead }

  /// The time of the event that `next` returns, or nil if there is none.
  package var firstTime: Timestamp? {
    if ahead.isEmpty, let event = nextRecord() { ahead.append(event) }
    return ahead.time
  }

  /// Discards the events that were read.
  package func discardAhead() {
    while next() != nil {}
  }

  /// The time of the first event in the read-ahead queue, or nil if it is empty.
  package var aheadTime: Timestamp? { ahead.time }

  @inline(__always)
  private func parseRecord() -> InputEvent? {
    guard var event = records.next() else { return nil }
    event.time = clock.time(given: event.time, at: readAt)
    // Events name a slot only when it changes, and a new reader of the device starts in the middle of the stream.
    if event.code == .slot { description.currentSlot = event.value }
    eventsInFrame = event.code == .report ? 0 : eventsInFrame + 1
    // A frame without an end is dropped, as the kernel would do, so that memory stays bounded.
    if eventsInFrame > EventPipe.longestFrame { event.code = .dropped }
    return event
  }
}

/// Converts the times in a pipe to this machine's CLOCK_MONOTONIC.
///
/// Times of that clock are unchanged. Times of another clock, such as that of another machine, are shifted by a
/// constant offset, so that intervals are preserved. The offset follows a clock that is set or that stops during
/// suspend: no event can be later than its arrival, and a connection delivers some events without delay.
struct PipeClock {
  /// How far a time may be in the future, in microseconds: a frame may be sent as it is measured.
  private static let maximumLead: Int64 = 20_000

  /// How far a time may be in the past, in microseconds, after a stall of the connection.
  private static let maximumLag: Int64 = 10_000_000

  /// A minimum delay within a window above this many microseconds is an offset of the clock.
  private static let steadyDelay: Int64 = 100_000

  /// The microseconds over which the minimum delay is determined.
  private static let window: Int64 = 1_000_000

  private var offset: Int64 = 0
  private var windowStart: Int64?
  private var shortestDelay = Int64.max

  /// The last conversion: all events of a frame have the same time, and usually arrive with one read.
  private var last: (given: Timestamp, now: Int64, time: Timestamp)?

  /// Converts a time.
  ///
  /// - Parameters:
  ///   - given: the time in the pipe; 0 means now, for writers without a clock.
  ///   - now: when it was read, in microseconds of CLOCK_MONOTONIC.
  /// - Returns: the converted time, which may be earlier than the one before; the engine clamps it.
  @inline(__always)
  mutating func time(given: Timestamp, at now: Int64) -> Timestamp {
    if let last, last.given == given, last.now == now { return last.time }
    let time = convert(given, at: now)
    last = (given, now, time)
    return time
  }

  @inline(never)
  private mutating func convert(_ given: Timestamp, at now: Int64) -> Timestamp {
    guard given.microseconds != 0 else { return Timestamp(microseconds: now) }
    closeWindow(at: now)
    let delay = now &- given.microseconds &- offset
    guard (-PipeClock.maximumLead...PipeClock.maximumLag).contains(delay) else {
      rebase(by: delay)
      shortestDelay = 0
      return Timestamp(microseconds: now)
    }
    shortestDelay = min(shortestDelay, delay)
    return Timestamp(microseconds: given.microseconds &+ offset)
  }

  /// Adds the minimum delay of the last window to the offset if it is above `steadyDelay`.
  ///
  /// After a stall of the connection the last events arrive without delay again.
  private mutating func closeWindow(at now: Int64) {
    if let windowStart, now &- windowStart < PipeClock.window { return }
    if windowStart != nil, shortestDelay > PipeClock.steadyDelay { rebase(by: shortestDelay) }
    windowStart = now
    shortestDelay = .max
  }

  private mutating func rebase(by delay: Int64) {
    offset &+= delay
  }
}
