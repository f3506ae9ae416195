/// A named region, and a point in it.
public struct Target: Hashable, Sendable {
  /// The region's name.
  public let name: String

  /// The part of the region's width, from its left edge, 0…1; what has left the region is at its edge.
  public let x: Double

  /// The part of the region's height, from its upper edge, 0…1; what has left the region is at its edge.
  public let y: Double

  package init(_ region: Region, at location: Location) {
    name = region.name
    x = min(max((location.x - region.x) / region.width, 0), 1)
    y = min(max((location.y - region.y) / region.height, 0), 1)
  }
}
