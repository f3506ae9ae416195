@testable import PressureKit
@testable import PressureRecordings
@testable import PressureSystem

internal import Glibc

/// A file in a folder of its own, gone with its last reference.
final class TemporaryFile {
  let path: String
  private let folder: String
  private var others: Set<String> = []

  init(_ bytes: some Collection<UInt8>, name: String = "dump") throws {
    folder = try TemporaryDirectory.make(in: "/tmp")
    path = "\(folder)/\(name)"
    try replace(Array(bytes))
  }

  convenience init(_ text: String, name: String = "dump") throws {
    try self.init(text.utf8, name: name)
  }

  /// Writes the file anew.
  func replace(_ bytes: [UInt8]) throws {
    try write(bytes, to: path)
  }

  /// Writes another file in the same folder, which goes with it.
  func write(_ bytes: [UInt8], beside name: String) throws {
    others.insert("\(folder)/\(name)")
    try write(bytes, to: "\(folder)/\(name)")
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "w") else { throw ExitError.file }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw ExitError.file }
  }

  deinit {
    unlink(path)
    for other in others { unlink(other) }
    rmdir(folder)
  }

  private enum ExitError: Error {
    /// The file cannot be written.
    case file
  }
}

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
