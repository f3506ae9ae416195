public import PressureKit

/// A decoded `press` line.
public struct ReceivedPress: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case time, device, contact, slot, state, present, stage, entered, fingers, progress, transition
    case x, y, force, ratio, grams, target, region, simulated, clicked
    case xMillimeters = "x_mm"
    case yMillimeters = "y_mm"
    case targetX = "target_x"
    case targetY = "target_y"
  }

  /// The time in microseconds on the clock that `hello` names.
  public var time: Int64

  /// The ID of the device.
  public var device: String

  /// The tracking ID of the contact, 0 or more.
  public var contact: Int64

  /// The slot of the contact, 0 or more.
  public var slot: Int?

  /// The phase of the press.
  public var state: ProtocolValue<Press.State>

  /// True if the press started before the client connected.
  public var present: Bool?

  /// The name of the stage.
  public var stage: String?

  /// The name of the stage if this is the line on which the press reaches it from below; once for each crossing.
  public var entered: String?

  /// The number of fingers on the surface, 1 or more.
  public var fingers: Int?

  /// The progress within the stage, 0…1.
  public var progress: Double?

  /// The progress toward the next stage, or if negative toward the previous one, −1…1.
  public var transition: Double?

  /// The position from the left edge, 0…1 of the width of the surface.
  public var x: Double?

  /// The position from the top edge, 0…1 of the height of the surface.
  public var y: Double?

  /// The distance from the left edge in millimeters; nil if the device states no resolution.
  public var xMillimeters: Double?

  /// The distance from the top edge in millimeters; nil if the device states no resolution.
  public var yMillimeters: Double?

  /// The force as a multiple of an average touch, measured or simulated; nil if the pressure has become unknown.
  public var force: Double?

  /// The force as a part of the effective maximum, 0…1; nil if `force` is.
  public var ratio: Double?

  /// The weight in grams; nil if the pressure is unknown, without a weight source and for a simulated press.
  public var grams: Double?

  /// The name of the region in which the press started, if any.
  public var target: String?

  /// The position in that region, 0…1 of its width and height.
  public var targetX: Double?

  /// The position from the top edge of that region, 0…1 of its height.
  public var targetY: Double?

  /// The same as `target`; nil outside all regions.
  public var region: String?

  /// Whether the force is simulated from the time that the finger rests.
  public var simulated: Bool?

  /// Whether the button of the pad is down, or has been since the press started; nil if the surface is not a button.
  public var clicked: Bool?
}

extension ForceMapping {
  /// Maps a contact from a `weight` line or from the reply to `state`.
  ///
  /// An unknown pressure counts as no force.
  ///
  /// - Parameters:
  ///   - contact: The contact.
  ///   - region: The region that positions are relative to; nil for the whole surface.
  public init(_ contact: ReceivedPressure, in region: Region? = nil) {
    let location = Location(x: contact.x ?? .nan, y: contact.y ?? .nan)
    let target = region.map { Target($0, at: location) }
    self.init(
      Force(ratio: contact.ratio ?? 0, maximumPossible: contact.maximumPossibleForce),
      contact.grams.map { Weight(grams: $0, error: nil) }, x: target?.x, y: target?.y, at: location)
  }

  /// Maps a press, relative to its target or, without a target, to the whole surface.
  ///
  /// Missing fields default to no force at the center.
  public init(_ press: ReceivedPress) {
    let (ratio, force) = (press.ratio ?? 0, press.force ?? 0)
    self.init(
      Force(ratio: ratio, maximumPossible: ratio > 0 ? force / ratio : 0),
      press.grams.map { Weight(grams: $0, error: nil) }, x: press.targetX, y: press.targetY,
      at: Location(x: press.x ?? 0.5, y: press.y ?? 0.5))
  }
}
