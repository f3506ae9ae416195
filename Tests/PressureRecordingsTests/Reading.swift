import PressureKit
import PressureTestSupport

@testable import PressureRecordings

/// What came out of a recording: all events, and the fault that ended them, if one did.
struct Reading {
  var description = DeviceDescription()
  var warning: String?
  var events: [InputEvent] = []
  var fault: RecordingError?

  /// The fault without the folder of the file, which no test knows.
  var sentence: String? { fault.map { String($0.sentence.split(separator: "/").last ?? "") } }

  init(path: String, describe: String? = nil) {
    do {
      let recording = try Recording(path: path, describe: describe)
      (description, warning) = (recording.description, recording.warning)
      while let event = try recording.next() { events.append(event) }
    } catch {
      fault = error
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

/// An event in few words.
func event(_ microseconds: Int64, _ code: EventCode, _ value: Int32) -> InputEvent {
  InputEvent(time: Timestamp(microseconds: microseconds), code: code, value: value)
}
