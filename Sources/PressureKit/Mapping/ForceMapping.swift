/// Values for drawing force feedback; each is a pure function of force, weight and location.
///
/// | value | formula | range |
/// |---|---|---|
/// | `progress` | force / maximum force | 0…1 |
/// | `zoom.scale` | max(1, force) | 1…maximum force |
/// | `zoom.x`, `zoom.y` | location in the target region | 0…1 |
/// | `shadow` | resting shadow × (1 − progress) | resting shadow…0 |
/// | `circle.scale` | 1 + (grams / 5) / 20 | 1… |
///
/// Without force all values are those at rest. The maximum is always that of the device: no number fits two devices.
public struct ForceMapping: Hashable, Sendable {
  /// The force that is mapped.
  public let force: Force

  /// The weight; nil without a weight source and for a simulated press.
  public let weight: Weight?

  /// The location as a fraction of the target region's width and height, 0…1.
  private let x: Double
  private let y: Double

  /// Maps a contact.
  ///
  /// - Parameters:
  ///   - contact: the contact that presses.
  ///   - region: the region of the drawing; nil for the whole surface.
  public init(_ contact: Contact, in region: Region? = nil) {
    let target = region.map { Target($0, at: contact.location) }
    self.init(contact.force, contact.weight, x: target?.x, y: target?.y, at: contact.location)
  }

  /// Maps a press, simulated or measured, in its target region or else on the whole surface.
  public init(_ press: Press) {
    let location = press.contact.location
    self.init(press.force, press.weight, x: press.target?.x, y: press.target?.y, at: location)
  }

  package init(_ force: Force, _ weight: Weight?, x: Double?, y: Double?, at location: Location) {
    self.force = force
    self.weight = weight
    self.x = ForceMapping.position(x ?? location.x)
    self.y = ForceMapping.position(y ?? location.y)
  }

  /// A position within the region; its middle if it is unknown.
  private static func position(_ part: Double) -> Double { part.isNaN ? 0.5 : min(max(part, 0), 1) }

  /// The progress of an animation driven by force: force / maximum force, 0…1.
  public var progress: Double { min(max(force.ratio, 0), 1) }

  /// The magnification of a picture around the location of the press.
  public struct Zoom: Hashable, Sendable {
    /// The scale factor, 1 or more.
    public let scale: Double

    /// The fixed point as a fraction of the picture's width, 0…1 from its left edge.
    public let x: Double

    /// The fixed point as a fraction of the picture's height, 0…1 from its upper edge.
    public let y: Double
  }

  /// The zoom for a picture that fills the region: 1 up to an average touch, then the force.
  ///
  /// As the scale is at least 1 and the fixed point inside, the picture always covers its region.
  public var zoom: Zoom { Zoom(scale: max(1, force.value), x: x, y: y) }

  /// The shadow of a button, in points.
  public struct Shadow: Hashable, Sendable {
    /// The offset of the shadow.
    public var offset: Double

    /// The blur radius.
    public var radius: Double

    /// Creates a shadow from two lengths in points.
    public init(offset: Double, radius: Double) {
      self.offset = offset
      self.radius = radius
    }
  }

  /// The shadow of a pressed button; it shrinks linearly to nothing at the maximum force.
  ///
  /// - Parameter resting: the shadow without force.
  /// - Returns: the shadow at this force.
  public func shadow(resting: Shadow = Shadow(offset: 10, radius: 10)) -> Shadow {
    let rest = 1 - progress
    return Shadow(offset: resting.offset * rest, radius: resting.radius * rest)
  }

  /// A translucent circle under the touch.
  public struct Circle: Hashable, Sendable {
    /// The width without force, in points.
    public static let width = 80.0

    /// Points per millimeter on the screen that the formula was designed for: 326 pixels per inch, two pixels per point.
    public static let pointsPerMillimeter = 326.0 / 2 / 25.4

    /// Opacity, 0…1.
    public static let opacity = 0.6

    /// The scale factor, 1 or more.
    public let scale: Double

    /// The circle for a weight: each 5 g enlarge it by one twentieth.
    ///
    /// - Parameter grams: the weight; nil leaves the scale at 1.
    public init(grams: Double?) {
      scale = 1 + max(grams ?? 0, 0) / 5 / 20
    }

    /// The current width in points.
    public var width: Double { Circle.width * scale }
  }

  /// The circle for the weight.
  public var circle: Circle { Circle(grams: weight?.grams) }
}
