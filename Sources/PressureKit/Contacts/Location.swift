/// A place on a surface.
public struct Location: Hashable, Sendable {
  /// The part of the surface's width, from its left edge, 0…1.
  public var x: Double

  /// The part of the surface's height, from its upper edge, 0…1.
  public var y: Double

  /// Millimetres from the left and the upper edge, or nil where the device states no resolution.
  public var millimetres: Millimetres?

  /// Lengths from the left and the upper edge.
  public struct Millimetres: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  public init(x: Double, y: Double, millimetres: Millimetres? = nil) {
    self.x = x
    self.y = y
    self.millimetres = millimetres
  }
}
