/// Events of a device in order, at most up to the end of a frame, in memory that is reused.
///
/// A source of events fills it and the engine processes it: a call of both for each event would cost more than what they do.
package struct InputBatch: ~Copyable {
  /// The maximum number of events; a frame of ten contacts has about forty.
  @inlinable package static var capacity: Int { 64 }

  @usableFromInline let storage: UnsafeMutablePointer<InputEvent>

  /// The number of events.
  @usableFromInline package private(set) var count = 0

  /// Creates an empty batch.
  package init() {
    storage = .allocate(capacity: InputBatch.capacity)
  }

  deinit {
    storage.deallocate()
  }

  @inlinable @inline(__always)
  package var isEmpty: Bool { count == 0 }

  /// Whether no more events may be appended.
  @inlinable @inline(__always)
  package var isFull: Bool { count >= InputBatch.capacity }

  /// The events; valid until the next mutation.
  @inlinable @inline(__always)
  package var events: UnsafeBufferPointer<InputEvent> {
    UnsafeBufferPointer(start: storage, count: count)
  }

  /// Appends an event; the batch must not be full.
  @inlinable @inline(__always)
  package mutating func append(_ event: InputEvent) {
    precondition(!isFull, "the batch is full")
    (storage + count).initialize(to: event)
    count += 1
  }

  /// Removes all events.
  @inlinable @inline(__always)
  package mutating func removeAll() {
    count = 0
  }
}
