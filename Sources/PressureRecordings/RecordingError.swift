/// Why a recording cannot be read or continued.
package struct RecordingError: Error, Hashable {
  /// A message with file, location and reason.
  package let sentence: String

  /// The exit status of a command that fails with it.
  package let status: Int32

  /// Whether the recording has fewer devices than the number of the chosen one.
  let isMissingDevice: Bool

  package init(sentence: String, status: Int32) {
    self.init(sentence: sentence, status: status, isMissingDevice: false)
  }

  private init(sentence: String, status: Int32, isMissingDevice: Bool) {
    self.sentence = sentence
    self.status = status
    self.isMissingDevice = isMissingDevice
  }

  /// The recording has fewer devices.
  static func missingDevice(_ path: String, _ number: Int) -> RecordingError {
    RecordingError(
      sentence: "\(path): there is no device \(number); --list shows the devices of a recording",
      status: badData, isMissingDevice: true)
  }

  /// The content of the file is invalid.
  ///
  /// The location is in the format of compilers, such as ":17"; it is empty for the whole file.
  static func data(_ path: String, location: String = "", _ reason: String) -> RecordingError {
    RecordingError(sentence: "\(path)\(location): \(reason)", status: badData)
  }

  /// This user may not read the file.
  package static func permission(_ path: String) -> RecordingError {
    RecordingError(
      sentence: "\(path): cannot be opened: permission denied; try again with sudo",
      status: permissionDenied)
  }

  /// The file cannot be opened or read.
  package static func input(_ path: String, _ reason: String) -> RecordingError {
    RecordingError(sentence: "\(path): \(reason)", status: noInput)
  }
}

extension RecordingError {
  /// The corresponding constant of `sysexits.h` is `EX_DATAERR`.
  package static let badData: Int32 = 65

  /// The corresponding constant of `sysexits.h` is `EX_NOINPUT`.
  package static let noInput: Int32 = 66

  /// The corresponding constant of `sysexits.h` is `EX_NOPERM`.
  package static let permissionDenied: Int32 = 77
}
