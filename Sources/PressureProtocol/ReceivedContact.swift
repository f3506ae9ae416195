public import PressureKit

/// A decoded `contact` line.
public struct ReceivedContact: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case time, device, slot, contact, phase, present, x, y, duration
    case xMillimeters = "x_mm"
    case yMillimeters = "y_mm"
    case peakForce = "peak_force"
    case peakGrams = "peak_grams"
  }

  /// The time in microseconds on the clock that `hello` names.
  public var time: Int64

  /// The ID of the device.
  public var device: String

  /// The slot of the contact, 0 or more.
  public var slot: Int

  /// The tracking ID of the contact, 0 or more.
  public var contact: Int64

  /// The change of the contact in this frame.
  public var phase: ProtocolValue<Contact.Phase>

  /// True if the contact was down before the client subscribed.
  public var present: Bool?

  /// The position from the left edge, 0…1 of the width of the surface; nil if a recording does not contain it.
  public var x: Double?

  /// The position from the top edge, 0…1 of the height of the surface; nil if a recording does not contain it.
  public var y: Double?

  /// The distance from the left edge in millimeters; nil if the device states no resolution.
  public var xMillimeters: Double?

  /// The distance from the top edge in millimeters; nil if the device states no resolution.
  public var yMillimeters: Double?

  /// The maximum force during the contact; nil until it ends, or if the pressure is unknown.
  public var peakForce: Double?

  /// The maximum weight during the contact in grams; nil until it ends, or if the device has no weight source.
  public var peakGrams: Double?

  /// The duration of the contact in microseconds; nil until it ends.
  public var duration: Int64?
}

/// The pressure of one contact, in a `weight` line and in the reply to `state`.
public struct ReceivedPressure: Hashable, Sendable, Decodable {
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

  /// The slot of the contact, 0 or more.
  public var slot: Int

  /// The tracking ID of the contact, 0 or more.
  public var contact: Int64

  /// The change of the contact in this frame.
  public var phase: ProtocolValue<Contact.Phase>

  /// The position from the left edge, 0…1 of the width of the surface; nil if a recording does not contain it.
  public var x: Double?

  /// The position from the top edge, 0…1 of the height of the surface; nil if a recording does not contain it.
  public var y: Double?

  /// The distance from the left edge in millimeters; nil if the device states no resolution.
  public var xMillimeters: Double?

  /// The distance from the top edge in millimeters; nil if the device states no resolution.
  public var yMillimeters: Double?

  /// The raw value of the pressure axis; nil if the device has no pressure axis or the pressure is unknown.
  public var raw: Int64?

  /// The pressure as a part of the effective maximum, 0…1; nil if `raw` is.
  public var ratio: Double?

  /// The force as a multiple of an average touch; nil if `raw` is.
  public var force: Double?

  /// The force at the effective maximum; 0 if the device has no pressure axis.
  public var maximumPossibleForce: Double

  /// The weight in grams; nil if the device has no weight source.
  public var grams: Double?

  /// Whether the axis is saturated, so that the real force may be greater.
  public var isSaturated: Bool

  /// The length of the contact area; nil if unknown.
  public var majorMillimeters: Double?

  /// The width of the contact area; nil if unknown.
  public var minorMillimeters: Double?

  /// The length of the approaching finger; nil if unknown.
  public var widthMillimeters: Double?

  /// The clockwise angle in degrees of the length from the vertical, −180…180; nil if unknown.
  public var angle: Double?
}

/// A decoded `weight` line.
public struct ReceivedWeight: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case time, device, contacts, heaviest
    case totalGrams = "total_grams"
    case centerX = "center_x"
    case centerY = "center_y"
    case sharesSensor = "shared_sensor"
  }

  /// The time in microseconds on the clock that `hello` names.
  public var time: Int64

  /// The ID of the device.
  public var device: String

  /// The contacts that are down.
  public var contacts: [ReceivedPressure]

  /// The total weight in grams; nil if the device has no weight source or the pressure of a contact is unknown.
  public var totalGrams: Double?

  /// The center of all contacts weighted by force, 0…1 of the surface; nil without contacts.
  public var centerX: Double?

  /// The vertical position of that center, 0…1 of the surface; nil without contacts.
  public var centerY: Double?

  /// The tracking ID of the heaviest contact; nil if there is none.
  public var heaviest: Int64?

  /// Whether several contacts share the total of one sensor.
  public var sharesSensor: Bool
}

/// A decoded `heaviest` line; slot, contact, force and grams are nil if no contact is the heaviest.
public struct ReceivedHeaviest: Hashable, Sendable, Decodable {
  /// The time in microseconds on the clock that `hello` names.
  public var time: Int64

  /// The ID of the device.
  public var device: String

  /// The slot of the heaviest contact; nil if there is none.
  public var slot: Int?

  /// The tracking ID of the heaviest contact.
  public var contact: Int64?

  /// The force as a multiple of an average touch.
  public var force: Double?

  /// The weight in grams; nil without a heaviest contact or a weight source.
  public var grams: Double?

  /// The tracking ID of the previous heaviest contact.
  public var previous: Int64?
}

/// A decoded `max_force` line.
public struct ReceivedMaximumForce: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case time, device, state, present, slot, contact, force, grams, x, y, target, region
    case isSaturated = "saturated"
    case xMillimeters = "x_mm"
    case yMillimeters = "y_mm"
    case targetX = "target_x"
    case targetY = "target_y"
  }

  /// The time in microseconds on the clock that `hello` names.
  public var time: Int64

  /// The ID of the device.
  public var device: String

  /// Whether the maximum was reached or released.
  public var state: ProtocolValue<MaximumForce.State>

  /// True if the contact reached it before the client connected.
  public var present: Bool?

  /// The slot of the contact, 0 or more.
  public var slot: Int

  /// The tracking ID of the contact, 0 or more.
  public var contact: Int64

  /// The force as a multiple of an average touch; nil if it has become unknown.
  public var force: Double?

  /// The weight in grams; nil if the device has no weight source.
  public var grams: Double?

  /// Whether the axis is saturated, so that the real force may be greater.
  public var isSaturated: Bool

  /// The position from the left edge, 0…1 of the width of the surface; nil if a recording does not contain it.
  public var x: Double?

  /// The position from the top edge, 0…1 of the height of the surface; nil if a recording does not contain it.
  public var y: Double?

  /// The distance from the left edge in millimeters; nil if the device states no resolution.
  public var xMillimeters: Double?

  /// The distance from the top edge in millimeters; nil if the device states no resolution.
  public var yMillimeters: Double?

  /// The name of the region that contains the contact, if any.
  public var target: String?

  /// The position from the left edge of that region, 0…1 of its width.
  public var targetX: Double?

  /// The position from the top edge of that region, 0…1 of its height.
  public var targetY: Double?

  /// The same as `target`; nil outside all regions.
  public var region: String?
}
