internal import CEvdev
internal import Glibc
package import PressureKit
package import PressureLoop
package import PressureSystem

/// A pipe through which somebody sends what a device node gives, such as `cat` at the other end of ssh.
///
///     no writer ──first bytes──▶ written to ──last writer closes──▶ opened anew, no writer
///
/// A pipe can be asked for nothing that has passed, so it is read whether somebody listens or not.
package final class EventPipe {
  /// What `read` has found.
  package enum Step {
    /// Bytes; `next` gives the events in them.
    case bytes
    /// Nothing for now.
    case empty
    /// The last writer has closed it.
    case over
  }

  /// Seconds and microseconds of 8 bytes each, type and code of 2, the value of 4.
  private static let recordSize = MemoryLayout<input_event>.size

  /// How much is read at once; a frame of ten contacts has less than a thousand bytes.
  private static let capacity = 512 * recordSize

  /// Far more than any device sends, and little enough to be kept.
  private static let longestFrame = 65_536

  package let path: String

  /// What the device is, with the slot that the next event is of.
  package private(set) var description: DeviceDescription
  private let firstSlot: Int32
  package var source: EventSource?

  @exclusivity(unchecked) private var ahead = EventsAhead()
  @exclusivity(unchecked) private var isOver = false
  private var file = Descriptor(-1)
  @exclusivity(unchecked) private var clock = PipeClock()

  /// When the bytes in the buffer were read; what is read later in a turn is later than its beginning.
  private var readAt: Int64 = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: EventPipe.capacity, alignment: 8)
  @exclusivity(unchecked) private var start = 0
  @exclusivity(unchecked) private var end = 0
  @exclusivity(unchecked) private var eventsInFrame = 0

  /// Makes a pipe that is still to be opened.
  package init(path: String, description: DeviceDescription) {
    self.path = path
    self.description = description
    firstSlot = description.currentSlot
  }

  deinit {
    buffer.deallocate()
  }

  /// Whether there is a pipe at a path.
  package static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  package var descriptor: Int32 { file.number }

  /// Opens it for the next writer.
  ///
  /// A descriptor that has seen a writer go would wake the loop for ever. The old one is closed after
  /// the new one is open, as a writer that finds no reader in between would be killed.
  package func open() throws(SystemError) {
    source = nil
    file = Descriptor(
      try SystemError.checkErrno(
        Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), "open \(path)"))
    (start, end, eventsInFrame) = (0, 0, 0)
    (ahead, isOver) = (EventsAhead(), false)
    clock = PipeClock()
    description.currentSlot = firstSlot
  }

  /// Reads once, all that was read before having been taken: what is left in the pipe wakes the loop again.
  package func read() -> Step {
    guard !isOver else { return .over }
    moveRestToFront()
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
    let count = Glibc.read(descriptor, room.baseAddress, room.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return .empty }
    // Kept, as another writer may come before the end is asked for again.
    isOver = count <= 0
    guard !isOver else { return .over }
    end += count
    readAt = Timestamp.now.microseconds
    return .bytes
  }

  /// The next whole event that was read; nil until more is read, as the rest of a split one is still to come.
  package func next() -> InputEvent? {
    guard ahead.isEmpty else { return ahead.next() }
    return take()
  }

  /// Takes what there is out of the pipe, for `next` to give later.
  package func readAhead() {
    while let event = take() { ahead.append(event) }
    while !ahead.isFull, case .bytes = read() {
      while let event = take() { ahead.append(event) }
    }
  }

  /// Whether `next` gives something that does not wake the loop any more.
  package var hasAhead: Bool { !ahead.isEmpty || hasRecord }

  /// When the first of what was read ahead happened, or nil where there is nothing.
  package var aheadTime: Timestamp? { ahead.time }

  private var hasRecord: Bool { end - start >= EventPipe.recordSize }

  private func take() -> InputEvent? {
    guard hasRecord else { return nil }
    defer { start += EventPipe.recordSize }
    var event = InputEvent(buffer.loadUnaligned(fromByteOffset: start, as: input_event.self))
    event.time = clock.time(given: event.time, at: readAt)
    // A device may begin to be read in the midst, and slots are named only when they change.
    if event.code == .slot { description.currentSlot = event.value }
    eventsInFrame = event.code == .report ? 0 : eventsInFrame + 1
    // A frame that never ends is lost, as the kernel would have lost it, and memory stays bounded.
    if eventsInFrame > EventPipe.longestFrame { event.code = .dropped }
    return event
  }

  private func moveRestToFront() {
    if end > start, start > 0, let front = buffer.baseAddress {
      memmove(front, front + start, end - start)
    }
    (start, end) = (0, end - start)
  }
}

/// Brings the times in a pipe to this machine's CLOCK_MONOTONIC, which all times of a stream are of.
///
/// Times that are of it already stay as they are. Those of another clock, such as another machine's, are
/// moved as a whole, so that the distances between them stay. A clock that is set or stands still while its
/// machine sleeps is followed: no event can be later than its arrival, and a connection delivers something
/// without delay now and then.
struct PipeClock {
  /// How far ahead of the present, in microseconds, a time can be: a frame may be sent as it is measured.
  private static let mostAhead: Int64 = 20_000

  /// How far behind the present, in microseconds, a time can be, however long the connection has stalled.
  private static let mostBehind: Int64 = 10_000_000

  /// A delay of this many microseconds that nothing in a whole window falls below is the clock's.
  private static let steadyDelay: Int64 = 100_000

  /// Microseconds over which the shortest delay is looked for.
  private static let window: Int64 = 1_000_000

  private var offset: Int64 = 0
  private var windowStart: Int64?
  private var shortestDelay = Int64.max

  /// The moment that is meant by a time.
  ///
  /// - Parameters:
  ///   - given: as it stands in the pipe; 0 where the writer has no clock, and means now.
  ///   - now: when it was read, in microseconds of CLOCK_MONOTONIC.
  /// - Returns: a moment that may lie before the last one: it is the engine that never goes back.
  mutating func time(given: Timestamp, at now: Int64) -> Timestamp {
    guard given.microseconds != 0 else { return Timestamp(microseconds: now) }
    closeWindow(at: now)
    let delay = now &- given.microseconds &- offset
    guard (-PipeClock.mostAhead...PipeClock.mostBehind).contains(delay) else {
      rebase(by: delay)
      shortestDelay = 0
      return Timestamp(microseconds: now)
    }
    shortestDelay = min(shortestDelay, delay)
    return Timestamp(microseconds: given.microseconds &+ offset)
  }

  /// Takes for the clock's what every event of the last window was late.
  ///
  /// After a stall of the connection the last events are on time again.
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
