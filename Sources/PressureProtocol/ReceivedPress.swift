public import PressureKit

/// A decoded `press` line.
public struct ReceivedPress: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case time, device, contact, slot, state, stage, fingers, progress, transition, x, y, force
    case ratio, grams, target, simulated
    case xMillimeters = "x_mm"
    case yMillimeters = "y_mm"
    case targetX = "target_x"
    case targetY = "target_y"
  }

  /// The time in microseconds on the clock that `hello` names.
  public var time: Int64

  public var device: String
  public var contact: Int64
  public var slot: Int?

  /// The phase of the press.
  public var state: ProtocolValue<Press.State>

  public var stage: String?
  public var fingers: Int?

  /// The progress within the stage, 0…1.
  public var progress: Double?

  /// The progress toward the next stage, or if negative toward the previous one, −1…1.
  public var transition: Double?

  public var x: Double?
  public var y: Double?
  public var xMillimeters: Double?
  public var yMillimeters: Double?
  public var force: Double?
  public var ratio: Double?
  public var grams: Double?

  /// The name of the region in which the press started, if any.
  public var target: String?

  /// The position in that region, 0…1 of its width and height.
  public var targetX: Double?
  public var targetY: Double?

  /// Whether the force is simulated from the time that the finger rests.
  public var simulated: Bool?
}

/// A decoded `action` line.
public struct ReceivedAction: Hashable, Sendable, Decodable {
  /// The time in microseconds on the clock that `hello` names.
  public var time: Int64

  /// The device; nil if a request that names no device performed the action.
  public var device: String?

  /// The unique type of the action.
  public var type: String

  public var title: String?

  /// `press` or `request`.
  public var origin: String?

  /// The user ID of the client that requested it; nil if a press performed it.
  public var user: Int64?
}

extension ForceMapping {
  /// Maps a contact from a `weight` line or from the reply to `state`.
  ///
  /// - Parameters:
  ///   - contact: The contact.
  ///   - region: The region that positions are relative to; nil for the whole surface.
  public init(_ contact: ReceivedPressure, in region: Region? = nil) {
    let location = Location(x: contact.x, y: contact.y)
    let target = region.map { Target($0, at: location) }
    self.init(
      Force(ratio: contact.ratio, maximumPossible: contact.maximumPossibleForce),
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
