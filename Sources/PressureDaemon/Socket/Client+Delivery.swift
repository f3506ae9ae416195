internal import PressureKit
package import PressureProtocol

extension Client {
  /// Sends the lines of a batch that the client subscribed to, within its rate limit.
  ///
  /// - Parameters:
  ///   - batch: the lines of one device.
  ///   - device: the device's identifier.
  ///   - number: the device's number in this daemon.
  ///   - now: microseconds of CLOCK_MONOTONIC.
  ///   - gatherWrite: scratch memory, reused between calls.
  /// - Returns: when the held readings are due, in microseconds of CLOCK_MONOTONIC, or nil if none is held.
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

  /// Whether the client receives events with this name, of a device or of the daemon.
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

  /// Sends the held readings of a device if they are due.
  func sendDue(_ batch: Batch, number: Int, at now: Int64) {
    guard let due = due(of: number), due <= now else { return }
    sendHeld(batch, number: number, at: now)
  }

  /// Sends the held readings of a device, due or not.
  func sendHeld(_ batch: Batch, number: Int, at now: Int64) {
    guard acceptsEvents else { return }
    let index = rateLimiterIndex(number)
    var gatherWrite = GatherWrite()
    rateLimiters[index].release(
      rateLimiters[index].held.count, of: batch, at: now, into: &gatherWrite)
    counts.lines += gatherWrite.pieces.count
    send(gatherWrite, of: batch.bytes)
  }

  /// Applies a new subscription, also to held readings.
  package func subscribe(to subscription: Subscription) {
    self.subscription = subscription
    for index in rateLimiters.indices { rateLimiters[index].discardHeld(unwantedBy: subscription) }
    if subscription.isEveryFrame { removeIdleRateLimiters() }
  }

  /// Removes rate limiters that a client without a rate limit no longer needs.
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
