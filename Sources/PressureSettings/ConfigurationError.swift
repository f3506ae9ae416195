package import PressureYAML

/// What is wrong with a configuration file, and where.
package struct ConfigurationError: Error, Hashable {
  package var file: String

  /// Counted from 1.
  package var line: Int

  /// Counted from 1.
  package var column: Int

  package var reason: String

  /// As compilers say it, so that editors can jump there.
  package var sentence: String { "\(file):\(line):\(column): \(reason)" }
}

/// Something in a configuration that is right in itself and does not fit this machine.
package struct ConfigurationWarning: Hashable {
  package var fault: ConfigurationError

  /// Whether `pressured run` cannot serve because of it; otherwise the setting has no effect.
  package var preventsServing: Bool
}

/// Why there is no configuration.
package enum ConfigurationErrors: Error, Hashable {
  /// The file that was asked for by name is not there.
  case missing(path: String)
  /// The file is there but cannot be read as a whole.
  case unreadable(path: String, reason: String)
  /// This user may not read the file.
  case forbidden(path: String)
  /// The file says something that cannot be; at least one fault, in the file's order.
  case wrong([ConfigurationError])

  /// One line for each fault.
  package var sentences: [String] {
    switch self {
    case .missing(let path): ["\(path): there is no such file"]
    case .unreadable(let path, let reason): ["cannot read \(path): \(reason)"]
    case .forbidden(let path): ["cannot read \(path): you may not; try again with sudo"]
    case .wrong(let faults): faults.map(\.sentence)
    }
  }

  /// The exit status that says so.
  ///
  /// The corresponding constants of `sysexits.h` are `EX_NOINPUT` and `EX_CONFIG`.
  package var status: Int32 {
    switch self {
    case .missing: 66
    case .forbidden: 77
    case .unreadable, .wrong: 78
    }
  }
}

/// Collects the faults of one file, so that a person can mend them all at once.
package final class DiagnosticList {
  /// More than this nobody reads.
  package static let limit = 100

  private let file: String
  private var faults: [ConfigurationError] = []

  /// What is right in the file and wrong on this machine, in the order of reading.
  package private(set) var warnings: [ConfigurationWarning] = []

  init(file: String) {
    self.file = file
  }

  package var isEmpty: Bool { faults.isEmpty }

  /// The faults in the file's order.
  package var sorted: [ConfigurationError] {
    faults.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
  }

  package func add(_ reason: String, at mark: YAMLMark) {
    add(reason, line: mark.line, column: mark.column)
  }

  /// Notes what does not fit this machine; the file is read all the same.
  package func warn(_ reason: String, at mark: YAMLMark, preventsServing: Bool) {
    guard warnings.count < Self.limit else { return }
    let fault = ConfigurationError(
      file: file, line: mark.line, column: mark.column, reason: reason)
    warnings.append(ConfigurationWarning(fault: fault, preventsServing: preventsServing))
  }

  package func add(_ reason: String, line: Int, column: Int) {
    guard faults.count < Self.limit else { return }
    faults.append(ConfigurationError(file: file, line: line, column: column, reason: reason))
  }
}
