internal import PressureClient
internal import PressureKit
package import PressureProtocol

extension Client {
  /// Sends the lines of a batch that the client subscribed to, within its rate limit; returns when held readings are due.
  ///
  /// Times are in microseconds of CLOCK_MONOTONIC; nil if none is held. `gatherWrite` is scratch memory.
  @discardableResult
  func deliver(
    _ batch: Batch, of device: DeviceID, number: Int, at now: Int64, gatherWrite: inout GatherWrite
  ) -> Int64? {
    guard acceptsEvents, subscription.includes(device) else { return due(of: number) }
    if subscription.isEveryFrame, rateLimiters.isEmpty {
      batch.gather(subscription.eventMask, of: number)
      counts.lines += batch.common.pieces.count
      send(batch.common, of: batch.bytes)
      return nil
    }
    gatherWrite.removeAll()
    let index = rateLimiterIndex(number)
    counts.replaced += rateLimiters[index].collect(
      batch, for: subscription, at: now, into: &gatherWrite)
    let due = due(of: number)
    if subscription.isEveryFrame { removeIdleRateLimiters() }
    counts.lines += gatherWrite.pieces.count
    send(gatherWrite, of: batch.bytes)
    return acceptsEvents ? due : nil
  }

  /// Whether the client may receive events of a device at all, whatever it has subscribed to.
  @inline(__always) func mayReceive(_ served: ServedDevice) -> Bool {
    !seats.isDisjoint(with: served.seat)
  }

  func receives(_ name: EventName, of device: DeviceID? = nil) -> Bool {
    acceptsEvents && subscription.includes(name)
      && device.map(subscription.includes) ?? true
  }

  /// When the held readings of a device are due, or nil if none is held.
  func due(of number: Int) -> Int64? {
    guard acceptsEvents else { return nil }
    let rateLimiter = rateLimiters.first { $0.device == number }
    return rateLimiter.flatMap { $0.held.isEmpty ? nil : $0.due(interval: subscription.interval) }
  }

  func sendDue(_ batch: Batch, number: Int, at now: Int64) {
    guard let due = due(of: number), due <= now else { return }
    sendHeld(batch, number: number, at: now)
  }

  func sendHeld(_ batch: Batch, number: Int, at now: Int64) {
    guard acceptsEvents else { return }
    let index = rateLimiterIndex(number)
    var gatherWrite = GatherWrite()
    rateLimiters[index].release(before: 0, of: batch, at: now, into: &gatherWrite)
    counts.lines += gatherWrite.pieces.count
    send(gatherWrite, of: batch.bytes)
  }

  /// Applies a new subscription, also to held readings.
  package func subscribe(to subscription: Subscription) {
    self.subscription = subscription
    for index in rateLimiters.indices { rateLimiters[index].discardHeld(unwantedBy: subscription) }
    if subscription.isEveryFrame { removeIdleRateLimiters() }
  }

  private func removeIdleRateLimiters() {
    rateLimiters.removeAll { $0.held.isEmpty }
  }

  /// Drops the rate limiter of a device that was removed or is no longer wanted.
  package func forget(_ number: Int) {
    rateLimiters.removeAll { $0.device == number }
  }

  private func rateLimiterIndex(_ number: Int) -> Int {
    if let index = rateLimiters.firstIndex(where: { $0.device == number }) { return index }
    rateLimiters.append(RateLimiter(device: number))
    return rateLimiters.count - 1
  }
}

/// Limits the readings of one device that one client receives.
///
/// The readings of one frame are sent together, or held together until the next ones are due:
///
///              a frame that is due
///     free ────────────────────▶ waiting ──a frame that is not due─▶ holding the newest of each subject
///      ▲                          │   ▲                               │
///      └─────────────due──────────┘   └────due, or a later line───────┘
package struct RateLimiter {
  package let device: Int

  /// When the last reading was sent, in microseconds of CLOCK_MONOTONIC, or nil before the first.
  private var sentAt: Int64?

  /// The subjects of the held readings, in the order of these; their bytes are in the batch.
  package private(set) var held: [Batch.Subject] = []

  /// The frame of this batch whose readings are sent.
  private var frame: Timestamp?

  private var lastTotal: Double?

  /// How many readings of this batch superseded others that were not due.
  private var replaced = 0

  init(device: Int) {
    self.device = device
  }

  /// Whether a reading changes too little to be sent; if one is held, it supersedes that one.
  func isBelowMinimumChange(_ line: Batch.Line, for subscription: Subscription) -> Bool {
    guard subscription.minimumChange > 0, !line.isSignificant, let total = line.total, let lastTotal
    else { return false }
    guard !held.contains(line.subject) else { return false }
    return (total - lastTotal).magnitude < subscription.minimumChange
  }

  /// Whether a reading is sent now, and not held; `rest` has the lines of its frame from it on.
  package mutating func admits(
    _ line: Batch.Line, of rest: @autoclosure () -> ArraySlice<Batch.Line>, at now: Int64,
    interval: Int64
  ) -> Bool {
    lastTotal = line.total ?? lastTotal
    forget(line.subject)
    if frame == line.time { return true }
    guard now >= due(interval: interval) else {
      held.append(line.subject)
      return false
    }
    if !held.isEmpty {
      for other in rest() where other.isCoalescible { forget(other.subject) }
    }
    frame = line.time
    sentAt = now
    return true
  }

  /// Usually nothing is held, and `removeAll` is not free.
  private mutating func forget(_ subject: Batch.Subject) {
    guard !held.isEmpty else { return }
    let count = held.count
    held.removeAll { $0 == subject }
    replaced += count - held.count
  }

  /// When the next reading may be sent, in microseconds of CLOCK_MONOTONIC.
  ///
  /// The interval is a parameter because a new subscription takes effect at once.
  func due(interval: Int64) -> Int64 {
    sentAt.map { $0 + interval } ?? 0
  }

  mutating func discardHeld(unwantedBy subscription: Subscription) {
    held.removeAll { !subscription.includes($0.name) }
  }
}

extension RateLimiter {
  /// Appends the wanted and due lines of a batch to a write; returns how many held readings newer ones have superseded.
  package mutating func collect(
    _ batch: Batch, for subscription: Subscription, at now: Int64,
    into gatherWrite: inout GatherWrite
  ) -> Int {
    (frame, replaced) = (nil, 0)
    for index in batch.lines.indices where subscription.includes(batch.lines[index].subject.name) {
      let line = batch.lines[index]
      if line.isCoalescible {
        if isBelowMinimumChange(line, for: subscription) { continue }
        let isAdmitted = admits(
          line, of: batch.frame(from: index), at: now, interval: subscription.interval)
        guard isAdmitted else { continue }
      }
      release(before: index, of: batch, at: now, into: &gatherWrite)
      gatherWrite.append(batch.range(of: index), key: line.key(of: device))
    }
    return replaced
  }

  /// Appends all held readings, which are older than the line of a batch at an index.
  package mutating func release(
    before index: Int, of batch: Batch, at now: Int64, into gatherWrite: inout GatherWrite
  ) {
    guard !held.isEmpty else { return }
    for subject in held {
      guard let range = batch.range(of: subject, before: index) else { continue }
      gatherWrite.append(range, key: subject.key(of: device))
    }
    held.removeAll(keepingCapacity: true)
    sentAt = now
  }
}
