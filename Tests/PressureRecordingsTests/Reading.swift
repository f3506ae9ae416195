import PressureKit
import PressureTestSupport

@testable import PressureRecordings
import PressureSystem

/// The contents of a recording: all events, and the error that ended them, if any.
struct Reading {
  var description = DeviceDescription()

  var warnings: [String] = []
  var events: [InputEvent] = []

  /// What was set before the events of the file.
  var initialEvents: [InputEvent] = []
  var error: ExitError?

  /// The message of the error without the temporary directory of the file.
  var sentence: String? {
    error.map { String($0.sentences.joined().split(separator: "/").last ?? "") }
  }

  var status: Int32? { error?.status }

  /// The warnings without the temporary directory of the file.
  var notes: [String] { warnings.map { String($0.split(separator: "/").last ?? "") } }

  init(
    path: String, describe: String? = nil, device: Int? = nil
  ) {
    do {
      let recording = try Recording(path: path, describe: describe, device: device)
      description = recording.description
      defer { warnings = recording.warnings }
      let initialCount = recording.initialEvents.count
      while let event = try recording.next() {
        if initialEvents.count < initialCount {
          initialEvents.append(event)
        } else {
          events.append(event)
        }
      }
    } catch {
      self.error = error
    }
  }

  init(
    _ text: String, describe: String? = nil, device: Int? = nil
  ) throws {
    try self.init(bytes: Array(text.utf8), describe: describe, device: device)
  }

  init(
    bytes: [UInt8], describe: String? = nil, device: Int? = nil
  ) throws {
    let file = try TemporaryFile(bytes)
    let description = try describe.map { try TemporaryFile($0, name: "description") }
    self = withExtendedLifetime((file, description)) {
      Reading(path: file.path, describe: description?.path, device: device)
    }
  }
}

/// An event with a time in microseconds.
func event(_ microseconds: Int64, _ code: EventCode, _ value: Int32) -> InputEvent {
  InputEvent(time: Timestamp(microseconds: microseconds), code: code, value: value)
}
