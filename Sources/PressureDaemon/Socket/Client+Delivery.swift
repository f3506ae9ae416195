internal import PressureKit
package import PressureProtocol

extension Client {
  /// Sends what this client wants of a batch, at its own rate.
  ///
  /// - Parameters:
  ///   - batch: the lines of one device.
  ///   - device: where they are from.
  ///   - number: the device's number in this daemon.
  ///   - now: microseconds of CLOCK_MONOTONIC.
  ///   - parcel: memory to work in, used again.
  /// - Returns: when the readings are due that are held, or nil where none is.
  @discardableResult
  func deliver(
    _ batch: Batch, of device: DeviceID, number: Int, at now: Int64, parcel: inout GatherWrite
  ) -> Int64? {
    guard takesEvents, subscription.wants(device) else { return due(of: number) }
    if subscription.isEveryFrame, paces.isEmpty {
      batch.gather(subscription.bits, of: number)
      counts.lines += batch.common.pieces.count
      send(batch.common)
      return nil
    }
    parcel.removeAll()
    let place = placeOfPace(number)
    paces[place].take(batch, for: subscription, at: now, into: &parcel)
    let due = due(of: number)
    if subscription.isEveryFrame { dropIdlePaces() }
    counts.lines += parcel.pieces.count
    send(parcel)
    return takesEvents ? due : nil
  }

  /// Whether the client gets happenings of this name, of a device or of none.
  func hears(_ name: EventName, of device: DeviceID? = nil) -> Bool {
    takesEvents && subscription.wants(name)
      && device.map(subscription.wants) ?? true
  }

  /// When the held readings of a device are due, or nil where none is held.
  func due(of number: Int) -> Int64? {
    guard takesEvents else { return nil }
    let pace = paces.first { $0.device == number }
    return pace.flatMap { $0.held.isEmpty ? nil : $0.due(interval: subscription.interval) }
  }

  /// Sends the held readings of a device if they are due.
  func sendDue(_ batch: Batch, number: Int, at now: Int64) {
    guard let due = due(of: number), due <= now else { return }
    sendHeld(batch, number: number, at: now)
  }

  /// Sends the held readings of a device, whenever they would be due.
  func sendHeld(_ batch: Batch, number: Int, at now: Int64) {
    guard takesEvents else { return }
    let place = placeOfPace(number)
    var parcel = GatherWrite()
    paces[place].release(paces[place].held.count, of: batch, at: now, into: &parcel)
    counts.lines += parcel.pieces.count
    send(parcel)
  }

  /// Hears from now on what is asked for; a reading that waits is judged anew.
  package func subscribe(to subscription: Subscription) {
    self.subscription = subscription
    for place in paces.indices { paces[place].keep(only: subscription) }
    if subscription.isEveryFrame { dropIdlePaces() }
  }

  /// Who gets every frame has no pace to keep, once nothing is held.
  private func dropIdlePaces() {
    for pace in paces where pace.held.isEmpty { counts.replaced += pace.replaced }
    paces.removeAll { $0.held.isEmpty }
  }

  /// A device has gone, or is no longer wanted.
  package func forget(_ number: Int) {
    for pace in paces where pace.device == number { counts.replaced += pace.replaced }
    paces.removeAll { $0.device == number }
  }

  private func placeOfPace(_ number: Int) -> Int {
    if let place = paces.firstIndex(where: { $0.device == number }) { return place }
    paces.append(RateLimiter(device: number))
    return paces.count - 1
  }
}
