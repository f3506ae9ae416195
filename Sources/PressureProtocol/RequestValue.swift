/// A value in a request, as strangers write it.
public enum RequestValue: Hashable, Sendable {
  /// Nothing, said explicitly.
  case null
  /// True or false.
  case truth(Bool)
  /// A number without a fraction, kept to the digit, as ids may be long.
  case whole(Int64)
  /// Any other number.
  case number(Double)
  /// A text; by hand, numbers come as text too.
  case text(String)
  /// Several values.
  case list([RequestValue])
  /// Named values.
  case object([RequestKey: RequestValue])

  /// The texts of a list, nil if something else is among them; in words, a single one is a list too.
  package func texts(isWords: Bool) -> [String]? {
    switch self {
    case .text(let text): isWords ? text.isEmpty ? [] : [text] : nil
    case .list(let elements):
      elements.reduce(into: [] as [String]?) { list, element in
        if case .text(let text) = element { list?.append(text) } else { list = nil }
      }
    case .null, .truth, .whole, .number, .object: nil
    }
  }

  /// A number; in words, one that is written as text.
  func double(isWords: Bool) -> Double? {
    let number: Double? =
      switch self {
      case .whole(let number): Double(number)
      case .number(let number): number
      case .text(let text): isWords ? Double(text) : nil
      case .null, .truth, .list, .object: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }
}
