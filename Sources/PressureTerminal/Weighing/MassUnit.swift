internal import PressureKit

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
    case .ounces, .newtons: 3
    case .kilograms, .pounds: 4
    }
  }

  /// The next unit; after the last one, the first.
  package var next: MassUnit {
    let all = MassUnit.allCases
    return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
  }

  /// A weight as a number in this unit, with a constant number of decimals.
  package func text(_ grams: Double, decimals: Int? = nil) -> String {
    (grams / self.grams).text(decimals: decimals ?? self.decimals)
  }

  // MARK: - What a reading can hold

  /// The number of decimals of an error, of which two digits are written below 30 and one above.
  package func decimals(ofError grams: Double) -> Int {
    var (digits, decimals) = (grams / self.grams * pow10(decimals), decimals)
    while digits >= 30, decimals > 0 { (digits, decimals) = (digits / 10, decimals - 1) }
    return decimals
  }

  /// An error as a number in this unit, rounded up.
  package func text(error grams: Double) -> String {
    let decimals = decimals(ofError: grams)
    let factor = pow10(decimals)
    // A number that was rounded up stays, although it is not exactly a multiple.
    return ((grams / self.grams * factor - 1e-6).rounded(.up) / factor).text(decimals: decimals)
  }

  private func pow10(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  // MARK: - Parsing

  /// Why a text is not read as a weight.
  package enum TextError: Error, Hashable {
    case invalid
    /// The comma of a number may separate thousands or decimals; both readings.
    case ambiguous(thousands: String, decimals: String)

    /// The error of a text as one sentence without a full stop, with examples of how weights may be written.
    package func sentence(_ text: String, _ examples: String) -> String {
      switch self {
      case .invalid: "\(text) is not a weight; write it as \(examples)"
      case .ambiguous(let thousands, let decimals):
        "\(text) may be \(thousands) or \(decimals); write the one that it is"
      }
    }
  }

  /// Parses a weight as users write it: `7.5`, `7,5 g`, `0.2 oz`, `6 x 7.5`; returns grams.
  package static func grams(of text: some StringProtocol) throws(TextError) -> Double {
    let parts = text.lowercased().split(omittingEmptySubsequences: false) { "x×*".contains($0) }
    guard let last = parts.last, parts.count <= 2 else { throw .invalid }
    let count = parts.count == 2 ? try number(parts[0]) : 1
    return count * (try single(last))
  }

  private static func single(_ text: Substring) throws(TextError) -> Double {
    let text = trimmed(text)
    let letters = text.reversed().prefix { $0.isLetter }
    let name = String(letters.reversed())
    let unit = name.isEmpty ? grams : allCases.first { $0.rawValue.lowercased() == name }
    guard let unit else { throw .invalid }
    return try number(text.dropLast(name.count)) * unit.grams
  }

  private static func number(_ text: Substring) throws(TextError) -> Double {
    let text = trimmed(text)
    let decimals = String(text.map { $0 == "," ? "." : $0 })
    guard decimals.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let number = Double(decimals), number.isFinite
    else { throw .invalid }
    // A comma between digits may separate thousands, as in 1,000 but not in 0,125 or 7,5.
    let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, (1...3).contains(parts[0].count), parts[0].first != "0",
      parts[1].count == 3
    {
      throw .ambiguous(thousands: String(text.filter { $0 != "," }), decimals: decimals)
    }
    return number
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0.isWhitespace }
    return start.dropLast(start.reversed().prefix { $0.isWhitespace }.count)
  }
}
