internal import PressureKit

/// How hard one contact presses, in a `weight` line and in the answer to `state`.
public struct ReceivedPressure: Hashable, Sendable, Decodable {
  /// What a contact did in a frame.
  public enum Phase: String, ReceivedWord {
    /// It has come down.
    case began
    /// Something about it has changed.
    case moved
    /// Nothing about it has changed.
    case stationary
    /// Something that only a later daemon knows.
    case unknown
  }

  private enum CodingKeys: String, CodingKey {
    case slot, contact, phase, x, y, raw, ratio, force, grams, angle
    case xMillimeters = "x_mm"
    case yMillimeters = "y_mm"
    case maximumPossibleForce = "maximum_possible_force"
    case isSaturated = "saturated"
    case majorMillimeters = "major_mm"
    case minorMillimeters = "minor_mm"
    case widthMillimeters = "width_mm"
  }

  public var slot: Int
  public var contact: Int64
  public var phase: Phase

  /// A part of the surface's width, from the left.
  public var x: Double

  /// A part of the surface's height, from the top.
  public var y: Double

  public var xMillimeters: Double?
  public var yMillimeters: Double?

  /// The axis's own value; nil without pressure.
  public var raw: Int64?

  /// Part of the way to the effective maximum, 0 to 1.
  public var ratio: Double

  /// A multiple of an average touch.
  public var force: Double

  /// The force at the effective maximum; 0 without pressure.
  public var maximumPossibleForce: Double

  /// Nil where there is nothing to weigh by.
  public var grams: Double?

  /// Whether the axis is at its end, so that it may be more.
  public var isSaturated: Bool

  /// The length of the contact, where it is known.
  public var majorMillimeters: Double?

  /// The width of the contact, where it is known.
  public var minorMillimeters: Double?

  /// The length of the finger above the contact, where it is known.
  public var widthMillimeters: Double?

  /// Degrees by which the length is turned clockwise from the vertical, −180…180, where it is known.
  public var angle: Double?
}
