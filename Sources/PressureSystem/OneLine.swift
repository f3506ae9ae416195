extension String {
  /// The same on one line and without control characters, for a terminal or a log.
  ///
  /// Devices and files name themselves; a name must neither pass for a sentence of ours nor
  /// color somebody's screen.
  package var onOneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether a terminal may do something else with it than to show it.
  package var isControl: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
