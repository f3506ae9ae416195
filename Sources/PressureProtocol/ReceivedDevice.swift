internal import PressureKit

/// A `device` line, as a client reads it.
public struct ReceivedDevice: Hashable, Sendable, Decodable {
  /// What has become of a device.
  public enum Change: String, ReceivedWord {
    /// It was there before this client came.
    case present
    /// It has appeared.
    case added
    /// It has gone.
    case removed
    /// It turned out to be able to do something else than it said, or weighs by another law.
    case changed
    /// Something that only a later daemon knows.
    case unknown
  }

  /// What a device's pressure means.
  public enum Capability: String, ReceivedWord {
    /// True force.
    case force
    /// An arbitrary axis, usually the area of contact.
    case size
    /// No pressure at all.
    case none
    /// An axis that says nothing.
    case broken
    /// Something that only a later daemon knows.
    case unknown
  }

  /// Where a device's grams come from.
  public enum Source: String, ReceivedWord {
    /// Known weights.
    case calibrated
    /// The units per gram that the device states.
    case kernel
    /// An assumed full scale: an estimate.
    case nominal
    /// Nowhere: it has no grams.
    case none
    /// Something that only a later daemon knows.
    case unknown
  }

  /// An axis of pressure, in its own units.
  public struct Pressure: Hashable, Sendable, Decodable {
    public var minimum: Int
    public var maximum: Int

    /// Units per gram, or 0 where the device states none.
    public var resolution: Int
  }

  private enum CodingKeys: String, CodingKey {
    case time, device, change, name, node, slots, capability, pressure, haptics
    case isPerContact = "per_contact"
    case weightSource = "weight_source"
    case effectiveMaximum = "effective_maximum"
    case sizeMillimeters = "size_mm"
    case simulatesPress = "simulated_press"
  }

  /// Microseconds of the clock that `hello` names; nil in the answer to `devices`.
  public var time: Int64?

  public var device: String

  /// Nil in the answer to `devices`.
  public var change: Change?

  /// What the device calls itself.
  public var name: String

  /// The node that it is read from, or the recording's path.
  public var node: String

  /// How many contacts it tells apart.
  public var slots: Int

  public var capability: Capability

  /// Whether each contact has a pressure of its own.
  public var isPerContact: Bool

  public var weightSource: Source

  /// Nil without pressure.
  public var pressure: Pressure?

  /// The raw value that counts as pressed to the full; nil without pressure.
  public var effectiveMaximum: Int?

  /// Width and height in millimeters, where it states a resolution.
  public var sizeMillimeters: [Double]?

  /// Whether it lets the finger feel a press to the full.
  public var haptics: Bool

  /// Whether its presses are made up by holding.
  public var simulatesPress: Bool
}
