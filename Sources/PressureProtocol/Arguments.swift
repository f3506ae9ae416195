package import PressureKit

/// The arguments of a request, taken one by one, so that what nobody took is unknown.
package struct Arguments {
  private let verb: String

  /// Whether numbers, truth values and lists of one may be text, as words cannot write them otherwise.
  private let isWords: Bool

  private var rest: [RequestKey: RequestValue]

  init(_ request: Request) {
    verb = request.verb
    isWords = request.isWords
    rest = request.arguments
  }

  /// Bytes of a name: of a device, a type of action, or a step.
  package static let longestName = 256

  /// A name that is looked for among those that there are.
  package mutating func text(_ key: String) throws(RequestError) -> String? {
    switch take(key) {
    case nil: return nil
    case .text(let text)?: return try Arguments.name(text, key)
    default: throw .badArgument("\(key) must be a text")
    }
  }

  private static func name(_ text: String, _ key: String) throws(RequestError) -> String {
    guard text.utf8.count <= longestName else {
      throw .badArgument("\(key) must have at most \(longestName) bytes, not \(text.glance)")
    }
    return text
  }

  package mutating func texts(_ key: String) throws(RequestError) -> [String]? {
    guard let argument = take(key) else { return nil }
    guard let texts = argument.texts(isWords: isWords) else {
      throw .badArgument("\(key) must be a list of texts")
    }
    for text in texts { _ = try Arguments.name(text, "each of \(key)") }
    return texts
  }

  package mutating func number(
    _ key: String, in range: ClosedRange<Double>
  ) throws(RequestError) -> Double? {
    guard let argument = take(key) else { return nil }
    guard let number = argument.double(isWords: isWords), range.contains(number) else {
      throw .badArgument(
        "\(key) must be a number from \(Int64(range.lowerBound)) to \(Int64(range.upperBound))")
    }
    return number
  }

  package mutating func truth(_ key: String) throws(RequestError) -> Bool? {
    switch take(key) {
    case nil: nil
    case .truth(let truth)?: truth
    case .text(let text)? where isWords && text.hasSameBytes(as: "true"): true
    case .text(let text)? where isWords && text.hasSameBytes(as: "false"): false
    default: throw .badArgument("\(key) must be true or false")
    }
  }

  /// A text of at most so many characters (Unicode scalars), without control characters.
  package mutating func text(_ key: String, upTo length: Int) throws(RequestError) -> String? {
    switch take(key) {
    case nil: return nil
    case .text(let text)?: return try Arguments.checked(text, key, upTo: length)
    default: throw .badArgument("\(key) must be a text")
    }
  }

  /// An object of texts.
  package mutating func texts(
    _ key: String, entries: Int, keysUpTo keyLength: Int, upTo length: Int
  ) throws(RequestError) -> [String: String] {
    guard let argument = take(key) else { return [:] }
    guard case .object(let members) = argument, members.count <= entries else {
      throw .badArgument("\(key) must be an object of at most \(entries) texts")
    }
    var texts: [String: String] = [:]
    for (name, value) in members {
      guard case .text(let text) = value else {
        throw .badArgument("\(key) must be an object of at most \(entries) texts")
      }
      texts[try Arguments.checked(name.text, "each name in \(key)", upTo: keyLength)] =
        try Arguments.checked(text, "each text of \(key)", upTo: length, mayBeEmpty: true)
    }
    return texts
  }

  /// A number of fingers, or any.
  package mutating func fingers(_ key: String) throws(RequestError) -> Fingers? {
    guard let argument = take(key) else { return nil }
    if case .text(let text) = argument, text.hasSameBytes(as: "any") { return .any }
    let limits = ConfigurationLimits.fingers
    guard let number = argument.double(isWords: isWords).flatMap({ Int(exactly: $0) }),
      limits.contains(number)
    else {
      throw .badArgument(
        "\(key) must be any or a whole number from \(limits.lowerBound) to \(limits.upperBound)")
    }
    return .exactly(number)
  }

  private static func checked(
    _ text: String, _ key: String, upTo length: Int, mayBeEmpty: Bool = false
  ) throws(RequestError) -> String {
    let scalars = text.unicodeScalars
    guard mayBeEmpty || !scalars.isEmpty, scalars.count <= length,
      scalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
    else {
      throw .badArgument(
        "\(key) must be a text of at most \(length) characters without control characters")
    }
    guard text.isStreamSafe else {
      throw .badArgument(
        "\(key) must be a text with at most \(String.mostMarksInARow) combining marks in a row")
    }
    return text
  }

  /// Refuses what no one has asked for: it is probably misspelt.
  package func finish() throws(RequestError) {
    guard let stranger = rest.keys.min() else { return }
    throw .badArgument("\(verb) takes no argument \(stranger.text.glance)")
  }

  private mutating func take(_ key: String) -> RequestValue? {
    guard let argument = rest.removeValue(forKey: RequestKey(key)), argument != .null else {
      return nil
    }
    return argument
  }
}

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
