internal import PressureClient
package import PressureKit
package import PressureProtocol

/// How far one client is with the readings of one device.
///
/// Those of one frame go out together, or are held together until the next ones are due:
///
///              a frame, and due
///     free ────────────────────▶ waiting ──a frame, and not due──▶ holding, the newest of each subject
///      ▲                          │   ▲                               │
///      └────────────due───────────┘   └──due, or a line that is later─┘
package struct RateLimiter {
  /// A reading that waits; its bytes are in the batch.
  package struct Held: Hashable {
    package var subject: Batch.Subject
    package var time: Timestamp
  }

  /// The device's number.
  package let device: Int

  /// When the last reading went out, in microseconds of CLOCK_MONOTONIC, or nil before the first.
  private var sentAt: Int64?

  /// The readings that wait, in the order of their times.
  package private(set) var held: [Held] = []

  /// The frame of this batch that goes out.
  private var frame: Timestamp?

  private var lastTotal: Double?

  /// How many readings a newer one has replaced before they were due.
  private(set) var replaced = 0

  init(device: Int) {
    self.device = device
  }

  /// Frames of another batch follow.
  mutating func beginBatch() {
    frame = nil
  }

  /// Whether a reading says too little new to be sent at all; where one is held, it is the newer one.
  func isBelowMinimumChange(_ line: Batch.Line, for subscription: Subscription) -> Bool {
    guard subscription.minimumChange > 0, !line.isSignificant, let total = line.total, let lastTotal
    else { return false }
    guard !held.contains(where: { $0.subject == line.subject }) else { return false }
    return (total - lastTotal).magnitude < subscription.minimumChange
  }

  /// Decides on a reading.
  ///
  /// - Parameters:
  ///   - line: the reading.
  ///   - rest: the frame that it is of, from it on.
  ///   - now: microseconds of CLOCK_MONOTONIC.
  ///   - interval: microseconds between two readings.
  /// - Returns: true to send it now; otherwise it is held.
  package mutating func admits(
    _ line: Batch.Line, of rest: @autoclosure () -> ArraySlice<Batch.Line>, at now: Int64,
    interval: Int64
  ) -> Bool {
    lastTotal = line.total ?? lastTotal
    forget(line.subject)
    if frame == line.time { return true }
    guard now >= due(interval: interval) else {
      held.append(Held(subject: line.subject, time: line.time))
      return false
    }
    if !held.isEmpty {
      for other in rest() where other.isState { forget(other.subject) }
    }
    frame = line.time
    sentAt = now
    return true
  }

  /// Most of the time nothing is held, and removing nothing is not free.
  private mutating func forget(_ subject: Batch.Subject) {
    guard !held.isEmpty else { return }
    let count = held.count
    held.removeAll { $0.subject == subject }
    replaced += count - held.count
  }

  /// When the next reading may go out, in microseconds of CLOCK_MONOTONIC.
  ///
  /// It is asked for with the interval of the moment, as a new subscription counts at once.
  func due(interval: Int64) -> Int64 {
    sentAt.map { $0 + interval } ?? 0
  }

  /// How many of the held readings must go out before a line: all that are older, and its own subject's.
  func heldCount(before line: Batch.Line) -> Int {
    let last = held.lastIndex { $0.time < line.time || $0.subject == line.subject }
    return last.map { $0 + 1 } ?? 0
  }

  /// So many of the held readings have gone out.
  mutating func recordSent(_ count: Int, at now: Int64) {
    held.removeFirst(count)
    sentAt = now
  }

  /// Holds no more readings that are not wanted.
  mutating func discardHeld(unwantedBy subscription: Subscription) {
    held.removeAll { !subscription.wants($0.subject.name) }
  }
}

extension RateLimiter {
  /// Puts what is wanted of a batch, and due, into the gatherWrite.
  package mutating func collect(
    _ batch: Batch, for subscription: Subscription, at now: Int64,
    into gatherWrite: inout GatherWrite
  ) {
    beginBatch()
    for index in batch.lines.indices where subscription.wants(batch.lines[index].subject.name) {
      let line = batch.lines[index]
      if line.isState {
        if isBelowMinimumChange(line, for: subscription) { continue }
        let isAdmitted = admits(
          line, of: batch.frame(from: index), at: now, interval: subscription.interval)
        guard isAdmitted else { continue }
      }
      release(heldCount(before: line), of: batch, at: now, into: &gatherWrite)
      gatherWrite.append(batch.bytes(of: line), key: line.key(of: device))
    }
  }

  /// Puts the first of the readings that are held into the gatherWrite.
  package mutating func release(
    _ count: Int, of batch: Batch, at now: Int64, into gatherWrite: inout GatherWrite
  ) {
    guard count > 0 else { return }
    for held in held.prefix(count) {
      gatherWrite.append(batch.bytes(of: held), key: held.subject.key(of: device))
    }
    recordSent(count, at: now)
  }
}
