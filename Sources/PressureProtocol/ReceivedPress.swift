public import PressureKit

/// A `press` line, as a client reads it.
public struct ReceivedPress: Hashable, Sendable, Decodable {
  /// How far the press is.
  public enum State: String, ReceivedWord {
    /// It has reached the first stage.
    case started
    /// Its force, its place or its stage is another one.
    case changed
    /// It has reached the effective maximum.
    case fixed
    /// It was let go.
    case ended
    /// It was no press after all.
    case cancelled
    /// A state that only a later daemon knows.
    case unknown
  }

  private enum CodingKeys: String, CodingKey {
    case time, device, contact, slot, state, stage, fingers, progress, transition, x, y, force
    case ratio, grams, target, simulated
    case xMillimeters = "x_mm"
    case yMillimeters = "y_mm"
    case targetX = "target_x"
    case targetY = "target_y"
  }

  /// Microseconds of CLOCK_MONOTONIC, or of the recording that the daemon plays.
  public var time: Int64

  public var device: String
  public var contact: Int64
  public var slot: Int?
  public var state: State
  public var stage: String?
  public var fingers: Int?

  /// How far it is in its stage, 0…1.
  public var progress: Double?

  /// How far it is on the way to the next stage, or below 0 to the one before, −1…1.
  public var transition: Double?

  public var x: Double?
  public var y: Double?
  public var xMillimeters: Double?
  public var yMillimeters: Double?
  public var force: Double?
  public var ratio: Double?
  public var grams: Double?

  /// The name of the region that it started in.
  public var target: String?

  /// Where it is in that region, in parts of its width and height, 0…1.
  public var targetX: Double?
  public var targetY: Double?

  /// Whether its force is made up from the time that the finger rests.
  public var simulated: Bool?
}

/// An `action` line, as a client reads it.
public struct ReceivedAction: Hashable, Sendable, Decodable {
  /// Microseconds of CLOCK_MONOTONIC, or of the recording that the daemon plays.
  public var time: Int64

  /// Where the press was, or nil where a request has performed it without one.
  public var device: String?

  /// The action's one and only name.
  public var type: String

  public var title: String?

  /// `press` or `request`.
  public var origin: String?

  /// The number of the user whose request it was.
  public var user: Int64?
}

extension ForceMapping {
  /// Maps a contact that a client has read in a `weight` line or in the answer to `state`.
  ///
  /// - Parameters:
  ///   - contact: what presses.
  ///   - region: what is drawn lies here; nil for the whole surface.
  public init(_ contact: ReceivedPressure, in region: Region? = nil) {
    let place = Location(x: contact.x, y: contact.y)
    let target = region.map { Target($0, at: place) }
    self.init(
      Force(ratio: contact.ratio, maximumPossible: contact.maximumPossibleForce),
      contact.grams.map { Weight(grams: $0, error: nil) }, x: target?.x, y: target?.y, at: place)
  }

  /// Maps a press that a client has read, in its own target or else on the whole surface.
  ///
  /// What the line leaves out counts as nothing pressed, in the middle.
  public init(_ press: ReceivedPress) {
    let (ratio, force) = (press.ratio ?? 0, press.force ?? 0)
    self.init(
      Force(ratio: ratio, maximumPossible: ratio > 0 ? force / ratio : 0),
      press.grams.map { Weight(grams: $0, error: nil) }, x: press.targetX, y: press.targetY,
      at: Location(x: press.x ?? 0.5, y: press.y ?? 0.5))
  }
}
