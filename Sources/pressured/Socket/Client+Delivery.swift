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
    paces[place].beginBatch()
    for index in batch.lines.indices where subscription.wants(batch.lines[index].subject.name) {
      let line = batch.lines[index]
      if line.isState {
        let rest = batch.frame(from: index)
        if paces[place].isTooSmall(line, for: subscription) { continue }
        guard paces[place].admits(line, of: rest, at: now, interval: interval) else { continue }
      }
      sendHeld(paces[place].countBefore(line), of: place, in: batch, at: now, pieces: &pieces)
      let key = line.isState ? key(of: line.subject, number) : nil
      pieces.append(Piece(bytes: batch.bytes(of: line), key: key))
    }
    send(pieces)
  }

  /// Whether the client is told of happenings of this name that are no device's.
  func hears(_ name: EventName) -> Bool {
    !isLeaving && !isBroken && subscription.wants(name)
  }

  /// When the held readings of a device are due, or nil where none is held.
  func due(of number: Int) -> Int64? {
    guard !isLeaving, !isBroken else { return nil }
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
    guard !isLeaving, !isBroken else { return }
    let place = placeOfPace(number)
    var pieces: [Piece] = []
    sendHeld(paces[place].held.count, of: place, in: batch, at: now, pieces: &pieces)
    send(pieces)
  }

  /// Hears from now on what is asked for; a reading that waits is judged anew.
  func subscribe(to subscription: Subscription) {
    self.subscription = subscription
    for place in paces.indices { paces[place].keep(only: subscription) }
  }

  /// A device has gone, or is no longer wanted.
  func forget(_ number: Int) {
    paces.removeAll { $0.device == number }
  }

  private func placeOfPace(_ number: Int) -> Int {
    if let place = paces.firstIndex(where: { $0.device == number }) { return place }
    paces.append(Pace(device: number))
    return paces.count - 1
  }

  /// Puts the first of the readings that a pace holds among the pieces.
  private func sendHeld(
    _ count: Int, of place: Int, in batch: Batch, at now: Int64, pieces: inout [Piece]
  ) {
    guard count > 0 else { return }
    for held in paces[place].held.prefix(count) {
      let key = key(of: held.subject, paces[place].device)
      pieces.append(Piece(bytes: batch.bytes(of: held), key: key))
    }
    paces[place].sent(count, at: now)
  }

  private func key(of subject: Batch.Subject, _ number: Int) -> Outbox.Key {
    Outbox.Key(name: subject.name, device: number, contact: subject.contact)
  }
}
