internal import PressureKit

/// A `max_force` line, as a client reads it.
public struct ReceivedMaximumForce: Hashable, Sendable, Decodable {
  /// Which way a contact has gone.
  public enum State: String, ReceivedWord {
    /// It presses to the full.
    case reached
    /// It does not any longer.
    case released
    /// Something that only a later daemon knows.
    case unknown
  }

  private enum CodingKeys: String, CodingKey {
    case time, device, state, slot, contact, force, grams, x, y, target
    case isSaturated = "saturated"
  }

  /// Microseconds of the clock that `hello` names.
  public var time: Int64

  public var device: String
  public var state: State
  public var slot: Int
  public var contact: Int64

  /// A multiple of an average touch.
  public var force: Double

  /// Nil where there is nothing to weigh by.
  public var grams: Double?

  /// Whether the axis is at its end, so that it may be more.
  public var isSaturated: Bool

  /// Parts of the surface's width and height.
  public var x: Double
  public var y: Double

  /// The name of the region that it is in.
  public var target: String?
}
