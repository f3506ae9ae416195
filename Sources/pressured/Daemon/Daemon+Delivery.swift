internal import PressureKit

extension Daemon {
  /// Encodes once what a device's engine has said, and gives each client what it wants of it.
  func publish(_ served: ServedDevice) {
    if served.encode() { deliver(served) }
  }

  /// Gives each client what it wants of a device's batch.
  func deliver(_ served: ServedDevice) {
    let now = loop.now
    var earliest: Int64?
    for client in clients {
      client.deliver(
        served.batch, of: served.id, number: served.number, at: now, pieces: &pieces)
      if let due = client.due(of: served.number) { earliest = min(earliest ?? due, due) }
    }
    if let earliest {
      served.batch.keepReadings()
      setDueTimer(to: earliest)
    }
    sweepLater()
  }

  /// Sends the readings that have waited for their time.
  func sendDueReadings() {
    let now = loop.now
    dueAt = nil
    var earliest: Int64?
    for served in devices {
      for client in clients {
        client.sendDue(served.batch, number: served.number, at: now)
        if let due = client.due(of: served.number) { earliest = min(earliest ?? due, due) }
      }
    }
    if let earliest { setDueTimer(to: earliest) }
    sweepLater()
  }

  /// The timer is set only where that makes it earlier: setting it costs a system call.
  private func setDueTimer(to moment: Int64) {
    guard moment < dueAt ?? .max else { return }
    dueAt = moment
    dueTimer.set(to: moment)
  }
}
