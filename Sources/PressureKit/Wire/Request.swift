/// A line from a client: what to do, and with what.
public struct Request: Hashable, Sendable {
  /// The longest line that is read, in bytes without its end.
  public static let maximumLength = 16 * 1024

  /// What the answer is to carry, as given.
  public var id: RequestValue

  public var verb: String
  public var arguments: [String: RequestValue]

  /// Makes a request of a JSON object's members.
  public init(members: [String: RequestValue]) throws(RequestFault) {
    var members = members
    id = members.removeValue(forKey: "id") ?? .null
    switch id {
    // One of more than 64 bits has been read as the nearest that there is.
    case .number(let id) where id.magnitude >= 0x1p63:
      throw .badArgument("id has more than 64 bits; give it as a text")
    case .null, .whole, .number, .text: break
    case .truth, .list, .object: throw .badArgument("id must be a number or a text")
    }
    guard case .text(let verb)? = members.removeValue(forKey: "do") else {
      throw .badArgument("a request needs \"do\", as in {\"do\":\"state\"}", id: id)
    }
    self.verb = verb
    arguments = members
  }

  /// Makes a request of a line written by hand: a verb, then `key=value` words, lists split at commas.
  public init(words line: Substring) throws(RequestFault) {
    var words = line.split { $0 == " " || $0 == "\t" }
    guard !words.isEmpty else { throw .badArgument("an empty line; try help") }
    verb = String(words.removeFirst())
    id = .null
    arguments = [:]
    for word in words {
      guard let equals = word.firstIndex(of: "=") else {
        let glance = String(word).glance
        throw .badArgument("\(glance) is not a word of the form key=value", id: id, verb: verb)
      }
      let key = String(word[..<equals])
      let value = Request.value(word[word.index(after: equals)...])
      if key == "id" { id = value } else { arguments[key] = value }
    }
  }

  private static func value(_ word: Substring) -> RequestValue {
    word.contains(",")
      ? .list(word.split(separator: ",").map { .text(String($0)) }) : .text(String(word))
  }
}
