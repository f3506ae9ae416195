/// A unit for displaying weights; the wire uses grams only.
package enum MassUnit: String, CaseIterable, Sendable {
  case grams = "g"
  case kilograms = "kg"
  /// Avoirdupois ounces, 1/16 pound.
  case ounces = "oz"
  case pounds = "lb"
  /// The weight force of a mass under standard gravity, 9.80665 m/s².
  case newtons = "N"

  /// Grams per unit.
  package var grams: Double {
    switch self {
    case .grams: 1
    case .kilograms: 1000
    case .ounces: 28.349523125
    case .pounds: 453.59237
    case .newtons: 1000 / 9.80665
    }
  }

  /// The number of decimals that shows a tenth of a gram.
  package var decimals: Int {
    switch self {
    case .grams: 1
    case .ounces: 3
    case .kilograms, .pounds: 4
    case .newtons: 3
    }
  }

  /// The next unit; after the last one, the first.
  package var next: MassUnit {
    let all = MassUnit.allCases
    return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
  }

  /// A weight as a number in this unit, with a constant number of decimals.
  package func text(_ grams: Double) -> String {
    let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
    let scaled = (grams / self.grams * Double(scale)).rounded()
    guard let number = Int64(exactly: scaled) else { return "?" }
    let part = String(number.magnitude % UInt64(scale))
    let zeros = String(repeating: "0", count: decimals - part.count)
    return "\(number < 0 ? "-" : "")\(number.magnitude / UInt64(scale)).\(zeros)\(part)"
  }
}

// MARK: - Parsing

extension MassUnit {
  /// Parses a weight as users write it: `7.5`, `7,5 g`, `0.2 oz`, `6 x 7.5`.
  ///
  /// - Returns: grams, or nil if the text is not a weight.
  package static func grams(of text: some StringProtocol) -> Double? {
    let parts = text.lowercased().split(omittingEmptySubsequences: false) { "x×*".contains($0) }
    guard let last = parts.last, parts.count <= 2, let weight = single(last) else { return nil }
    guard parts.count == 2 else { return weight }
    return number(parts[0]).map { $0 * weight }
  }

  private static func single(_ text: Substring) -> Double? {
    let text = trimmed(text)
    let letters = text.reversed().prefix { $0.isLetter }
    let name = String(letters.reversed())
    let unit = name.isEmpty ? grams : allCases.first { $0.rawValue.lowercased() == name }
    guard let unit, let number = number(text.dropLast(name.count)) else { return nil }
    return number * unit.grams
  }

  private static func number(_ text: Substring) -> Double? {
    let digits = trimmed(text).map { $0 == "," ? "." : $0 }
    guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
    return Double(String(digits)).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0.isWhitespace }
    return start.dropLast(start.reversed().prefix { $0.isWhitespace }.count)
  }
}
