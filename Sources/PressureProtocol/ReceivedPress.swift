internal import PressureKit

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
