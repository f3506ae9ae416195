internal import CTerminal

extension Unicode.Scalar {
  /// A locale that knows all of Unicode, whichever one the user has.
  ///
  /// It is made once and never changes.
  nonisolated(unsafe) private static let unicode = newlocale(
    LC_CTYPE_MASK, "C.UTF-8", nil)

  /// How many columns it takes, as the C library knows: 0 for a mark above another, 1 or 2, and -1 for what
  /// cannot be shown.
  var columns: Int {
    // The C library need not be asked for what nearly everything is.
    if (0x20..<0x7f).contains(value) { return 1 }
    guard let locale = Unicode.Scalar.unicode else { return value < 0xa0 ? -1 : 1 }
    let before = uselocale(locale)
    defer { uselocale(before) }
    return Int(wcwidth(wchar_t(value)))
  }
}

extension StringProtocol {
  /// How many columns it takes in a terminal.
  var columns: Int { unicodeScalars.reduce(0) { $0 + Swift.max($1.columns, 0) } }
}
