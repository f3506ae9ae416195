/// A place on a surface.
public struct Location: Hashable, Sendable {
  /// The part of the surface's width, from its left edge, 0…1.
  public var x: Double

  /// The part of the surface's height, from its upper edge, 0…1.
  public var y: Double

  private var xMillimeters: PackedOptional
  private var yMillimeters: PackedOptional

  /// Lengths from the left and the upper edge.
  public struct Millimeters: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  public init(x: Double, y: Double, millimeters: Millimeters? = nil) {
    self.x = x
    self.y = y
    xMillimeters = PackedOptional(millimeters?.x)
    yMillimeters = PackedOptional(millimeters?.y)
  }

  /// A place on a surface of so many millimeters; both are no number where one is not known.
  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    xMillimeters = PackedOptional(orMissing: x * width)
    yMillimeters = PackedOptional(orMissing: y * height)
  }

  /// Millimeters from the left and the upper edge, or nil where the device states no resolution.
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
