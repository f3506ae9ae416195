/// Why a recording cannot be read, or not any further.
package struct RecordingError: Error, Hashable {
  /// File, place and reason, for people.
  package let sentence: String

  /// The exit status that goes with it.
  package let status: Int32

  package init(sentence: String, status: Int32) {
    self.sentence = sentence
    self.status = status
  }

  /// What is in the file is wrong.
  ///
  /// The place is written as editors and compilers do, such as ":17"; it is empty for the whole file.
  static func data(_ path: String, place: String = "", _ reason: String) -> RecordingError {
    RecordingError(sentence: "\(path)\(place): \(reason)", status: badData)
  }

  /// This user may not read the file.
  package static func rights(_ path: String) -> RecordingError {
    RecordingError(
      sentence: "\(path): cannot be opened: you may not; try again with sudo",
      status: permissionDenied)
  }

  /// The file cannot be had at all.
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
