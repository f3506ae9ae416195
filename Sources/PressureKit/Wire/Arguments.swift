/// The arguments of a request, taken one by one, so that what nobody took is unknown.
struct Arguments {
  private let verb: String

  /// Whether numbers, truth values and lists of one may be text, as words cannot write them otherwise.
  private let isWords: Bool

  private var rest: [String: RequestValue]

  init(_ request: Request) {
    verb = request.verb
    isWords = request.isWords
    rest = request.arguments
  }

  mutating func text(_ key: String) throws(RequestFault) -> String? {
    switch take(key) {
    case nil: nil
    case .text(let text)?: text
    default: throw .badArgument("\(key) must be a text")
    }
  }

  mutating func texts(_ key: String) throws(RequestFault) -> [String]? {
    guard let argument = take(key) else { return nil }
    guard let texts = argument.texts(isWords: isWords) else {
      throw .badArgument("\(key) must be a list of texts")
    }
    return texts
  }

  mutating func number(
    _ key: String, in range: ClosedRange<Double>
  ) throws(RequestFault) -> Double? {
    guard let argument = take(key) else { return nil }
    guard let number = argument.double(isWords: isWords), range.contains(number) else {
      throw .badArgument(
        "\(key) must be a number from \(Int64(range.lowerBound)) to \(Int64(range.upperBound))")
    }
    return number
  }

  mutating func truth(_ key: String) throws(RequestFault) -> Bool? {
    switch take(key) {
    case nil: nil
    case .truth(let truth)?: truth
    case .text("true")? where isWords: true
    case .text("false")? where isWords: false
    default: throw .badArgument("\(key) must be true or false")
    }
  }

  /// Refuses what no one has asked for: it is probably misspelt.
  func finish() throws(RequestFault) {
    guard let stranger = rest.keys.min() else { return }
    throw .badArgument("\(verb) takes no argument \(stranger.glance)")
  }

  private mutating func take(_ key: String) -> RequestValue? {
    guard let argument = rest.removeValue(forKey: key), argument != .null else { return nil }
    return argument
  }
}
