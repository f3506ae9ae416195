internal import PressureKit

/// A `contact` line, as a client reads it.
public struct ReceivedContact: Hashable, Sendable, Decodable {
  /// What has become of a contact.
  public enum Phase: String, ReceivedWord {
    /// It has come down.
    case began
    /// It was lifted.
    case ended
    /// It was no finger after all, or its device has gone.
    case cancelled
    /// Something that only a later daemon knows.
    case unknown
  }

  private enum CodingKeys: String, CodingKey {
    case time, device, slot, contact, phase, present, x, y, duration
    case xMillimeters = "x_mm"
    case yMillimeters = "y_mm"
    case peakForce = "peak_force"
    case peakGrams = "peak_grams"
  }

  /// Microseconds of the clock that `hello` names.
  public var time: Int64

  public var device: String
  public var slot: Int
  public var contact: Int64
  public var phase: Phase

  /// True in a snapshot: it was down before this client came.
  public var present: Bool?

  /// A part of the surface's width, from the left.
  public var x: Double

  /// A part of the surface's height, from the top.
  public var y: Double

  public var xMillimeters: Double?
  public var yMillimeters: Double?

  /// The greatest force that it had; nil before its end.
  public var peakForce: Double?

  /// The greatest weight that it had; nil before its end, and where there are no grams.
  public var peakGrams: Double?

  /// Microseconds from its beginning to its end.
  public var duration: Int64?
}
