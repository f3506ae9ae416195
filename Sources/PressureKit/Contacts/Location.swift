/// A place on a surface.
public struct Location: Hashable, Sendable {
  /// The part of the surface's width, from its left edge, 0…1.
  public var x: Double

  /// The part of the surface's height, from its upper edge, 0…1.
  public var y: Double

  private var xMillimetres: Sparse
  private var yMillimetres: Sparse

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
    xMillimetres = Sparse(millimetres?.x)
    yMillimetres = Sparse(millimetres?.y)
  }

  /// A place on a surface of so many millimetres; both are no number where one is not known.
  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    xMillimetres = Sparse(orMissing: x * width)
    yMillimetres = Sparse(orMissing: y * height)
  }

  /// Millimetres from the left and the upper edge, or nil where the device states no resolution.
  public var millimetres: Millimetres? {
    get {
      guard let x = xMillimetres.value, let y = yMillimetres.value else { return nil }
      return Millimetres(x: x, y: y)
    }
    set {
      xMillimetres = Sparse(newValue?.x)
      yMillimetres = Sparse(newValue?.y)
    }
  }
}
