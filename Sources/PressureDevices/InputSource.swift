package import PressureKit

/// Where the events of one device come from: a kernel device, a pipe or a recording.
package protocol InputSource: AnyObject {
  var description: DeviceDescription { get }

  /// The descriptor that is readable when there are new events; negative if only time brings them.
  var descriptor: Int32 { get }

  /// Whether `next` may have events for which the descriptor will not become readable.
  var hasMore: Bool { get }

  /// A time that no unread event in memory precedes, or nil if there is none.
  var aheadTime: Timestamp? { get }

  /// Replaces the content of a batch with the next events, up to the end of a frame.
  ///
  /// - Parameters:
  ///   - batch: its content is undefined if there are no events.
  ///   - now: the time by which they have happened, in microseconds of CLOCK_MONOTONIC.
  /// - Returns: whether there are events, or why there are none.
  func next(into batch: inout InputBatch, at now: Int64) -> InputStep

  /// Reads once; until `next` has returned `empty`, it returns nothing that happens after this call.
  func readOnce()

  /// Reads pending events into memory before the kernel's queue overflows.
  func readAhead()
}

extension InputSource {
  package func readAhead() { readOnce() }
}

package enum InputStep {
  case events
  /// Nothing for now; the source wakes the loop.
  case empty
  /// Nothing before this time, in microseconds of CLOCK_MONOTONIC.
  case wait(Int64)
  /// The recording restarts; all slots are empty.
  case restart
  /// No further events, and the device stays.
  case finished
  /// The device is gone, or may no longer be read.
  case gone
}
