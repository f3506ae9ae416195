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
package final class EventPipe: InputSource {
  /// The number of records in one read: as many as a pipe holds by default, so that one read empties it.
  private static let recordCount = (64 << 10) / 24 + 1

  /// The maximum number of events in a frame: far more than any device sends.
  private static let longestFrame = 65_536

  package let path: String

  /// The device, with the slot to which the next event belongs.
  @exclusivity(unchecked) package private(set) var description: DeviceDescription
  private let firstSlot: Int32
  package var source: EventSource?

  @exclusivity(unchecked) private var isAtEnd = false
  private var file = Descriptor(-1)
  @exclusivity(unchecked) private var clock = PipeClock()

  /// When the bytes in the buffer were read, which may be later than the start of the loop's iteration.
  @exclusivity(unchecked) private var readAt: Int64 = 0
  @exclusivity(unchecked) private var records = RecordBuffer(recordCount: EventPipe.recordCount)
  @exclusivity(unchecked) private var eventsInFrame = 0

  /// Whether the current writer has written anything.
  @exclusivity(unchecked) package private(set) var hasBegun = false

  package init(path: String, description: DeviceDescription) {
    self.path = path
    self.description = description
    firstSlot = description.currentSlot
  }

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
    (isAtEnd, hasBegun) = (false, false)
    clock = PipeClock()
    description.currentSlot = firstSlot
  }

  package func readOnce() {
    guard !isAtEnd, !records.hasRecord else { return }
    switch records.read(from: descriptor) {
    case .read:
      readAt = Timestamp.now.microseconds
      hasBegun = true
    case .empty: break
    // Stored, because another writer may open the pipe before the next read.
    case .ended: isAtEnd = true
    }
  }

  package var hasMore: Bool { records.hasRecord }

  package func next(into batch: inout InputBatch, at now: Int64) -> InputStep {
    batch.removeAll()
    while !batch.isFull, let event = next() {
      batch.append(event)
      if event.code.isSynchronization { break }
    }
    guard batch.isEmpty else { return .events }
    return isOver ? .gone : .empty
  }

  /// Whether the last writer has closed the pipe, and all its events were returned.
  package var isOver: Bool { isAtEnd && !records.hasRecord }

  package var aheadTime: Timestamp? { records.firstTime.map { clock.time(given: $0, at: readAt) } }

  package func discard() {
    while next() != nil {}
  }

  /// The next complete event that was read, or nil until more is read.
  @inline(__always)
  func next() -> InputEvent? {
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

  /// Converts a time that was read at `now`, in microseconds of CLOCK_MONOTONIC; 0 means now, for writers without a clock.
  ///
  /// The converted time may be earlier than the one before; the engine clamps it.
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
    // After a stall of the connection the last events arrive without delay again.
    if windowStart.map({ now &- $0 >= PipeClock.window }) ?? true {
      if windowStart != nil, shortestDelay > PipeClock.steadyDelay { offset &+= shortestDelay }
      (windowStart, shortestDelay) = (now, .max)
    }
    let delay = now &- given.microseconds &- offset
    guard (-PipeClock.maximumLead...PipeClock.maximumLag).contains(delay) else {
      offset &+= delay
      shortestDelay = 0
      return Timestamp(microseconds: now)
    }
    shortestDelay = min(shortestDelay, delay)
    return Timestamp(microseconds: given.microseconds &+ offset)
  }
}
