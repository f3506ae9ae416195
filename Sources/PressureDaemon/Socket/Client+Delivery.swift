internal import PressureClient
internal import PressureKit
package import PressureProtocol

extension Client {
  /// Sends the lines of a batch that the client subscribed to, within its rate limit; returns when held readings are due.
  ///
  /// Times are in microseconds of CLOCK_MONOTONIC; nil if none is held. `gatherWrite` is scratch memory.
  @discardableResult
  func deliver(
    _ batch: Batch, of device: DeviceID, at now: Int64, gatherWrite: inout GatherWrite
  ) -> Int64? {
    let number = batch.number
    guard acceptsEvents, subscription.includes(device) else { return due(of: number) }
    if subscription.isEveryFrame, rateLimiters.isEmpty {
      batch.gather(subscription.eventMask)
      counts.lines += batch.common.pieces.count
      send(batch.common, of: batch.bytes)
      return nil
    }
    gatherWrite.removeAll()
    let index = rateLimiters.firstIndex { $0.device == number } ?? rateLimiters.count
    if index == rateLimiters.count { rateLimiters.append(RateLimiter(device: number)) }
    counts.replaced += rateLimiters[index].collect(
      batch, for: subscription, at: now, into: &gatherWrite)
    let due = due(of: number)
    if subscription.isEveryFrame { rateLimiters.removeAll { $0.held.isEmpty } }
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

  /// Sends the held readings of a device; `state` returns the newest of a subject.
  func sendHeld(_ batch: Batch, at now: Int64, _ state: (Subject) -> Event?) {
    guard acceptsEvents,
      let index = rateLimiters.firstIndex(where: { $0.device == batch.number && !$0.held.isEmpty })
    else { return }
    var gatherWrite = GatherWrite()
    for subject in rateLimiters[index].held {
      guard let range = batch.range(ofStateOf: subject, state) else { continue }
      gatherWrite.append(range, key: subject)
    }
    rateLimiters[index].held.removeAll(keepingCapacity: true)
    rateLimiters[index].sentAt = now
    counts.lines += gatherWrite.pieces.count
    send(gatherWrite, of: batch.bytes)
  }

  /// Applies a new subscription, also to held readings.
  package func subscribe(to subscription: Subscription) {
    self.subscription = subscription
    for index in rateLimiters.indices {
      rateLimiters[index].held.removeAll { !subscription.includes($0.name) }
    }
    if subscription.isEveryFrame { rateLimiters.removeAll { $0.held.isEmpty } }
  }

  /// Drops the rate limiter of a device that was removed or is no longer wanted.
  package func forget(_ number: Int) {
    rateLimiters.removeAll { $0.device == number }
  }
}

/// Limits the readings of one device that one client receives.
///
/// The readings of one frame are sent together. Those of later frames are held until the next ones are due, when the newest of
/// each subject is sent; a lossless event of the subject replaces them, too:
///
///              a frame that is due
///     free ────────────────────▶ waiting ──a frame that is not due─▶ holding subjects
///      ▲                          │   ▲                               │
///      └─────────────due──────────┘   └──────────────due──────────────┘
package struct RateLimiter {
  package let device: Int

  /// When the last reading was sent, in microseconds of CLOCK_MONOTONIC, or nil before the first.
  fileprivate var sentAt: Int64?

  /// The subjects of the held readings, in the order of these.
  package fileprivate(set) var held: [Subject] = []

  private var lastTotal: Double?

  init(device: Int) {
    self.device = device
  }

  /// Appends the wanted and due lines of a batch to a write; returns how many held readings newer ones have superseded.
  mutating func collect(
    _ batch: Batch, for subscription: Subscription, at now: Int64,
    into gatherWrite: inout GatherWrite
  ) -> Int {
    var (frame, replaced) = (Timestamp?.none, 0)
    for index in batch.lines.indices where subscription.includes(batch.lines[index].subject.name) {
      let line = batch.lines[index]
      let place = held.isEmpty ? nil : held.firstIndex(of: line.subject)
      if place != nil { replaced += 1 }
      if line.isCoalescible {
        if place == nil, isBelowMinimumChange(line, for: subscription) { continue }
        lastTotal = line.total ?? lastTotal
        if frame != line.time {
          guard held.isEmpty, now >= due(interval: subscription.interval) else {
            if place == nil { held.append(line.subject) }
            continue
          }
          (frame, sentAt) = (line.time, now)
        }
      } else if let place {
        held.remove(at: place)
      }
      gatherWrite.append(batch.range(of: index), key: line.key)
    }
    return replaced
  }

  /// Whether a reading changes too little to be sent.
  private func isBelowMinimumChange(_ line: Batch.Line, for subscription: Subscription) -> Bool {
    guard subscription.minimumChange > 0, !line.isSignificant, let total = line.total, let lastTotal
    else { return false }
    return (total - lastTotal).magnitude < subscription.minimumChange
  }

  /// When the next reading may be sent, in microseconds of CLOCK_MONOTONIC.
  ///
  /// The interval is a parameter because a new subscription takes effect at once.
  func due(interval: Int64) -> Int64 {
    sentAt.map { $0 + interval } ?? 0
  }
}
