internal import PressureKit

/// A type of values in the lines of the protocol.
///
/// The parser of requests derives from it what is valid; scripts/generate derives the schema and the manual page.
package indirect enum JSONType: Sendable, Encodable {
  case boolean
  /// True; the field is omitted otherwise.
  case alwaysTrue
  case integer(from: Int64? = nil, to: Int64? = nil)
  case number(from: Double? = nil, to: Double? = nil)
  /// A number whose magnitude is at most 2⁶⁴ - 1.
  case numberOf64Bits
  case text(TextLimit = .none)
  case word([String])
  case list(JSONType, count: ClosedRange<Int>? = nil)
  /// An object of strings, with any keys.
  case texts(count: Int? = nil, key: TextLimit = .none, value: TextLimit = .none)
  case object(JSONObject)
  case either([JSONType])
  case orNull(JSONType)
  /// A type that the schema defines under a name, with its meaning.
  case named(String, JSONType, String)
  case any

  /// The raw values of an enumeration.
  static func word<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> JSONType {
    .word(type.allCases.map(\.rawValue))
  }

  static var count: JSONType { .integer(from: 0) }
}

/// What strings are valid.
package enum TextLimit: Sendable, Encodable {
  case none
  /// At least one character.
  case filled
  /// A name of at most this many bytes; the schema cannot express it.
  case bytes(Int)
  /// At most this many Unicode scalars, without control characters.
  case scalars(Int, mayBeEmpty: Bool = false)
  /// A regular expression.
  case matching(String)
}

/// A field of an object, or an argument of a request.
package struct Field: Sendable, Encodable {
  package let name: String
  package let type: JSONType

  /// The meaning, as in a manual page: `*name*` of a field, `_value_`; without a capital letter and a period.
  ///
  /// Empty if that of the type says it all.
  package let summary: String

  package let isOptional: Bool

  init(_ name: String, _ type: JSONType, _ summary: String = "", isOptional: Bool = false) {
    (self.name, self.type, self.summary) = (name, type, summary)
    self.isOptional = isOptional
  }

  static func optional(_ name: String, _ type: JSONType, _ summary: String = "") -> Field {
    Field(name, type, summary, isOptional: true)
  }
}

/// An object with its fields in their order.
package struct JSONObject: Sendable, Encodable {
  /// The name of its definition in the schema.
  package let name: String

  /// The meaning, as that of a field.
  package let summary: String

  package let fields: [Field]

  /// Further keywords of the schema, as members of an object in JSON.
  package let conditions: String?

  init(_ name: String, _ summary: String, _ fields: [Field], conditions: String? = nil) {
    (self.name, self.summary, self.fields) = (name, summary, fields)
    self.conditions = conditions
  }
}

extension JSONType {
  /// The valid values in words, as in "must be a number from 0 to 1".
  package var expected: String {
    switch self {
    case .boolean: "true or false"
    case .alwaysTrue: "true"
    case .integer(let from, let to):
      "an integer" + JSONType.range(from.map { String($0) }, to.map { String($0) })
    case .number(let from, let to):
      "a number" + JSONType.range(from.map(\.shortDescription), to.map(\.shortDescription))
    case .numberOf64Bits: "a number of at most 64 bits"
    case .text(let limit): "a string\(limit.expected)"
    case .word(let words): "one of \(words.joined(separator: ", "))"
    case .list(_, let count):
      "a list of \(count.map { "at most \($0.upperBound) " } ?? "")strings"
    case .texts(let count, _, _):
      "an object of \(count.map { "at most \($0) " } ?? "")strings"
    case .object: "an object"
    case .either(let types): types.map(\.expected).joined(separator: " or ")
    case .orNull(let type): "\(type.expected), or null"
    case .named(_, let type, _): type.expected
    case .any: "any value"
    }
  }

  private static func range(_ from: String?, _ to: String?) -> String {
    (from.map { " from \($0)" } ?? "") + (to.map { " to \($0)" } ?? "")
  }
}

extension TextLimit {
  fileprivate var expected: String {
    switch self {
    case .none, .matching: ""
    case .filled: " that is not empty"
    case .bytes(let count): " of at most \(count) bytes"
    case .scalars(let count, mayBeEmpty: _):
      " of at most \(count) characters without control characters"
    }
  }
}
