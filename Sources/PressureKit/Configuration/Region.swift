/// A named part of a surface.
public struct Region: Hashable, Sendable {
  public let name: String

  /// On which devices.
  public let device: Glob

  /// The left edge, 0…1 of the surface.
  public let x: Double

  /// The upper edge, 0…1 of the surface.
  public let y: Double

  /// Above 0, and within the surface.
  public let width: Double

  /// Above 0, and within the surface.
  public let height: Double

  /// What a sum of two decimal fractions may be too large by.
  private static let rounding = 1e-9

  /// Refuses a region that is empty or leaves the surface.
  public init(
    name: String, device: Glob = "*", x: Double, y: Double, width: Double, height: Double
  ) throws(InconsistentValuesError) {
    try Region.require(start: x, length: width, named: ("x", "width"))
    try Region.require(start: y, length: height, named: ("y", "height"))
    self.name = name
    self.device = device
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Whether a point lies inside or on an edge, so that the ends of the surface can be reached.
  public func contains(x pointX: Double, y pointY: Double) -> Bool {
    pointX >= x && pointX <= x + width && pointY >= y && pointY <= y + height
  }

  private static func require(
    start: Double, length: Double, named names: (String, String)
  ) throws(InconsistentValuesError) {
    guard start >= 0, length > 0 else {
      throw InconsistentValuesError(
        setting: names.1,
        reason: "\(names.0) (\(start.brief)) must be 0 or more"
          + " and \(names.1) (\(length.brief)) above 0")
    }
    guard start + length <= 1 + rounding else {
      throw InconsistentValuesError(
        setting: names.1,
        reason: "\(names.0) (\(start.brief)) and \(names.1) (\(length.brief))"
          + " must not come to more than 1")
    }
  }
}
