internal import PressureKit
package import PressureProtocol

/// What a client has asked for, as far as it was understood.
package struct PendingRequest {
  /// The request, or nil where the line was none.
  package var request: Request?

  /// What to do, or what is wrong with the line.
  package var command: Result<Command, RequestError>

  /// Whether the connection ends with the answer.
  var isLast = false
}

/// A request that waits for a reading.
struct PendingWeigh {
  /// What it waits for.
  enum Condition {
    /// A stable reading of the device with this number, after so many, within so long.
    case stable(device: Int, count: Int, timeoutMilliseconds: Int)
    /// Readings that may be relied on, after which it is done.
    case settled(PendingRequest)
  }

  var request: Request

  var condition: Condition

  /// When to look again without news of a device, in microseconds of CLOCK_MONOTONIC.
  var due: Int64

  /// Whether news of a device may end the wait.
  func waits(for number: Int) -> Bool {
    switch condition {
    case .stable(let device, count: _, timeoutMilliseconds: _): device == number
    case .settled: true
    }
  }
}
