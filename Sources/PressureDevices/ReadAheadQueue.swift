internal import PressureKit

/// A queue of events that were read before they can be processed.
///
/// The kernel buffers about twenty frames of ten contacts for a reader and drops all of them if it overflows. Before
/// other long work the daemon drains the kernel's buffer into this queue.
struct ReadAheadQueue {
  /// The maximum number of events: 1.5 seconds of ten contacts at 1 kHz, which is 1 MB.
  static let maximumCount = 65_536

  /// The maximum capacity that is kept when the queue becomes empty, in events.
  private static let retainedCapacity = 4096

  private var events: [InputEvent] = []
  private var first = 0

  var isEmpty: Bool { first == events.count }

  var time: Timestamp? { isEmpty ? nil : events[first].time }

  var capacity: Int { events.capacity }

  var isFull: Bool { events.count - first >= ReadAheadQueue.maximumCount }

  mutating func append(_ event: InputEvent) {
    // A consumer that is always behind never empties the queue.
    if first >= ReadAheadQueue.retainedCapacity, first * 2 >= events.count {
      events.removeFirst(first)
      first = 0
    }
    events.append(event)
  }

  mutating func next() -> InputEvent? {
    guard !isEmpty else { return nil }
    defer {
      first += 1
      if isEmpty { removeAll() }
    }
    return events[first]
  }

  mutating func move(to batch: inout InputBatch) {
    batch.removeAll()
    while !batch.isFull, let event = next() {
      batch.append(event)
      if event.code.isSynchronization { return }
    }
  }

  private mutating func removeAll() {
    events.removeAll(keepingCapacity: events.count <= ReadAheadQueue.retainedCapacity)
    first = 0
  }
}
