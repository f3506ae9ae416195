internal import PressureKit
internal import PressureLoop
internal import PressureSystem

/// Delivers batches to clients, and by a timer the readings that rate limits have held.
///
/// Exclusivity checks are off for the scratch memory: it is used for each client and batch, and no callee re-enters.
final class Delivery {
  private let loop: EventLoop
  let work: WorkMeter
  private let timer: EventSource

  /// Scratch memory for the lines of a client, reused.
  @exclusivity(unchecked) private var gatherWrite = GatherWrite()

  /// Creates a delivery that calls `sendDue` when held readings are due.
  init(loop: EventLoop, work: WorkMeter, sendDue: @escaping () -> Void) throws(SystemError) {
    self.loop = loop
    self.work = work
    timer = try loop.timer(sendDue)
  }

  /// Delivers a device's batch to all clients.
  ///
  /// - Parameters:
  ///   - served: the device.
  ///   - clients: all clients.
  ///   - now: microseconds of CLOCK_MONOTONIC.
  func deliver(_ served: ServedDevice, to clients: [Client], at now: Int64) {
    let (batch, id, number) = (served.batch, served.id, served.number)
    var earliest: Int64?
    for client in clients where client.mayReceive(served) {
      let due = client.deliver(batch, of: id, number: number, at: now, gatherWrite: &gatherWrite)
      if let due { earliest = min(earliest ?? due, due) }
      work.count(batch.bytes.count)
    }
    batch.finish(isHeld: earliest != nil)
    if let earliest { timer.set(noLaterThan: earliest) }
  }

  /// Sends the held readings that are due.
  func sendDue(of devices: [ServedDevice], to clients: [Client]) {
    let now = loop.now
    var earliest: Int64?
    for served in devices {
      for client in clients {
        client.sendDue(served.batch, number: served.number, at: now)
        if let due = client.due(of: served.number) { earliest = min(earliest ?? due, due) }
      }
    }
    timer.set(to: earliest)
  }

  /// Sends overdue readings while turns keep the loop from firing the timer.
  func fireIfDue(at now: Int64) {
    timer.fireIfDue(at: now)
  }
}
