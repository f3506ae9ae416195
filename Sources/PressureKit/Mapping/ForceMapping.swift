/// What a program may draw of how hard something is pressed: pure values, each by a law of its own.
///
/// | value | law | range |
/// |---|---|---|
/// | `progress` | force / its own maximum | 0…1 |
/// | `zoom.scale` | max(1, force) | 1…the device's maximum |
/// | `zoom.x`, `zoom.y` | the place in the target region | 0…1 |
/// | `shadow` | what it is at rest × (1 − progress) | what it is at rest…0 |
/// | `circle.scale` | 1 + (grams / 5) / 20 | 1… |
///
/// Nothing pressed gives the values of rest. The maximum is always the device's own: there is no number
/// that fits two devices.
public struct ForceMapping: Hashable, Sendable {
  public let force: Force

  /// Grams, or nil where there is nothing to weigh by, as in a simulated press.
  public let weight: Weight?

  /// Where in the target region it is pressed, 0…1 of the region's width and height.
  private let x: Double
  private let y: Double

  /// Maps a contact.
  ///
  /// - Parameters:
  ///   - contact: what presses.
  ///   - region: what is drawn lies here; nil for the whole surface.
  public init(_ contact: Contact, in region: Region? = nil) {
    let target = region.map { Target($0, at: contact.location) }
    self.init(contact.force, contact.weight, x: target?.x, y: target?.y, at: contact.location)
  }

  /// Maps a press, whose force may be made up, in its own target or else on the whole surface.
  public init(_ press: Press) {
    let location = press.contact.location
    self.init(press.force, press.weight, x: press.target?.x, y: press.target?.y, at: location)
  }

  package init(_ force: Force, _ weight: Weight?, x: Double?, y: Double?, at location: Location) {
    self.force = force
    self.weight = weight
    self.x = min(max(x ?? location.x, 0), 1)
    self.y = min(max(y ?? location.y, 0), 1)
  }

  /// How far an animation is that force drives: force / maximum, 0…1.
  public var progress: Double { min(max(force.ratio, 0), 1) }
}

extension ForceMapping {
  /// How a picture is enlarged around the place that is pressed.
  public struct Zoom: Hashable, Sendable {
    /// How many times as large, 1 or more.
    public let scale: Double

    /// What stays where it is, as a part of the picture's width from its left edge, 0…1.
    public let x: Double

    /// What stays where it is, as a part of the picture's height from its upper edge, 0…1.
    public let y: Double
  }

  /// The zoom for a picture that fills the region: up to an average touch none, then as many times as it.
  ///
  /// As the scale is never below 1 and the anchor never outside, the picture always covers its region.
  public var zoom: Zoom { Zoom(scale: max(1, force.value), x: x, y: y) }
}

extension ForceMapping {
  /// The shadow of a button, in points.
  public struct Shadow: Hashable, Sendable {
    /// How far it falls.
    public var offset: Double

    /// How soft its edge is.
    public var radius: Double

    public init(offset: Double, radius: Double) {
      self.offset = offset
      self.radius = radius
    }
  }

  /// The shadow of a button that is pressed: it shrinks in a straight line, to nothing at the maximum.
  ///
  /// - Parameter resting: the shadow where nothing presses.
  /// - Returns: the shadow at this force.
  public func shadow(resting: Shadow = Shadow(offset: 10, radius: 10)) -> Shadow {
    let rest = 1 - progress
    return Shadow(offset: resting.offset * rest, radius: resting.radius * rest)
  }
}

extension ForceMapping {
  /// A translucent circle under the touch.
  public struct Circle: Hashable, Sendable {
    /// Its width where nothing presses, in points.
    public static let width = 80.0

    /// Points in a millimeter, as the screen had them that the law was made for: 326 pixels an inch, two a point.
    public static let pointsPerMillimeter = 326.0 / 2 / 25.4

    /// How much of it hides what is behind, 0…1.
    public static let opacity = 0.6

    /// How many times as wide it is, 1 or more.
    public let scale: Double

    /// The circle of so many grams: 5 g make it wider by a twentieth; where nothing weighs it stays as it is.
    ///
    /// - Parameter grams: nil where there is nothing to weigh by.
    public init(grams: Double?) {
      scale = 1 + max(grams ?? 0, 0) / 5 / 20
    }

    /// Its width now, in points.
    public var width: Double { Circle.width * scale }
  }

  /// The circle for the grams.
  public var circle: Circle { Circle(grams: weight?.grams) }
}
