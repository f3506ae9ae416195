internal import PressureKit

/// The type of an argument of a request; parsing, `help` and the schema are derived from it.
package indirect enum ArgumentType: Sendable {
  case boolean
  case integer(ClosedRange<Int>)
  case number(ClosedRange<Double>)
  /// A name of at most `maxNameLength` bytes.
  case name
  case text(TextLimit)
  case word([String])
  /// A list of strings, with at most this many.
  case list(ArgumentType, maximum: Int? = nil)
  /// An object of strings, with any keys.
  case texts(maximum: Int, key: TextLimit, value: TextLimit)
  case either(ArgumentType, ArgumentType)

  /// The maximum length of a name in bytes; the schema cannot express it.
  static let maxNameLength = 256
}

/// At most this many Unicode scalars, without control characters.
package struct TextLimit: Sendable {
  package let scalars: Int
  package var mayBeEmpty = false

  /// The maximum number of consecutive combining marks in Unicode's stream-safe text format (UAX #15).
  ///
  /// It suffices for all languages, and its readers may normalize such a text in linear time.
  private static let maxCombiningMarks = 30

  /// Whether a string is valid; throws an error that says more than that it is not.
  fileprivate func isMet(by text: String, _ name: String) throws(RequestError) -> Bool {
    let (list, limit) = (text.unicodeScalars, TextLimit.maxCombiningMarks)
    guard mayBeEmpty || !list.isEmpty, list.count <= scalars,
      list.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
    else { return false }
    var marks = 0
    for scalar in list {
      let isMark = !scalar.isASCII && scalar.properties.canonicalCombiningClass != .notReordered
      marks = isMark ? marks + 1 : 0
      guard marks <= limit else {
        throw .badArgument(
          "\(name) must be a string with at most \(limit) combining marks in a row")
      }
    }
    return true
  }
}

extension ArgumentType {
  /// The valid values in words, as in "must be a number from 0 to 1".
  package var expected: String {
    switch self {
    case .boolean: "true or false"
    case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .number(let range):
      "a number from \(range.lowerBound.shortDescription) to \(range.upperBound.shortDescription)"
    case .name: "a string of at most \(ArgumentType.maxNameLength) bytes"
    case .text(let limit):
      "a string of at most \(limit.scalars) characters without control characters"
    case .word(let words): "one of \(words.joined(separator: ", "))"
    case .list(_, let maximum): "a list of \(maximum.map { "at most \($0) " } ?? "")strings"
    case .texts(let maximum, _, _): "an object of at most \(maximum) strings"
    case .either(let first, let second): "\(first.expected) or \(second.expected)"
    }
  }

  /// The value of an argument, which is not null, in this type; throws `bad_argument`.
  ///
  /// In the form of words, strings stand for numbers, truth values and lists of one. The result has no duplicates in lists, which
  /// would be compared for each line and client.
  func checked(
    _ value: RequestValue, _ name: String, isWords: Bool
  ) throws(RequestError) -> RequestValue {
    switch self {
    case .boolean:
      if case .bool = value { return value }
      guard isWords, case .text(let text) = value else { break }
      for truth in [true, false] where text.hasSameBytes(as: "\(truth)") { return .bool(truth) }
    case .number(let range):
      if let number = value.double(isWords: isWords), range ~= number { return .number(number) }
    case .integer(let range):
      if let number = value.double(isWords: isWords), let whole = Int(exactly: number),
        range ~= whole
      {
        return .integer(Int64(whole))
      }
    case .name:
      guard case .text(let text) = value else { break }
      if text.utf8.count <= ArgumentType.maxNameLength { return value }
      throw .badArgument(
        "\(name) must have at most \(ArgumentType.maxNameLength) bytes, not \(text.truncated)")
    case .text(let limit):
      if case .text(let text) = value, try limit.isMet(by: text, name) { return value }
    case .word(let words):
      guard case .text(let text) = value else { break }
      if words.contains(where: { $0.hasSameBytes(as: text) }) { return value }
      throw .badArgument("\(name) must be \(expected), not \(text.truncated)")
    case .list(let element, let maximum):
      guard let texts = value.texts(isWords: isWords), texts.count <= maximum ?? .max else { break }
      var seen: Set<RequestKey> = []
      var elements: [RequestValue] = []
      for text in texts where seen.insert(RequestKey(text)).inserted {
        elements.append(try element.checked(.text(text), "each of \(name)", isWords: isWords))
      }
      return .list(elements)
    case .texts(let maximum, let key, let text):
      guard case .object(let members) = value, members.count <= maximum else { break }
      for (entry, value) in members {
        _ = try ArgumentType.text(key).checked(
          .text(entry.text), "each name in \(name)", isWords: false)
        _ = try ArgumentType.text(text).checked(value, "each text of \(name)", isWords: false)
      }
      return value
    case .either(let first, let second):
      for type in [first, second] {
        if let value = try? type.checked(value, name, isWords: isWords) { return value }
      }
    }
    throw .badArgument("\(name) must be \(expected)")
  }
}
