internal import PressureKit

/// What a device has said while something else was done, in its order.
///
/// The kernel keeps but some twenty frames of ten contacts for a reader, and drops them all when one more
/// comes. Whoever is at other work for long takes them out first, and looks at them later.
struct EventsAhead {
  /// A second and a half of ten contacts at 1 kHz, and a megabyte.
  static let most = 65_536

  /// More than these are no memory to keep for the next time.
  private static let usual = 4096

  private var events: [InputEvent] = []
  private var first = 0

  var isEmpty: Bool { first == events.count }

  /// When the oldest happened, or nil where there is none.
  var time: Timestamp? { isEmpty ? nil : events[first].time }

  /// For how many there is memory.
  var room: Int { events.capacity }

  /// Whether the rest must stay where it is.
  var isFull: Bool { events.count - first >= EventsAhead.most }

  mutating func append(_ event: InputEvent) {
    // Who is always a little behind never takes the last one out.
    if first >= EventsAhead.usual, first * 2 >= events.count {
      events.removeFirst(first)
      first = 0
    }
    events.append(event)
  }

  /// Takes the oldest out.
  mutating func next() -> InputEvent? {
    guard !isEmpty else { return nil }
    defer {
      first += 1
      if isEmpty { forget() }
    }
    return events[first]
  }

  private mutating func forget() {
    events.removeAll(keepingCapacity: events.count <= EventsAhead.usual)
    first = 0
  }
}
