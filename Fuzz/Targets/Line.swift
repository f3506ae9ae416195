import FoundationEssentials

@testable import PressureClient
@testable import PressureProtocol

/// Lines of a daemon: our decoder yields what Foundation's does, which other clients use.
///
/// The first byte selects whether the others are lines, or choices from which a line is generated that is JSON and has only
/// what both decoders read.
func fuzzLine(_ bytes: UnsafeBufferPointer<UInt8>) {
  guard let first = bytes.first else { return }
  let rest = UnsafeBufferPointer(rebasing: bytes.dropFirst())
  guard first & 1 == 0 else {
    var generator = LineGenerator(feed: Feed(rest))
    compare(All.self, Array(generator.line().utf8), isJSON: true)
    return
  }
  for line in rest.split(separator: UInt8(ascii: "\n")) {
    compare(All.self, Array(line), isJSON: false)
    compare(ReceivedEvent.self, Array(line), isJSON: false)
  }
}

/// Decodes a line by both.
///
/// - Parameters:
///   - type: the type.
///   - line: the line.
///   - isJSON: whether the line is one object within our limits, so that only a type can be wrong.
private func compare<Value: Decodable & Equatable>(
  _ type: Value.Type, _ line: [UInt8], isJSON: Bool
) {
  let text = String(decoding: line, as: UTF8.self)
  let ours = Result { try LineDecoder.decode(type, from: line) }
  let theirs = Result { try JSONDecoder().decode(type, from: Data(line)) }
  switch (ours, theirs) {
  case (.success(let ours), .success(let theirs)):
    require(ours == theirs, "\(text): \(ours) is not Foundation's \(theirs)")
  case (.success(let ours), .failure(let error)):
    // Foundation refuses numbers that are too small for a `Double`.
    let mayBeTooSmall = text.contains("e-") || text.contains("E-")
    require(!isJSON && mayBeTooSmall, "\(text): \(ours), but Foundation throws \(error)")
  case (.failure(let error), .success(let theirs)):
    // Foundation does not look at values that nobody asks for, so that only a type that is wrong is wrong for both.
    require(
      error is RequestError && !isJSON || error.isLargeInteger,
      "\(text): \(error), but Foundation yields \(theirs)")
  case (.failure(let error), .failure):
    require(!(error is RequestError && isJSON), "\(text) is JSON, but: \(error)")
  }
}

extension Error {
  /// An integer beyond `Int64`, which our decoder refuses instead of rounding it.
  fileprivate var isLargeInteger: Bool {
    if case DecodingError.dataCorrupted(let context)? = self as? DecodingError {
      context.debugDescription.hasSuffix("does not fit Int64")
    } else {
      false
    }
  }
}

/// A field of each kind.
private struct All: Decodable, Equatable {
  enum Word: String, Decodable { case one, two }

  struct Inner: Decodable, Equatable {
    var int: Int?
    var inner: [String: Int]?
  }

  var int: Int?
  var small: Int8?
  var unsigned: UInt32?
  var large: UInt64?
  var double: Double?
  var bool: Bool?
  var text: String?
  var word: Word?
  var list: [Int?]?
  var lists: [[Double]]?
  var words: [String: String]?
  var inner: Inner?
  var inners: [Inner]?

  static let keys = [
    "int", "small", "unsigned", "large", "double", "bool", "text", "word", "list", "lists",
    "words", "inner", "inners",
  ]
}

/// Makes objects from choices: JSON with values of fitting and of other types, known and unknown keys, and keys given twice.
private struct LineGenerator {
  private static let maximumDepth = 6

  var feed: Feed

  mutating func line() -> String { space() + object(depth: 1) + space() }

  private mutating func object(depth: Int) -> String {
    let members = (0..<feed.below(6)).map { _ in
      let key = feed.below(5) == 0 ? string() : quoted(feed.pick(All.keys))
      return space() + key + space() + ":" + space() + value(depth: depth + 1) + space()
    }
    return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
  }

  private mutating func value(depth: Int) -> String {
    switch feed.below(depth < LineGenerator.maximumDepth ? 9 : 6) {
    case 0: "null"
    case 1: feed.isSet() ? "true" : "false"
    case 2: string()
    case 3: quoted(feed.isSet() ? "one" : "two")
    case 4: integer()
    case 5: number()
    case 6: object(depth: depth)
    default:
      "[" + space()
        + (0..<feed.below(4)).map { _ in value(depth: depth + 1) }.joined(separator: ",")
        + space() + "]"
    }
  }

  private mutating func integer() -> String {
    switch feed.below(4) {
    case 0: "\(feed.byte())"
    case 1: "-\(feed.byte())"
    case 2: "\(feed.number())"
    default: "\(feed.long())"
    }
  }

  /// Every form of a number that both decoders convert to the same `Double`.
  private mutating func number() -> String {
    let whole = feed.isSet() ? "\(feed.number())" : feed.isSet() ? "-0" : "0"
    let fraction = feed.isSet() ? ".\(feed.word())" : ""
    let sign = feed.pick(["", "+", "-"])
    let exponent = feed.isSet() ? "\(feed.isSet() ? "e" : "E")\(sign)\(feed.below(250))" : ""
    return whole + fraction + exponent
  }

  private mutating func string() -> String {
    quoted(
      (0..<feed.below(6)).map { _ in
        switch feed.below(5) {
        case 0: String(UnicodeScalar(UInt8(0x23 + feed.below(0x39))))
        case 1: feed.pick(["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"])
        case 2: feed.pick(["ä", "e\u{301}", "😀", "\u{7f}", "\u{2028}", "\u{fffd}"])
        case 3: feed.pick(["\\u0000", "\\u00e4", "\\uD83D\\ude00", "\\u001b", "\\uffff"])
        default: feed.pick(["a", "text", "", "null"])
        }
      }.joined())
  }

  private mutating func space() -> String { feed.pick(["", "", "", "", " ", "\t", " \r "]) }

  private func quoted(_ text: String) -> String { "\"\(text)\"" }
}
