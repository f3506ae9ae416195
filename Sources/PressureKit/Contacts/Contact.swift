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

  private let slotNumber: Int32

  /// Who it is; unique on its device from began to ended.
  public let id: TrackingID

  /// The sensor's value in its own units; nil where there is no pressure axis.
  public internal(set) var raw: Int32?

  public internal(set) var phase: Phase

  /// Whether the sensor is at the end of its range and can say no more.
  public internal(set) var isSaturated: Bool

  /// What its axes have told of it beyond place and pressure; one byte, as contacts are copied often.
  var traits: Traits = []

  public internal(set) var location: Location
  public internal(set) var force: Force
  private var sparseWeight = PackedWeight(nil)
  package var shape = ContactShape()

  /// When it came down.
  public let beganAt: Timestamp

  /// Counts up with each contact of the device: the smaller, the older.
  package let order: Int

  /// The greatest force so far.
  public internal(set) var peakForce: Double

  private var sparsePeak = PackedWeight(nil)

  /// A contact that has just come down and is yet to be measured.
  package init(slot: Int, id: TrackingID, beganAt: Timestamp, order: Int) {
    slotNumber = Int32(slot)
    self.id = id
    self.beganAt = beganAt
    self.order = order
    phase = .began
    location = Location(x: 0, y: 0)
    force = Force(ratio: 0, maximumPossible: 0)
    isSaturated = false
    peakForce = 0
  }
}

extension Contact {
  /// What a contact is, as far as its axes tell.
  struct Traits: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// It is in the air now.
    static let hovering = Traits(rawValue: 1)
    /// It has been on the surface.
    static let touched = Traits(rawValue: 2)
    /// It has been longer than any fingertip, and counts as a thumb or palm at rest until it is lifted.
    static let large = Traits(rawValue: 4)
  }

  /// Whether it is in the air, whatever the sensor reads of it.
  var isHovering: Bool { traits.contains(.hovering) }

  /// Whether it counts as a finger: on the surface, and no larger than a fingertip.
  var isFinger: Bool { traits.isDisjoint(with: [.hovering, .large]) }

  /// Whether it was a whole touch of a finger, from which a pressure might be expected.
  var isEvidence: Bool { traits.contains(.touched) && !traits.contains(.large) }

  /// The number of its slot, as the wire gives it.
  public var slot: Int { Int(slotNumber) }

  /// Gross grams, untouched by any tare; nil where the device gives nothing to weigh by.
  public internal(set) var weight: Weight? {
    get { sparseWeight.value }
    set { sparseWeight = PackedWeight(newValue) }
  }

  /// The length of the area of contact, where the device states it and its resolution.
  public var majorMillimeters: Double? { shape.major }

  /// The width of the area of contact, where the device states it and its resolution.
  public var minorMillimeters: Double? { shape.minor }

  /// The length of the finger above the area of contact, where the device states it and its resolution.
  public var widthMillimeters: Double? { shape.width }

  /// Degrees by which the length is turned clockwise from the vertical, −180…180, where the device states it.
  public var angle: Double? { shape.angle }

  /// The greatest weight so far.
  public internal(set) var peakWeight: Weight? {
    get { sparsePeak.value }
    set { sparsePeak = PackedWeight(newValue) }
  }
}

extension Contact {
  /// Makes place, force and weight of the kernel's values.
  @inline(__always)
  package mutating func measure(_ values: SlotValues, pressure: Int32, on surface: Surface) {
    location = surface.location(x: values.x, y: values.y)
    if surface.hasShape { shape = surface.shape(values) }
    // What hovers does not press, whatever the sensor sees of it.
    let isHovering = values.distance > 0
    if isHovering {
      traits.insert(.hovering)
    } else {
      traits.remove(.hovering)
      traits.insert(.touched)
      if values.major >= surface.largeMajor { traits.insert(.large) }
    }
    guard let axis = surface.pressure else { return }
    raw = pressure
    let pressed = isHovering ? axis.axis.minimum : pressure
    force = axis.force(of: pressed)
    isSaturated = axis.isSaturated(pressed)
    weight = surface.calibration.map { law in
      isHovering ? law.nothing : law.weight(raw: pressed, ratio: force.ratio)
    }
    if surface.isPerContact { notePeak(weight: weight) }
  }

  /// Remembers the greatest force and weight, of which a part of a sensor's total may be its own.
  mutating func notePeak(weight: Weight?) {
    peakForce = max(peakForce, force.value)
    guard let weight else { return }
    if let peakWeight, weight < peakWeight { return }
    peakWeight = weight
  }
}

extension Contact {
  /// The same contact as it came down.
  package var asBegun: Contact { with(.began) }

  /// The same contact between two frames: a device that is silent has not changed.
  package var atRest: Contact { with(.stationary) }

  private func with(_ phase: Phase) -> Contact {
    var contact = self
    contact.phase = phase
    return contact
  }
}

/// Who a contact is, from its beginning to its end; the number is used again later.
///
/// -1, the kernel's word for an empty slot, is none.
/// The corresponding kernel constant is `ABS_MT_TRACKING_ID`.
public struct TrackingID: Hashable, Sendable {
  public let value: Int32

  package init(value: Int32) {
    self.value = value
  }

  public init?(_ value: Int32) {
    guard value >= 0 else { return nil }
    self.value = value
  }
}
