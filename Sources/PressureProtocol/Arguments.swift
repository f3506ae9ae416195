internal import PressureKit

/// The arguments of a request, validated by its definition.
package struct Arguments {
  private let values: [RequestKey: RequestValue]

  /// Validates the arguments of a request; throws `bad_argument` for the first that is not valid, unknown or missing.
  init(of request: Request, _ definition: RequestDefinition) throws(RequestError) {
    var values = request.arguments
    for argument in definition.arguments {
      guard let value = values[argument.key] else { continue }
      values[argument.key] =
        value == .null
        ? nil : try argument.type.checked(value, argument.name, isWords: request.isWords)
    }
    self.values = values
    let unknown = request.arguments.keys.lazy.filter { key in
      !definition.arguments.contains { $0.key == key }
    }
    if let unknown = unknown.min() {
      throw .badArgument("\(definition.verb) takes no argument \(unknown.text.truncated)")
    }
    for argument in definition.arguments { try check(argument, of: definition) }
  }

  private func check(
    _ argument: RequestArgument, of definition: RequestDefinition
  ) throws(RequestError) {
    if case (.never, nil) = (argument.requirement, argument.condition) { return }
    guard values[argument.key] == nil else {
      return try check(argument.condition, of: argument.name)
    }
    let cause: String
    switch argument.requirement {
    case .never: return
    case .always: cause = definition.verb
    case .when(let other, is: let word):
      guard text(other) == word else { return }
      cause = "\(other)=\(word)"
    }
    let example = definition.examples.first { example in
      let words = example.split(separator: " " as Character)
      return words.contains { $0 == cause } && words.contains { $0.hasPrefix("\(argument.name)=") }
    }
    throw .badArgument("\(cause) needs \(argument.name), as in \(example ?? definition.form)")
  }

  private func check(
    _ condition: RequestArgument.Condition?, of name: String
  ) throws(RequestError) {
    switch condition {
    case nil: break
    case .with(let other):
      if values[RequestKey(other)] == nil { throw .badArgument("\(name) needs \(other)") }
    case .when(let other, in: let words):
      if let word = text(other), words.contains(word) { break }
      let list = words.map { "\(other)=\($0)" }.joined(separator: " and ")
      throw .badArgument("\(name) is only valid with \(list)")
    }
  }

  // The definition has checked the types.

  package func text(_ key: RequestKey) -> String? {
    if case .text(let text)? = values[key] { text } else { nil }
  }

  private func text(_ key: String) -> String? { text(RequestKey(key)) }

  package func texts(_ key: RequestKey) -> [String]? {
    if case .list(let elements)? = values[key] { elements.compactMap(\.text) } else { nil }
  }

  package func number(_ key: RequestKey) -> Double? { values[key]?.double(isWords: false) }

  package func integer(_ key: RequestKey) -> Int? { number(key).flatMap { Int(exactly: $0) } }

  package func bool(_ key: RequestKey) -> Bool? {
    if case .bool(let value)? = values[key] { value } else { nil }
  }

  package func members(_ key: RequestKey) -> [String: String] {
    guard case .object(let members)? = values[key] else { return [:] }
    return members.reduce(into: [:]) { texts, member in texts[member.key.text] = member.value.text }
  }
}

extension RequestValue {
  fileprivate var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}

extension JSONType {
  /// The value of an argument, which is not null, in this type; throws `bad_argument`.
  ///
  /// In the form of words, strings stand for numbers, truth values and lists of one. The result has no duplicates in lists, which
  /// would be compared for each line and client.
  fileprivate func checked(
    _ value: RequestValue, _ name: String, isWords: Bool
  ) throws(RequestError) -> RequestValue {
    switch self {
    case .boolean:
      if let truth = value.truth(isWords: isWords) { return .bool(truth) }
    case .number(let from, let to):
      if let number = value.double(isWords: isWords), (from ?? number)...(to ?? number) ~= number {
        return .number(number)
      }
    case .integer(let from, let to):
      if let number = value.double(isWords: isWords), let whole = Int64(exactly: number),
        (from ?? whole)...(to ?? whole) ~= whole
      {
        return .integer(whole)
      }
    case .text(let limit):
      if case .text(let text) = value, try limit.isMet(by: text, name) { return value }
    case .word(let words):
      guard case .text(let text) = value else { break }
      if words.contains(where: { $0.hasSameBytes(as: text) }) { return value }
      throw .badArgument("\(name) must be \(expected), not \(text.truncated)")
    case .list(let element, let count):
      guard let texts = value.texts(isWords: isWords), count?.contains(texts.count) ?? true else {
        break
      }
      var seen: Set<RequestKey> = []
      var elements: [RequestValue] = []
      for text in texts where seen.insert(RequestKey(text)).inserted {
        elements.append(try element.checked(.text(text), "each of \(name)", isWords: isWords))
      }
      return .list(elements)
    case .texts(let count, let key, let text):
      guard case .object(let members) = value, members.count <= count ?? .max else { break }
      for (entry, value) in members {
        _ = try JSONType.text(key).checked(
          .text(entry.text), "each name in \(name)", isWords: false)
        _ = try JSONType.text(text).checked(value, "each text of \(name)", isWords: false)
      }
      return value
    case .either(let types):
      for type in types {
        if let value = try? type.checked(value, name, isWords: isWords) { return value }
      }
    case .named(_, let type, _), .orNull(let type):
      return try type.checked(value, name, isWords: isWords)
    case .alwaysTrue, .numberOf64Bits, .object, .any:
      preconditionFailure("no argument is of this type")
    }
    throw .badArgument("\(name) must be \(expected)")
  }
}

extension RequestValue {
  fileprivate func truth(isWords: Bool) -> Bool? {
    switch self {
    case .bool(let value): value
    case .text(let text) where isWords && text.hasSameBytes(as: "true"): true
    case .text(let text) where isWords && text.hasSameBytes(as: "false"): false
    default: nil
    }
  }
}

extension TextLimit {
  /// Whether a string is valid; throws an error that says more than that it is not.
  fileprivate func isMet(by text: String, _ name: String) throws(RequestError) -> Bool {
    switch self {
    case .none: return true
    case .filled: return !text.isEmpty
    case .bytes(let count):
      guard text.utf8.count <= count else {
        throw .badArgument("\(name) must have at most \(count) bytes, not \(text.truncated)")
      }
      return true
    case .scalars(let count, let mayBeEmpty):
      let scalars = text.unicodeScalars
      guard mayBeEmpty || !scalars.isEmpty, scalars.count <= count,
        scalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
      else { return false }
      guard text.isStreamSafe else {
        throw .badArgument(
          "\(name) must be a string with at most \(String.maxCombiningMarks) combining marks in a row"
        )
      }
      return true
    case .matching: preconditionFailure("no argument is of this type")
    }
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
