/// A point on a surface.
public struct Location: Hashable, Sendable {
  /// The distance from the left edge as a fraction of the surface's width, 0…1.
  public var x: Double

  /// The distance from the upper edge as a fraction of the surface's height, 0…1.
  public var y: Double

  private var xMillimeters: PackedOptional
  private var yMillimeters: PackedOptional

  /// Distances from the left and the upper edge in millimeters.
  public struct Millimeters: Hashable, Sendable {
    /// The distance from the left edge.
    public var x: Double

    /// The distance from the upper edge.
    public var y: Double

    /// Creates a pair of distances.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// Creates a location from fractions and, if known, millimeters.
  public init(x: Double, y: Double, millimeters: Millimeters? = nil) {
    self.x = x
    self.y = y
    xMillimeters = PackedOptional(millimeters?.x)
    yMillimeters = PackedOptional(millimeters?.y)
  }

  /// A point on a surface of the given size in millimeters; both sizes are NaN if one is unknown.
  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    xMillimeters = PackedOptional(orMissing: x * width)
    yMillimeters = PackedOptional(orMissing: y * height)
  }

  /// Millimeters from the left and the upper edge; nil if the device states no resolution.
  public var millimeters: Millimeters? {
    get {
      guard let x = xMillimeters.value, let y = yMillimeters.value else { return nil }
      return Millimeters(x: x, y: y)
    }
    set {
      xMillimeters = PackedOptional(newValue?.x)
      yMillimeters = PackedOptional(newValue?.y)
    }
  }
}
