extension Double {
  /// The shortest usual notation: 200, not 200.0.
  package var shortDescription: String {
    Int64(exactly: self).map { String($0) } ?? description
  }

  /// The number with at most this many decimals.
  package func shortDescription(decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    return ((self * scale).rounded() / scale).shortDescription
  }

  /// The number with a fixed number of decimals, 0…9; a question mark if it has over 15 digits or is none.
  package func text(decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
    let scaled = (self * Double(scale)).rounded()
    guard scaled.magnitude < 1e15 else { return "?" }
    let (whole, part) = Int64(scaled.magnitude).quotientAndRemainder(dividingBy: Int64(scale))
    let sign = scaled < 0 ? "-" : ""
    return decimals > 0 ? "\(sign)\(whole).\(part.text(digits: decimals))" : "\(sign)\(whole)"
  }

  package var asUnitsPerGram: String {
    "\(shortDescription(decimals: 2)) \(self == 1 ? "unit" : "units") per gram"
  }
}

extension BinaryInteger {
  /// The number, which is not negative, with leading zeros up to a number of digits.
  package func text(digits: Int, radix: Int = 10) -> String {
    let text = String(self, radix: radix)
    return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
  }

  package func hexadecimal(_ digits: Int) -> String { text(digits: digits, radix: 16) }
}
