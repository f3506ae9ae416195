internal import CLinux
internal import Glibc
package import PressureKit
internal import PressureSystem

/// Plays a recording in real time or faster or slower, with its times shifted to CLOCK_MONOTONIC.
///
///     waiting ──rewind──▶ playing ──end──▶ over
///                          ▲    │            │
///                          ├loop┘            │   each loop continues at the time at which the one before ended
///                          └─────rewind──────┘   for a client that connects after all have left
package final class Player {
  /// The result of a step.
  package enum Step {
    /// An event that is due, with its time in CLOCK_MONOTONIC.
    case event(InputEvent)
    /// Nothing is due before this time of CLOCK_MONOTONIC, in microseconds.
    case wait(Int64)
    /// A loop has ended; the next one begins with empty slots.
    case roundOver
    /// The recording has ended; `error` is set if it could not be read to its end.
    case over
  }

  /// The minimum duration of a loop in microseconds: a recording of one frame must not keep the daemon busy.
  private static let shortestLoop: Int64 = 10_000

  /// The maximum time of an event after the start, in microseconds: 285 years.
  private static let longestWait = 9e15

  package let path: String
  private let isLooping: Bool
  private let speed: Double
  private var recording: Recording
  private var next: InputEvent?
  private var origin: Int64?
  private var start: Int64 = 0
  private var lastTime: Int64 = 0
  private var isOver = false
  private var currentSlot: Int32?

  /// Opens a recording to be played.
  ///
  /// - Parameters:
  ///   - path: the recording.
  ///   - describe: the file that describes its device, if the recording does not.
  ///   - isLooping: whether it starts again at its end.
  ///   - speed: how many seconds of the recording are played in one second, above 0.
  /// - Throws: why it cannot be read.
  package init(path: String, describe: String?, isLooping: Bool, speed: Double)
    throws(RecordingError)
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

  /// The error that ended the recording early, or nil.
  package private(set) var error: RecordingError?

  /// What was skipped, inferred or completed so far, as messages.
  package var remarks: [String] { recording.remarks }

  /// Returns to the start of the recording, which is due at `now`.
  package func rewind(to now: Int64) throws(RecordingError) {
    recording = try Recording(path: path, given: recording.given, accepting: .regular)
    (next, origin, start, lastTime, isOver) = (nil, nil, now, now, false)
    currentSlot = nil
  }

  /// A time that no further event precedes; nil after the last one.
  package var unreadTime: Timestamp? {
    isOver ? nil : Timestamp(microseconds: next.map(dueTime) ?? lastTime)
  }

  package func step(at now: Int64) -> Step {
    guard !isOver else { return .over }
    // A loop of a recording without events lasts `shortestLoop`, too.
    guard now >= start else { return .wait(start) }
    do throws(RecordingError) {
      if let event = next { return step(to: event, at: now) }
      guard let event = try recording.next() else { return try endLoop() }
      return step(to: event, at: now)
    } catch {
      (isOver, self.error) = (true, error)
      return .over
    }
  }

  private func step(to event: InputEvent, at now: Int64) -> Step {
    origin = origin ?? event.time.microseconds
    let time = dueTime(of: event)
    guard time <= now else {
      next = event
      return .wait(time)
    }
    next = nil
    lastTime = time
    if event.code == .slot { currentSlot = event.value }
    var event = event
    event.time = Timestamp(microseconds: time)
    return .event(event)
  }

  /// When an event is due, in microseconds of CLOCK_MONOTONIC.
  private func dueTime(of event: InputEvent) -> Int64 {
    let recorded = event.time.microseconds
    let passed = Double(recorded &- (origin ?? recorded)) / speed
    return start + Int64(min(passed, Player.longestWait))
  }

  private func endLoop() throws(RecordingError) -> Step {
    guard isLooping else {
      isOver = true
      return .over
    }
    try rewind(to: max(lastTime, start + Player.shortestLoop))
    return .roundOver
  }
}
