internal import CLinux
internal import Glibc
package import PressureKit
internal import PressureSystem

/// Plays a recording at its own pace, moved to the present clock.
///
///     waiting ──rewind──▶ playing ──end──▶ over
///                          ▲    │            │
///                          ├loop┘            │   each round goes on where the last one ended
///                          └─────rewind──────┘   for whoever comes once all have left
package final class Player {
  /// What comes next.
  package enum Step {
    /// An event that is due, with its time on the present clock.
    case event(InputEvent)
    /// Nothing before this moment of CLOCK_MONOTONIC, in microseconds.
    case wait(Int64)
    /// A round is over; the next one begins with empty slots.
    case roundOver
    /// The recording is over, with a reason where it is a fault.
    case over(RecordingError?)
  }

  /// The shortest round in microseconds: a recording of one frame must not keep the daemon busy.
  private static let shortestRound: Int64 = 10_000

  /// Three hundred years are enough for any recording, however slowly it is played.
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
  ///   - describe: the file that describes its device, where it is another one.
  ///   - isLooping: whether it begins again at its end.
  ///   - speed: how many seconds of the recording pass in one second, above 0.
  /// - Throws: why it cannot be read.
  package init(path: String, describe: String?, isLooping: Bool, speed: Double)
    throws(RecordingError)
  {
    self.path = path
    self.isLooping = isLooping
    self.speed = speed
    recording = try Recording(path: path, describe: describe, accepting: .regular)
  }

  /// What the device is, with the slot that the next event is of.
  package var description: DeviceDescription {
    var description = recording.description
    description.currentSlot = currentSlot ?? description.currentSlot
    return description
  }

  package var remark: String? { recording.remark }

  /// Goes to the recording's beginning, which is to be heard at `now`.
  package func rewind(to now: Int64) throws(RecordingError) {
    recording = try Recording(path: path, given: recording.given, accepting: .regular)
    (next, origin, start, lastTime, isOver) = (nil, nil, now, now, false)
    currentSlot = nil
  }

  package func step(at now: Int64) -> Step {
    guard !isOver else { return .over(nil) }
    // Also a recording without events has rounds that take their time.
    guard now >= start else { return .wait(start) }
    do throws(RecordingError) {
      if let event = next { return step(to: event, at: now) }
      guard let event = try recording.next() else { return try endOfRound() }
      return step(to: event, at: now)
    } catch {
      isOver = true
      return .over(error)
    }
  }

  private func step(to event: InputEvent, at now: Int64) -> Step {
    let recorded = event.time.microseconds
    let origin = origin ?? recorded
    self.origin = origin
    let passed = Double(recorded &- origin) / speed
    let time = start + Int64(min(passed, Player.longestWait))
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

  private func endOfRound() throws(RecordingError) -> Step {
    guard isLooping else {
      isOver = true
      return .over(nil)
    }
    try rewind(to: max(lastTime, start + Player.shortestRound))
    return .roundOver
  }
}
