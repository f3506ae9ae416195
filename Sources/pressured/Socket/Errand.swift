internal import PressureKit

/// What a client has asked for, as far as it was understood.
struct Errand {
  /// The request, or nil where the line was none.
  var request: Request?

  /// What to do, or what is wrong with the line.
  var command: Result<Command, RequestFault>

  /// Whether the connection ends with the answer.
  var isLast = false
}

/// Somebody waits for a stable reading.
struct PendingWeigh {
  var request: Request

  /// The number of the device in this daemon.
  var device: Int

  /// How many stable readings there had been.
  var count: Int

  var timeoutMilliseconds: Int

  /// When it is too late, in microseconds of CLOCK_MONOTONIC.
  var due: Int64
}
