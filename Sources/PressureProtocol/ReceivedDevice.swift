public import PressureKit

/// A decoded `device` line, or a device in the reply to `devices`.
public struct ReceivedDevice: Hashable, Sendable, Decodable {
  /// The pressure axis, in device units.
  public struct Pressure: Hashable, Sendable, Decodable {
    /// The lowest declared value.
    public var minimum: Int

    /// The highest declared value.
    public var maximum: Int

    /// The resolution in units per gram; 0 if the device reports none.
    public var resolution: Int
  }

  private enum CodingKeys: String, CodingKey {
    case time, device, change, stopping, name, node, slots, capability, pressure, haptics, verdict
    case isPerContact = "per_contact"
    case weightSource = "weight_source"
    case effectiveMaximum = "effective_maximum"
    case sizeMillimeters = "size_mm"
    case simulatesPress = "simulated_press"
  }

  /// The time in microseconds on the clock that `hello` names; nil in the reply to `devices`.
  public var time: Int64?

  /// The ID of the device.
  public var device: String

  /// The reason for the line; nil in the reply to `devices`.
  public var change: ProtocolValue<Device.Change>?

  /// Whether it was removed only because the daemon stops; nil if it was not.
  public var stopping: Bool?

  /// The name that the device reports.
  public var name: String

  /// The device node, or the path of the recording.
  public var node: String

  /// The maximum number of simultaneous contacts.
  public var slots: Int

  /// The meaning of the pressure axis.
  public var capability: ProtocolValue<Surface.Capability>

  /// Whether the device measures the pressure of each contact separately.
  public var isPerContact: Bool

  /// The source of grams.
  public var weightSource: ProtocolValue<WeightSource>

  /// Nil if the device has no pressure axis.
  public var pressure: Pressure?

  /// The raw value that counts as the maximum force; nil if the device has no pressure axis.
  public var effectiveMaximum: Int?

  /// Width and height in millimeters; nil if the device reports no resolution.
  public var sizeMillimeters: [Double]?

  /// Whether it plays haptic feedback when the maximum force is reached.
  public var haptics: Bool

  /// Whether presses are simulated from the time that a contact rests.
  public var simulatesPress: Bool

  /// What its pressure is, and what the pad does by itself; nil from a daemon before 0.2.
  public var verdict: ReceivedVerdict?
}
