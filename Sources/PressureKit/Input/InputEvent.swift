/// One value sent by a device or read from a recording.
///
/// The corresponding kernel structure is `input_event`.
public struct InputEvent: Hashable, Sendable {
  /// The time at which the kernel received the value.
  public var time: Timestamp

  /// The type and code.
  public var code: EventCode

  /// The value, in units of the axis or as defined for the code.
  public var value: Int32

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - time: when the kernel received the value.
  ///   - code: the type and code.
  ///   - value: the value, in units of the axis or as defined for the code.
  public init(time: Timestamp, code: EventCode, value: Int32) {
    self.time = time
    self.code = code
    self.value = value
  }
}

/// A time on the clock that stamps a device's events, in microseconds.
///
/// CLOCK_MONOTONIC for a live device; the file's own time for a recording.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Microseconds since the clock's origin.
  public var microseconds: Int64

  /// Creates a time from microseconds since the clock's origin.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Converts the kernel's pair of numbers; nil on overflow.
  ///
  /// The corresponding kernel fields are `input_event.time.tv_sec` and `tv_usec`.
  public init?(seconds: Int64, microseconds: Int64) {
    let (scaled, tooMany) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, tooLarge) = scaled.addingReportingOverflow(microseconds)
    guard !tooMany, !tooLarge else { return nil }
    self.microseconds = sum
  }

  /// Whether the left time is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.microseconds < right.microseconds
  }

  /// The time later by a number of microseconds, clamped to the range of the type.
  package func advanced(byMicroseconds microseconds: Int64) -> Timestamp {
    let (sum, didOverflow) = self.microseconds.addingReportingOverflow(microseconds)
    return Timestamp(microseconds: didOverflow ? (microseconds < 0 ? .min : .max) : sum)
  }

  static func earliest(_ one: Timestamp?, _ other: Timestamp?) -> Timestamp? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }

  /// Microseconds since another time, clamped to the range of the type.
  package func microseconds(since other: Timestamp) -> Int64 {
    let (span, didOverflow) = microseconds.subtractingReportingOverflow(other.microseconds)
    return didOverflow ? (self < other ? .min : .max) : span
  }
}

/// At most a frame: a call of source and engine for each event would cost more than what they do.
package struct InputBatch: ~Copyable {
  /// The maximum number of events; a frame of ten contacts has about forty.
  @inlinable package static var capacity: Int { 64 }

  @usableFromInline let storage: UnsafeMutablePointer<InputEvent>
  @usableFromInline package private(set) var count = 0

  package init() {
    storage = .allocate(capacity: InputBatch.capacity)
  }

  deinit { storage.deallocate() }

  @inlinable @inline(__always)
  package var isEmpty: Bool { count == 0 }

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

  @inlinable @inline(__always)
  package mutating func removeAll() { count = 0 }
}
