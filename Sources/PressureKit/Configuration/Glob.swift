/// A pattern for device IDs and names: `*` matches any characters or none, `?` exactly one.
public struct Glob: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The pattern as written.
  public let pattern: String

  /// Creates a pattern; every text is one.
  public init(_ pattern: String) {
    self.pattern = pattern
  }

  /// Creates a pattern from a literal.
  public init(stringLiteral pattern: String) {
    self.pattern = pattern
  }

  /// Whether the pattern matches the whole text.
  ///
  /// The time is at most the product of both lengths, as only the last `*` backtracks.
  public func matches(_ text: String) -> Bool {
    let pattern = Array(self.pattern.unicodeScalars)
    let text = Array(text.unicodeScalars)
    var (here, there) = (0, 0)
    var retry: (star: Int, from: Int)?
    while there < text.count {
      if here < pattern.count, pattern[here] == "*" {
        retry = (star: here, from: there)
        here += 1
      } else if here < pattern.count, pattern[here] == "?" || pattern[here] == text[there] {
        here += 1
        there += 1
      } else if let (star, from) = retry {
        retry = (star: star, from: from + 1)
        (here, there) = (star + 1, from + 1)
      } else {
        return false
      }
    }
    return pattern[here...].allSatisfy { $0 == "*" }
  }
}
