package import PressureYAML

/// Collects the faults of one file, so that a person can mend them all at once.
package final class DiagnosticList {
  /// More than this nobody reads.
  package static let limit = 100

  private let file: String
  private var faults: [ConfigurationError] = []

  /// What is right in the file and wrong on this machine, in the order of reading.
  package private(set) var remarks: [ConfigurationRemark] = []

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
  package func remark(_ reason: String, at mark: YAMLMark, preventsServing: Bool) {
    guard remarks.count < Self.limit else { return }
    let fault = ConfigurationError(
      file: file, line: mark.line, column: mark.column, reason: reason)
    remarks.append(ConfigurationRemark(fault: fault, preventsServing: preventsServing))
  }

  package func add(_ reason: String, line: Int, column: Int) {
    guard faults.count < Self.limit else { return }
    faults.append(ConfigurationError(file: file, line: line, column: column, reason: reason))
  }
}
