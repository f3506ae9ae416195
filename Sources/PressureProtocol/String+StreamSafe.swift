extension String {
  /// Combining marks in a row at most in Unicode's stream-safe text format (UAX #15), which suffices for all languages.
  package static let mostMarksInARow = 30

  /// Whether the text may be normalized in linear time, as whoever reads it may do.
  package var isStreamSafe: Bool {
    var count = 0
    for scalar in unicodeScalars {
      count =
        scalar.isASCII || scalar.properties.canonicalCombiningClass == .notReordered ? 0 : count + 1
      if count > String.mostMarksInARow { return false }
    }
    return true
  }
}
