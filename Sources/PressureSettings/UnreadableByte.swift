/// The first place in a text file that no text can have.
///
/// libyaml refuses such a file too, but at a place of its own, as it reads ahead.
struct UnreadableByte: Hashable {
  /// Counted from 1.
  var line = 1

  /// Counted from 1.
  var column = 1

  /// Looks for what is not UTF-8 and for control characters; nil where there are none.
  init?(in text: [UInt8]) {
    var bytes = text.makeIterator()
    var decoder = UTF8()
    while true {
      switch decoder.decode(&bytes) {
      case .emptyInput: return nil
      case .error: return
      case .scalarValue("\n"): (line, column) = (line + 1, 1)
      case .scalarValue(let scalar):
        guard Self.allows(scalar) else { return }
        column += 1
      }
    }
  }

  private static func allows(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory != .control || "\t\n\r\u{85}".unicodeScalars.contains(scalar)
  }
}
