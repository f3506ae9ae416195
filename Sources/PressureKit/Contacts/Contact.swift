/// One finger, pen or plum on a surface.
///
/// The corresponding class of UIKit is `UITouch`.
public struct Contact: Hashable, Sendable {
  /// Where in its life a contact is.
  public enum Phase: String, Sendable {
    /// It came down in this frame.
    case began
    /// Its place or its pressure changed in this frame.
    case moved
    /// It is down and nothing of it changed in this frame.
    case stationary
    /// It was lifted.
    case ended
    /// It was no touch after all (a palm), or its device went away.
    case cancelled
  }

  /// The number of its slot, as the wire gives it.
  public let slot: Int

  /// Who it is; unique on its device from began to ended.
  public let id: TrackingID

  public internal(set) var phase: Phase
  public internal(set) var location: Location

  /// The sensor's value in its own units; nil where there is no pressure axis.
  public internal(set) var raw: Int32?

  public internal(set) var force: Force

  /// Gross grams, untouched by any tare; nil where the device gives nothing to weigh by.
  public internal(set) var weight: Weight?

  /// Whether the sensor is at the end of its range and can say no more.
  public internal(set) var isSaturated: Bool

  /// The length of the area of contact, where the device states it and its resolution.
  public internal(set) var majorMillimetres: Double?

  /// When it came down.
  public let beganAt: Timestamp

  /// The greatest force so far.
  public internal(set) var peakForce: Double

  /// The greatest weight so far.
  public internal(set) var peakWeight: Weight?

  /// Counts up with each contact of the device: the smaller, the older.
  let order: Int
}
