internal import CLinux
internal import Glibc
package import PressureDevices
package import PressureKit
package import PressureSystem

/// Plays a recording in real time or faster or slower, with its times shifted to CLOCK_MONOTONIC.
///
///     waiting ──rewind──▶ playing ──end──▶ over
///                          ▲    │            │
///                          ├loop┘            │   each loop continues at the time at which the one before ended
///                          └─────rewind──────┘   for a client that connects after all have left
package final class Player: InputSource {
  /// The minimum duration of a loop in microseconds: a recording of one frame must not keep the daemon busy.
  private static let shortestLoop: Int64 = 10_000

  /// The maximum time of an event after the start, in microseconds: 285 years.
  private static let longestWait = 9e15

  package let path: String
  private let isLooping: Bool
  private let speed: Double
  private var recording: Recording
  private var pending: InputEvent?
  private var origin: Int64?
  private var start: Int64 = 0
  private var lastTime: Int64 = 0
  private var isOver = false
  private var currentSlot: Int32?

  /// Opens a recording, whose device another file may describe, to be played at a speed above 0 in seconds per second.
  package init(path: String, describe: String?, isLooping: Bool, speed: Double)
    throws(ExitError)
  {
    self.path = path
    self.isLooping = isLooping
    self.speed = speed
    recording = try Recording(path: path, describe: describe, accepting: .regular)
  }

  /// The device, with the slot to which the next event belongs.
  package var description: DeviceDescription {
    var description = recording.description
    description.currentSlot = currentSlot ?? description.currentSlot
    return description
  }

  package private(set) var error: ExitError?

  package var warnings: [String] { recording.warnings }

  /// Returns to the start of the recording, which is due at `now`.
  package func rewind(to now: Int64) throws(ExitError) {
    recording = try Recording(path: path, given: recording.given, accepting: .regular)
    (pending, origin, start, lastTime, isOver) = (nil, nil, now, now, false)
    currentSlot = nil
  }

  package var descriptor: Int32 { -1 }

  package var hasMore: Bool { !isOver }

  package var aheadTime: Timestamp? {
    isOver ? nil : Timestamp(microseconds: pending.map(dueTime) ?? lastTime)
  }

  package func readOnce() {}

  package func next(into batch: inout InputBatch, at now: Int64) -> InputStep {
    guard !isOver else { return .finished }
    // A loop of a recording without events lasts `shortestLoop`, too.
    guard now >= start else { return .wait(start) }
    do throws(ExitError) {
      if pending == nil { pending = try recording.next() }
      guard var event = pending else {
        guard isLooping else {
          isOver = true
          return .finished
        }
        try rewind(to: max(lastTime, start + Player.shortestLoop))
        return .restart
      }
      origin = origin ?? event.time.microseconds
      let time = dueTime(of: event)
      guard time <= now else { return .wait(time) }
      (pending, lastTime) = (nil, time)
      if event.code == .slot { currentSlot = event.value }
      event.time = Timestamp(microseconds: time)
      batch.removeAll()
      batch.append(event)
      return .events
    } catch {
      (isOver, self.error) = (true, error)
      return .finished
    }
  }

  /// When an event is due, in microseconds of CLOCK_MONOTONIC.
  private func dueTime(of event: InputEvent) -> Int64 {
    let recorded = event.time.microseconds
    let passed = Double(recorded &- (origin ?? recorded)) / speed
    return start + Int64(min(passed, Player.longestWait))
  }
}
