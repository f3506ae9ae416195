/// A named part of a surface.
public struct Region: Hashable, Sendable {
  /// The name on the wire.
  public let name: String

  /// The devices on which the region exists.
  public let device: Glob

  /// The left edge as a fraction of the surface's width, 0…1.
  public let x: Double

  /// The upper edge as a fraction of the surface's height, 0…1.
  public let y: Double

  /// The width as a fraction of the surface's width, above 0.
  public let width: Double

  /// The height as a fraction of the surface's height, above 0.
  public let height: Double

  /// Tolerance for the rounding error of a sum of two decimal fractions.
  private static let rounding = 1e-9

  /// Creates a region.
  ///
  /// - Throws: `InconsistentValuesError` if the region is empty or extends beyond the surface.
  public init(
    name: String, device: Glob = "*", x: Double, y: Double, width: Double, height: Double
  ) throws(InconsistentValuesError) {
    for (start, length, origin, size) in [(x, width, "x", "width"), (y, height, "y", "height")] {
      try requireConsistent(
        start >= 0 && length > 0, in: size,
        "\(origin) (\(start.shortDescription)) must be 0 or more"
          + " and \(size) (\(length.shortDescription)) above 0")
      try requireConsistent(
        start + length <= 1 + Region.rounding, in: size,
        "\(origin) (\(start.shortDescription)) plus \(size) (\(length.shortDescription))"
          + " must not exceed 1")
    }
    self.name = name
    self.device = device
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Whether a point lies inside or on an edge, so that the ends of the surface belong to a region.
  public func contains(x pointX: Double, y pointY: Double) -> Bool {
    pointX >= x && pointX <= x + width && pointY >= y && pointY <= y + height
  }
}

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
