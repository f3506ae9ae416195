internal import PressureKit

extension Client {
  /// Sends what this client wants of a batch, at its own rate.
  ///
  /// - Parameters:
  ///   - batch: the lines of one device.
  ///   - device: where they are from.
  ///   - number: the device's number in this daemon.
  ///   - now: microseconds of CLOCK_MONOTONIC.
  ///   - pieces: memory to work in, used again.
  func deliver(
    _ batch: Batch, of device: DeviceID, number: Int, at now: Int64, pieces: inout [Piece]
  ) {
    guard !isLeaving, !isBroken, subscription.wants(device) else { return }
    pieces.removeAll(keepingCapacity: true)
    let interval = subscription.interval
    let place = placeOfPace(number)
    var waiting = paces[place].held == nil ? nil : batch.reading
    for line in batch.lines where subscription.wants(line.name) {
      if line.name == .weight {
        if paces[place].isTooSmall(line, for: subscription) { continue }
        waiting = nil
        guard paces[place].admits(line, at: now, interval: interval) else {
          waiting = batch.bytes(of: line)
          continue
        }
      } else if let reading = waiting, let held = paces[place].held, held < line.time {
        pieces.append(Piece(bytes: reading, key: weightKey(number)))
        paces[place].sent(at: now, interval: interval)
        waiting = nil
      }
      let key = line.isState ? weightKey(number) : nil
      pieces.append(Piece(bytes: batch.bytes(of: line), key: key))
    }
    send(pieces)
  }

  /// Whether the client is told of happenings of this name that are no device's.
  func hears(_ name: EventName) -> Bool {
    !isLeaving && !isBroken && subscription.wants(name)
  }

  /// When the next held reading of a device is due, or nil where none is held.
  func due(of number: Int) -> Int64? {
    guard !isLeaving, !isBroken else { return nil }
    let pace = paces.first { $0.device == number }
    return pace.flatMap { $0.held == nil ? nil : $0.due }
  }

  /// Sends the held reading of a device if it is due.
  func sendDue(_ batch: Batch, number: Int, at now: Int64) {
    guard let due = due(of: number), due <= now else { return }
    paces[placeOfPace(number)].sent(at: now, interval: subscription.interval)
    send([Piece(bytes: batch.reading, key: weightKey(number))])
  }

  /// Hears from now on what is asked for; a reading that waits is judged anew.
  func subscribe(to subscription: Subscription) {
    self.subscription = subscription
    paces.removeAll { !subscription.wants(.weight) && $0.held != nil }
  }

  /// A device has gone.
  func forget(_ number: Int) {
    paces.removeAll { $0.device == number }
  }

  private func placeOfPace(_ number: Int) -> Int {
    if let place = paces.firstIndex(where: { $0.device == number }) { return place }
    paces.append(Pace(device: number))
    return paces.count - 1
  }

  private func weightKey(_ number: Int) -> Outbox.Key {
    Outbox.Key(name: .weight, device: number)
  }
}
