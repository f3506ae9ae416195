internal import PressureKit

extension Daemon {
  /// Encodes once what a device's engine has said, and gives each client what it wants of it.
  func publish(_ served: ServedDevice) {
    // First, as it takes no time, and giving it to hundreds of clients may.
    pulse(served)
    let wanted = clients.reduce(0) { $0 | $1.subscription.bits }
    if served.encode(wanted: wanted) { deliver(served) }
    warnOfNarrow(served)
    setDeadlineTimer()
    lookForWeighs(on: served)
    if served.renewal != .none { renewalTimer.set(noLaterThan: loop.now) }
  }

  /// Gives each client what it wants of a device's batch.
  func deliver(_ served: ServedDevice) {
    let now = loop.now
    let (batch, id, number) = (served.batch, served.id, served.number)
    var earliest: Int64?
    for client in clients {
      spend(batch.byteCount)
      let due = client.deliver(batch, of: id, number: number, at: now, parcel: &parcel)
      if let due { earliest = min(earliest ?? due, due) }
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

  /// Lets those engines speak whose deadline has come.
  func passDeadlines() {
    deadline = nil
    for served in devices where served.engine.deadline != nil {
      served.advance(to: now)
      publish(served)
    }
    setDeadlineTimer()
  }

  /// The timer is set only where that makes it earlier, or stops it: a load in motion moves its deadline
  /// with each frame, and setting it costs a system call.
  private func setDeadlineTimer() {
    var earliest: Timestamp?
    for served in devices {
      guard let due = served.engine.deadline else { continue }
      earliest = min(earliest ?? due, due)
    }
    if let earliest, let deadline, earliest >= deadline { return }
    guard earliest != deadline else { return }
    deadline = earliest
    deadlineTimer.set(to: earliest?.microseconds)
  }

  /// The timer is set only where that makes it earlier: setting it costs a system call.
  private func setDueTimer(to moment: Int64) {
    guard moment < dueAt ?? .max else { return }
    dueAt = moment
    dueTimer.set(to: moment)
  }
}
