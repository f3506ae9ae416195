import PressureKit
import PressureTestSupport

@testable import PressureRecordings

/// The contents of a recording: all events, and the error that ended them, if any.
struct Reading {
  var description = DeviceDescription()
  var warning: String?
  var events: [InputEvent] = []
  var error: RecordingError?

  /// The message of the error without the temporary directory of the file.
  var sentence: String? { error.map { String($0.sentence.split(separator: "/").last ?? "") } }

  init(path: String, describe: String? = nil) {
    do {
      let recording = try Recording(path: path, describe: describe)
      (description, warning) = (recording.description, recording.warning)
      while let event = try recording.next() { events.append(event) }
    } catch {
      self.error = error
    }
  }

  init(_ text: String, describe: String? = nil) throws {
    try self.init(bytes: Array(text.utf8), describe: describe)
  }

  init(bytes: [UInt8], describe: String? = nil) throws {
    let file = try TemporaryFile(bytes)
    let description = try describe.map { try TemporaryFile($0, name: "description") }
    self = withExtendedLifetime((file, description)) {
      Reading(path: file.path, describe: description?.path)
    }
  }
}

/// An event with a time in microseconds.
func event(_ microseconds: Int64, _ code: EventCode, _ value: Int32) -> InputEvent {
  InputEvent(time: Timestamp(microseconds: microseconds), code: code, value: value)
}
