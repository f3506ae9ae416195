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
      let successor = definition.successors[unknown.text].map { " any more; use \($0)" } ?? ""
      let name = unknown.text.truncated
      throw .badArgument("\(definition.verb) takes no argument \(name)\(successor)")
    }
    for argument in definition.arguments { try check(argument, of: definition) }
  }

  private func check(
    _ argument: RequestArgument, of definition: RequestDefinition
  ) throws(RequestError) {
    if case .optional = argument.presence { return }
    let cause: String
    let isGiven = values[argument.key] != nil
    switch argument.presence {
    case .optional: return
    case .required:
      if isGiven { return }
      cause = definition.verb
    case .with(let other):
      guard isGiven, values[RequestKey(other)] == nil else { return }
      throw .badArgument("\(argument.name) needs \(other)")
    case .when(let other, in: let words, required: let required):
      let word = values[RequestKey(other)]?.text
      guard !isGiven else {
        if let word, words.contains(word) { return }
        let list = words.map { "\(other)=\($0)" }.joined(separator: " and ")
        throw .badArgument("\(argument.name) is only valid with \(list)")
      }
      guard let required, word == required else { return }
      cause = "\(other)=\(required)"
    }
    let example = definition.examples.first { example in
      let words = example.split(separator: " " as Character)
      return words.contains { $0 == cause } && words.contains { $0.hasPrefix("\(argument.name)=") }
    }
    throw .badArgument("\(cause) needs \(argument.name), as in \(example ?? definition.form)")
  }

  // The definition has checked the types.

  package func text(_ key: RequestKey) -> String? { values[key]?.text }

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
