package import PressureKit

/// The arguments of a request, removed as they are read, so that the remaining ones are unknown arguments.
package struct Arguments {
  private let verb: String

  /// Whether the request has the form of words, in which strings stand for numbers, truth values and lists of one.
  private let isWords: Bool

  private var remaining: [RequestKey: RequestValue]

  init(_ request: Request) {
    verb = request.verb
    isWords = request.isWords
    remaining = request.arguments
  }

  /// The maximum length of a name in bytes: of a device, an action type, or a step.
  package static let maxNameLength = 256

  /// Reads a name of at most `maxNameLength` bytes.
  package mutating func text(_ key: String) throws(RequestError) -> String? {
    switch remove(key) {
    case nil: return nil
    case .text(let text)?: return try Arguments.name(text, key)
    default: throw .badArgument("\(key) must be a string")
    }
  }

  private static func name(_ text: String, _ key: String) throws(RequestError) -> String {
    guard text.utf8.count <= maxNameLength else {
      throw .badArgument("\(key) must have at most \(maxNameLength) bytes, not \(text.truncated)")
    }
    return text
  }

  /// Reads a list of names.
  package mutating func texts(_ key: String) throws(RequestError) -> [String]? {
    guard let argument = remove(key) else { return nil }
    guard let texts = argument.texts(isWords: isWords) else {
      throw .badArgument("\(key) must be a list of strings")
    }
    for text in texts { _ = try Arguments.name(text, "each of \(key)") }
    return texts
  }

  /// Reads a number; the limits of the range are integers.
  package mutating func number(
    _ key: String, in range: ClosedRange<Double>
  ) throws(RequestError) -> Double? {
    guard let argument = remove(key) else { return nil }
    guard let number = argument.double(isWords: isWords), range.contains(number) else {
      throw .badArgument(
        "\(key) must be a number from \(Int64(range.lowerBound)) to \(Int64(range.upperBound))")
    }
    return number
  }

  /// Reads a truth value.
  package mutating func bool(_ key: String) throws(RequestError) -> Bool? {
    switch remove(key) {
    case nil: nil
    case .bool(let value)?: value
    case .text(let text)? where isWords && text.hasSameBytes(as: "true"): true
    case .text(let text)? where isWords && text.hasSameBytes(as: "false"): false
    default: throw .badArgument("\(key) must be true or false")
    }
  }

  /// Reads a string of 1 to `length` Unicode scalars, without control characters.
  package mutating func text(_ key: String, upTo length: Int) throws(RequestError) -> String? {
    switch remove(key) {
    case nil: return nil
    case .text(let text)?: return try Arguments.checked(text, key, upTo: length)
    default: throw .badArgument("\(key) must be a string")
    }
  }

  /// Reads an object of strings.
  package mutating func texts(
    _ key: String, entries: Int, keysUpTo keyLength: Int, upTo length: Int
  ) throws(RequestError) -> [String: String] {
    guard let argument = remove(key) else { return [:] }
    guard case .object(let members) = argument, members.count <= entries else {
      throw .badArgument("\(key) must be an object of at most \(entries) strings")
    }
    var texts: [String: String] = [:]
    for (name, value) in members {
      guard case .text(let text) = value else {
        throw .badArgument("\(key) must be an object of at most \(entries) strings")
      }
      texts[try Arguments.checked(name.text, "each name in \(key)", upTo: keyLength)] =
        try Arguments.checked(text, "each text of \(key)", upTo: length, mayBeEmpty: true)
    }
    return texts
  }

  /// Reads a number of fingers, or `any`.
  package mutating func fingers(_ key: String) throws(RequestError) -> Fingers? {
    guard let argument = remove(key) else { return nil }
    if case .text(let text) = argument, text.hasSameBytes(as: "any") { return .any }
    let limits = ConfigurationLimits.fingers
    guard let number = argument.double(isWords: isWords).flatMap({ Int(exactly: $0) }),
      limits.contains(number)
    else {
      throw .badArgument(
        "\(key) must be any or an integer from \(limits.lowerBound) to \(limits.upperBound)")
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
        "\(key) must be a string of at most \(length) characters without control characters")
    }
    guard text.isStreamSafe else {
      throw .badArgument(
        "\(key) must be a string with at most \(String.maxCombiningMarks) combining marks in a row"
      )
    }
    return text
  }

  /// Throws if an argument has not been read: it is unknown, and probably misspelled.
  package func rejectUnknown() throws(RequestError) {
    guard let unknown = remaining.keys.min() else { return }
    throw .badArgument("\(verb) takes no argument \(unknown.text.truncated)")
  }

  private mutating func remove(_ key: String) -> RequestValue? {
    guard let argument = remaining.removeValue(forKey: RequestKey(key)), argument != .null else {
      return nil
    }
    return argument
  }
}

extension String {
  /// The maximum number of consecutive combining marks in Unicode's stream-safe text format (UAX #15).
  ///
  /// It suffices for all languages.
  package static let maxCombiningMarks = 30

  /// Whether the text can be normalized in linear time, as its readers may do.
  package var isStreamSafe: Bool {
    var count = 0
    for scalar in unicodeScalars {
      count =
        scalar.isASCII || scalar.properties.canonicalCombiningClass == .notReordered ? 0 : count + 1
      if count > String.maxCombiningMarks { return false }
    }
    return true
  }
}
