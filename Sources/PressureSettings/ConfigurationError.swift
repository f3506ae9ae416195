internal import PressureSystem

package struct ConfigurationError: Error, Hashable {
  package var file: String
  package var mark: YAMLMark
  package var reason: String

  /// The error in the format of compilers, so that editors can jump to it.
  package var sentence: String { "\(file):\(mark.line):\(mark.column): \(reason)" }
}

package enum ConfigurationErrors: Error, Hashable {
  case missing(path: String)
  case unreadable(path: String, reason: String)
  /// This user may not read the file.
  case forbidden(path: String)
  /// The file has errors: at least one, in the order of the file.
  case wrong([ConfigurationError])

  /// One line per error.
  package var sentences: [String] {
    switch self {
    case .missing(let path): ["\(path): there is no such file"]
    case .unreadable(let path, let reason): ["cannot read \(path): \(reason)"]
    case .forbidden(let path): ["cannot read \(path): permission denied; try again with sudo"]
    case .wrong(let errors): errors.map(\.sentence)
    }
  }

  package var status: Int32 {
    switch self {
    case .missing: ExitError.Status.noInput.rawValue
    case .forbidden: ExitError.Status.permissionDenied.rawValue
    case .unreadable, .wrong: ExitError.Status.badConfiguration.rawValue
    }
  }
}

/// Collects the errors of one file, so that a user can correct them all at once.
package final class DiagnosticList {
  package static let limit = 100

  private let file: String
  private var errors: [ConfigurationError] = []

  /// Valid settings that do not work on this machine, in the order of decoding.
  package private(set) var warnings: [ConfigurationError] = []

  init(file: String) {
    self.file = file
  }

  package var isEmpty: Bool { errors.isEmpty }

  package var sorted: [ConfigurationError] {
    errors.sorted { ($0.mark.line, $0.mark.column) < ($1.mark.line, $1.mark.column) }
  }

  package func add(_ reason: String, at mark: YAMLMark) {
    guard errors.count < Self.limit else { return }
    errors.append(ConfigurationError(file: file, mark: mark, reason: reason))
  }

  /// Adds a warning; the file remains valid.
  package func warn(_ reason: String, at mark: YAMLMark) {
    guard warnings.count < Self.limit else { return }
    warnings.append(ConfigurationError(file: file, mark: mark, reason: reason))
  }
}
