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

/// A `weight` line, as a client reads it.
public struct ReceivedWeight: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case time, device, contacts, heaviest
    case totalGrams = "total_grams"
    case centerX = "center_x"
    case centerY = "center_y"
    case sharesSensor = "shared_sensor"
  }

  /// Microseconds of the clock that `hello` names.
  public var time: Int64

  public var device: String

  /// Those that are down.
  public var contacts: [ReceivedPressure]

  /// Nil where there is nothing to weigh by.
  public var totalGrams: Double?

  /// The middle of all contacts by their force, in parts of the surface; nil without a contact.
  public var centerX: Double?
  public var centerY: Double?

  /// The heaviest contact, or nil.
  public var heaviest: Int64?

  /// Whether several contacts divide one sensor's total.
  public var sharesSensor: Bool
}

/// A `heaviest` line, as a client reads it; all but the first two and the last are nil for nobody.
public struct ReceivedHeaviest: Hashable, Sendable, Decodable {
  /// Microseconds of the clock that `hello` names.
  public var time: Int64

  public var device: String
  public var slot: Int?

  /// The heaviest contact.
  public var contact: Int64?

  /// A multiple of an average touch.
  public var force: Double?

  public var grams: Double?

  /// Which contact it was before.
  public var previous: Int64?
}

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
