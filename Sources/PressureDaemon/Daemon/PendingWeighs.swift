internal import PressureLoop
internal import PressureProtocol
internal import PressureSystem

/// When the requests that wait for a reading are checked again; each waits in the client that has sent it.
final class PendingWeighs {
  private let loop: EventLoop
  private let timer: EventSource

  init(loop: EventLoop, resolve: @escaping () -> Void) throws(SystemError) {
    self.loop = loop
    timer = try loop.timer(resolve)
  }

  /// Whether no request waits.
  private(set) var isEmpty = true

  /// Sets the timer to when the first request times out or is checked again, unless `resolveSoon` has set it earlier.
  func setTimer(for clients: [Client]) {
    let due = clients.compactMap(\.pending?.due).min()
    isEmpty = due == nil
    if let due { timer.set(noLaterThan: due) } else { timer.set(to: nil) }
  }

  /// Makes all requests due if one waits for this device, for the timer or, if turns keep the loop busy, for the next
  /// turn.
  func resolveSoon(of device: Int, _ clients: [Client]) {
    guard clients.contains(where: { $0.pending?.waits(for: device) ?? false }) else { return }
    timer.set(noLaterThan: loop.now)
  }

  /// Resolves due requests while turns keep the loop from firing the timer.
  func fireIfDue(at now: Int64) {
    timer.fireIfDue(at: now)
  }
}

/// A request that waits for a reading.
struct PendingWeigh {
  /// What ends the wait.
  enum Condition {
    /// A stable reading of the device with this number, after its first `count` ones, within the timeout.
    case stable(device: Int, count: Int, timeoutMilliseconds: Int)
    /// Settled scales, after which the request is executed.
    case settled(PendingRequest)
  }

  var request: Request

  var condition: Condition

  /// When to check again even without device events, in microseconds of CLOCK_MONOTONIC.
  var due: Int64

  /// Whether events of a device may end the wait.
  func waits(for number: Int) -> Bool {
    switch condition {
    case .stable(let device, count: _, timeoutMilliseconds: _): device == number
    case .settled: true
    }
  }
}
