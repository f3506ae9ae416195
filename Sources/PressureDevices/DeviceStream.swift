internal import CEvdev
internal import Glibc
internal import PressureKit

/// The events of an evdev node, read without libevdev, which recovers the state after losses.
///
///     kernel ──read──▶ RecordBuffer ──────────────────────▶ next
///        │                 │ SYN_DROPPED      ▲       │
///        │                 ▼                  │       ▼
///        └──ioctl──▶ libevdev ──differences───┘   AxisState
///                        ▲                            │
///                        └──────when events are lost──┘
///
/// libevdev's own stream costs more per event than all other work on it. The state of the events that `next` has
/// returned is kept here and given to libevdev when events were lost, so that it finds the right differences. What is
/// returned is what libevdev would return; `Tests/stream` compares both.
struct DeviceStream: ~Copyable {
  private enum Step {
    case event(InputEvent)
    case empty
    case gone
  }

  private enum Phase {
    /// Events come from the kernel's queue.
    case reading
    /// Events were lost; libevdev has not compared the states yet.
    case lost
    /// Events are the differences that libevdev has found.
    case resynchronizing
    /// Events are the differences that libevdev has not returned.
    case completing
  }

  /// As many records as libevdev reads at once.
  private static let recordCount = 256

  private let descriptor: Int32
  private let device: OpaquePointer
  private var records = RecordBuffer(recordCount: DeviceStream.recordCount)
  private var state: AxisState
  private var phase = Phase.reading

  /// Whether to resynchronize although no events were lost.
  private var isStale = false

  /// How many reports end the differences that libevdev has found.
  private var reportCount = 0

  /// How many values were compared with those of libevdev.
  private var comparedCount = 0

  /// Whether a report is due: the frame before the loss was incomplete, or differences follow the last report.
  private var needsReport = false

  /// Whether `next` must not read when the buffer is empty: the last read has emptied the kernel's queue, or came from
  /// `readOnce`.
  private var endsWithBuffer = false

  /// Whether `next` must not resynchronize, either: it returns only what `readOnce` has found.
  private var endsAtLoss = false

  /// The time of the last event, which is that of the differences, too.
  private var time: Timestamp

  /// Whether the last batch contains differences, which replace lost events.
  private(set) var isResynchronizing = false

  private(set) var lossCount = 0

  init(of device: OpaquePointer, _ descriptor: Int32, openedAt: Timestamp) {
    time = openedAt
    self.device = device
    self.descriptor = descriptor
    state = AxisState(libevdev: device)
  }

  /// Whether `next` has events for which the descriptor will not become ready.
  var hasMore: Bool { isStale || phase != .reading || records.hasRecord }

  var firstTime: Timestamp? { records.firstTime }

  /// Makes `next` return the differences between the events so far and the kernel's present state.
  mutating func resynchronize() { isStale = true }

  mutating func readAgain() { (endsWithBuffer, endsAtLoss) = (false, false) }

  /// Whether `next` will ask the kernel for the present state.
  var needsResynchronization: Bool { isStale || phase == .lost }

  /// Reads the kernel's queue once; until `next` has returned all that was read, and then that there is no more, it returns
  /// nothing that happens after this call.
  ///
  /// If events were lost, `next` ends there, and `needsResynchronization` is true.
  mutating func readOnce() {
    if !hasMore, case .ended = records.read(from: descriptor) {
      // `next` reads again, and returns the error.
      return readAgain()
    }
    readLater()
  }

  mutating func readLater() { (endsWithBuffer, endsAtLoss) = (true, true) }

  /// Replaces the content of a batch with the next events, up to the end of a frame.
  mutating func next(into batch: inout InputBatch) -> InputStep {
    batch.removeAll()
    isResynchronizing = false
    while !batch.isFull {
      // Nearly all events of a touch device are values of slots.
      if phase == .reading { records.moveValues(to: &batch, notedIn: &state) }
      guard !batch.isFull else { break }
      switch next() {
      case .event(let event):
        batch.append(event)
        if event.code.isSynchronization { return .events }
      case .empty:
        guard batch.isEmpty else { return .events }
        // The next call may read.
        readAgain()
        return .empty
      case .gone: return batch.isEmpty ? .gone : .events
      }
    }
    return .events
  }

  @inline(never)
  private mutating func next() -> Step {
    while true {
      switch phase {
      case .reading:
        if isStale {
          (isStale, phase) = (false, .lost)
          continue
        }
        guard var next = records.next() else {
          if let step = read() { return step }
          continue
        }
        time = next.time
        let verdict: AxisState.Consistency =
          state.store(next) ? .keep : state.store(rare: &next, of: device)
        switch verdict {
        case .keep: return .event(next)
        case .discard: break
        case .lost:
          lossCount += 1
          phase = .lost
        }
      case .lost where endsAtLoss: return .empty
      case .lost:
        if let step = startResynchronization() { return step }
      case .resynchronizing:
        if let step = nextDifference() { return step }
      case .completing:
        if let step = nextOmission() { return step }
      }
    }
  }

  /// Reads once each time that the descriptor became ready; nil if there are events.
  private mutating func read() -> Step? {
    if endsWithBuffer { return .empty }
    switch records.read(from: descriptor) {
    case .read(let isFull):
      endsWithBuffer = !isFull
      return nil
    case .empty: return .empty
    case .ended: return .gone
    }
  }

  /// Makes libevdev compare the state of the events so far with that of the kernel.
  ///
  /// What is queued is older than the kernel's state. The incomplete frame before the loss has been returned; the
  /// differences follow it.
  ///
  /// - Returns: why that is not possible.
  private mutating func startResynchronization() -> Step? {
    records.removeAll()
    endsWithBuffer = false
    state.copy(to: device)
    var event = input_event()
    switch libevdev_next_event(device, LIBEVDEV_READ_FLAG_FORCE_SYNC.rawValue, &event) {
    case Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue):
      (phase, reportCount, needsReport) = (.resynchronizing, 1, true)
      return nil
    case -EINTR: return nil
    case -EAGAIN: return .empty
    default: return .gone
    }
  }

  /// The next difference.
  ///
  /// After the last one libevdev must not be asked again: it miscounts those that it discards, keys that the device does not
  /// declare, and would read and return new events in their place.
  ///
  /// - Returns: nil after the last.
  private mutating func nextDifference() -> Step? {
    var record = input_event()
    switch libevdev_next_event(device, LIBEVDEV_READ_FLAG_SYNC.rawValue, &record) {
    case Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue):
      var event = InputEvent(record)
      event.time = time
      if !state.store(event) { _ = state.store(rare: &event, of: nil) }
      // Contacts that have ended, or were replaced, end in a separate frame.
      if event.code == .trackingID, event.value < 0 { reportCount = 2 }
      if event.code == .report {
        reportCount -= 1
        if reportCount == 0 { (phase, needsReport) = (.completing, false) }
      }
      isResynchronizing = true
      return .event(event)
    case -EAGAIN:
      phase = .completing
      return nil
    case -EINTR: return nil
    default: return .gone
    }
  }

  /// Of a contact that has ended libevdev returns only the end, but a later one begins with the values of its slot.
  ///
  /// It returns nothing, not even a report, if nothing has changed but the current slot.
  ///
  /// - Returns: the next value that libevdev has omitted, then a report if one is due; nil if none is.
  private mutating func nextOmission() -> Step? {
    if var event = state.nextDifference(after: &comparedCount, from: device, at: time) {
      needsReport = true
      if !state.store(event) { _ = state.store(rare: &event, of: nil) }
      isResynchronizing = true
      return .event(event)
    }
    phase = .reading
    comparedCount = 0
    guard needsReport else { return nil }
    return .event(InputEvent(time: time, code: .report, value: 0))
  }
}
