/// One finger, pen or object on a surface.
///
/// The corresponding class of UIKit is `UITouch`.
public struct Contact: Hashable, Sendable {
  /// The phase of a contact's life.
  public enum Phase: String, Sendable {
    /// It touched the surface in this frame.
    case began
    /// Its location, pressure or another value changed in this frame.
    case moved
    /// It is on the surface and none of its values changed in this frame.
    case stationary
    /// It was lifted.
    case ended
    /// It turned out not to be a touch (a palm), or its device went away.
    case cancelled
  }

  private let slotNumber: Int32

  /// The identity of the contact, unique on its device from `began` to `ended`.
  public let id: TrackingID

  /// The sensor's value in units of the pressure axis; nil if the device has no such axis or the value is unknown.
  public internal(set) var raw: Int32?

  /// The change of the contact in this frame.
  public internal(set) var phase = Phase.began

  /// Whether the sensor has reached the end of its range, so that the true value may be higher.
  public internal(set) var isSaturated = false

  /// Properties derived from further axes; one byte, as contacts are copied often.
  var traits: Traits = []

  /// The location on the surface.
  public internal(set) var location = Location(x: 0, y: 0)

  /// The force; 0 while the contact hovers, and if `raw` is nil.
  public internal(set) var force = Force(ratio: 0, maximumPossible: 0)

  private var packedWeight = PackedWeight(nil)
  package var shape = ContactShape()

  /// The time of the frame in which it began, or from which on another person may touch the surface.
  public private(set) var beganAt: Timestamp

  /// A number that increases with each contact of the device: lower is older.
  package let order: Int

  /// The maximum force so far, in units of an average touch.
  public internal(set) var peakForce = 0.0

  private var packedPeak = PackedWeight(nil)

  package init(slot: Int, id: TrackingID, beganAt: Timestamp, order: Int) {
    slotNumber = Int32(slot)
    self.id = id
    self.beganAt = beganAt
    self.order = order
  }

  struct Traits: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// It hovers above the surface now.
    static let hovering = Traits(rawValue: 1)
    static let touched = Traits(rawValue: 2)
    /// It has been longer than a fingertip; it counts as a resting thumb or palm until it is lifted.
    static let large = Traits(rawValue: 4)
    /// It is a thumb that rests while other fingers touch, or may be one.
    static let restingThumb = Traits(rawValue: 8)
    /// It is undecided whether it is a thumb at rest.
    static let undecidedThumb = Traits(rawValue: 16)
  }

  package var isHovering: Bool { traits.contains(.hovering) }

  /// Whether it counts as a finger: on the surface and not larger than a fingertip.
  package var isFinger: Bool { traits.isDisjoint(with: [.hovering, .large]) }

  var isRestingThumb: Bool { traits.contains(.restingThumb) }

  var isUndecidedThumb: Bool { traits.contains(.undecidedThumb) }

  package var isThumbAtRest: Bool { isRestingThumb && !isUndecidedThumb }

  /// Whether it was a finger's touch, for which the sensor should have reported a pressure.
  var countsAsTouch: Bool { traits.contains(.touched) && !traits.contains(.large) }

  /// The number of its slot, as on the wire.
  public var slot: Int { Int(slotNumber) }

  /// Gross weight, unaffected by any tare; nil if the device has no weight source or the pressure is unknown.
  public internal(set) var weight: Weight? {
    get { packedWeight.value }
    set { packedWeight = PackedWeight(newValue) }
  }

  /// The length of the contact area in millimeters; nil if the device states no length or no resolution.
  public var majorMillimeters: Double? { shape.major }

  /// The width of the contact area in millimeters; nil if the device states no width or no resolution.
  public var minorMillimeters: Double? { shape.minor }

  /// The length of the finger above the contact area in millimeters; nil if the device states no length or resolution.
  public var widthMillimeters: Double? { shape.width }

  /// The clockwise rotation from the vertical in degrees, −180…180; nil if the device does not state it.
  public var angle: Double? { shape.angle }

  /// The maximum weight so far; nil if the device has no weight source.
  public internal(set) var peakWeight: Weight? {
    get { packedPeak.value }
    set { packedPeak = PackedWeight(newValue) }
  }

  @inline(__always)
  package mutating func measure(_ values: SlotValues, pressure: Int32, on surface: Surface) {
    location = surface.location(x: values.x, y: values.y)
    if surface.hasShape { shape = surface.shape(values) }
    // A hovering contact does not press, whatever the sensor reports.
    let isHovering = values.distance > 0
    if isHovering {
      traits.insert(.hovering)
    } else {
      traits.remove(.hovering)
      traits.insert(.touched)
      if values.major >= surface.largeMajor { traits.insert(.large) }
    }
    guard let axis = surface.pressure else { return }
    guard pressure != .unknownValue else { return forgetPressure(on: surface) }
    raw = pressure
    let pressed = isHovering ? axis.axis.minimum : pressure
    force = axis.force(of: pressed)
    isSaturated = axis.isSaturated(pressed)
    weight = surface.calibration.map { law in
      isHovering ? law.zeroWeight : law.weight(raw: pressed, ratio: force.ratio)
    }
    if surface.isPerContact { notePeak(weight: weight) }
  }

  /// The pressure is unknown, which is not zero, unless the contact hovers.
  @inline(never)
  private mutating func forgetPressure(on surface: Surface) {
    (raw, isSaturated) = (nil, false)
    force = Force(ratio: 0, maximumPossible: surface.pressure?.maximumPossibleForce ?? 0)
    weight = isHovering ? surface.calibration?.zeroWeight : nil
  }

  /// Updates the maximum force and weight; the weight may be a share of the total of a shared sensor.
  mutating func notePeak(weight: Weight?) {
    peakForce = max(peakForce, force.value)
    guard let weight else { return }
    if let peakWeight, weight < peakWeight { return }
    peakWeight = weight
  }

  /// Forgets its duration and its maxima; the weight may be its share of the total of a shared sensor.
  mutating func beginAnew(at time: Timestamp, weighing weight: Weight?) {
    (beganAt, peakForce, peakWeight) = (time, force.value, weight)
  }

  /// The contact in another phase; between two frames it is stationary, as nothing changes while a device sends nothing.
  package func with(_ phase: Phase) -> Contact {
    var contact = self
    contact.phase = phase
    return contact
  }
}

/// The identity of a contact from its beginning to its end; numbers are reused later.
///
/// The value -1, which marks an empty slot, is not a tracking ID.
/// The corresponding kernel constant is `ABS_MT_TRACKING_ID`.
public struct TrackingID: Hashable, Sendable {
  /// The kernel's number, 0 or more.
  public let value: Int32

  /// Converts the kernel's number; nil if it is negative.
  public init?(_ value: Int32) {
    guard value >= 0 else { return nil }
    self.value = value
  }
}

/// A point on a surface.
public struct Location: Hashable, Sendable {
  /// The distance from the left edge as a fraction of the surface's width, 0…1.
  public var x: Double

  /// The distance from the upper edge as a fraction of the surface's height, 0…1.
  public var y: Double

  private let xMillimeters: PackedOptional
  private let yMillimeters: PackedOptional

  /// Creates a location from fractions and, if known, millimeters.
  public init(x: Double, y: Double, millimeters: (x: Double, y: Double)? = nil) {
    self.x = x
    self.y = y
    xMillimeters = PackedOptional(millimeters?.x)
    yMillimeters = PackedOptional(millimeters?.y)
  }

  /// A point on a surface of the given size in millimeters; an unknown size is NaN.
  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    xMillimeters = PackedOptional(orMissing: x * width)
    yMillimeters = PackedOptional(orMissing: y * height)
  }

  /// Millimeters from the left and the upper edge; nil if the device states no resolution.
  public var millimeters: (x: Double, y: Double)? {
    guard let x = xMillimeters.value, let y = yMillimeters.value else { return nil }
    return (x, y)
  }
}

/// Length, width and orientation of a contact, packed into eight bytes.
///
/// Contacts are copied up to hundreds of times per frame, and one more word would make them too large to be moved
/// without a call. Lengths are therefore stored in hundredths of a millimeter and the angle in tenths of a degree,
/// which is the precision on the wire.
package struct ContactShape: Hashable, Sendable {
  private static let missingLength = UInt16.max
  private static let missingAngle = Int16.min

  private var majorHundredths = missingLength
  private var minorHundredths = missingLength
  private var widthHundredths = missingLength
  private var tenths = missingAngle

  package init() {}

  package init(_ values: SlotValues, on axes: ShapeAxes) {
    majorHundredths = ContactShape.hundredths(values.major, axes.major)
    minorHundredths = ContactShape.hundredths(values.minor, axes.minor)
    widthHundredths = ContactShape.hundredths(values.width, axes.width)
    guard let quarter = axes.quarter else { return }
    let degrees = Double(values.orientation) / quarter * 90
    tenths = Int16((min(max(degrees, -180), 180) * 10).rounded())
  }

  /// A length clamped to 0…655 mm, the range of the type.
  private static func hundredths(_ raw: Int32, _ unitsPerMillimeter: Double?) -> UInt16 {
    guard let unitsPerMillimeter else { return missingLength }
    let hundredths = Double(raw) / unitsPerMillimeter * 100 + 0.5
    return UInt16(min(max(hundredths, 0), Double(missingLength - 1)))
  }

  private static func millimeters(_ hundredths: UInt16) -> Double? {
    hundredths == missingLength ? nil : Double(hundredths) / 100
  }

  /// Millimeters, or nil if unknown.
  package var major: Double? { ContactShape.millimeters(majorHundredths) }

  package var minor: Double? { ContactShape.millimeters(minorHundredths) }

  package var width: Double? { ContactShape.millimeters(widthHundredths) }

  /// Degrees, −180…180, or nil if unknown.
  package var angle: Double? { tenths == ContactShape.missingAngle ? nil : Double(tenths) / 10 }

  package var isEmpty: Bool { self == ContactShape() }
}

package struct ShapeAxes: Hashable {
  /// Units per millimeter; nil if neither the axis nor the surface's width states a resolution.
  package let major: Double?
  package let minor: Double?
  package let width: Double?

  /// The axis value of a quarter turn; nil if the device does not state an orientation.
  package let quarter: Double?

  init?(_ description: DeviceDescription, x: Axis) {
    func unitsPerMillimeter(_ code: EventCode) -> Double? {
      guard let axis = description.axis(code) else { return nil }
      // An axis without its own resolution is in units of the surface.
      let resolution = axis.resolution > 0 ? axis.resolution : x.resolution
      return resolution > 0 ? Double(resolution) : nil
    }
    major = unitsPerMillimeter(.touchMajor)
    minor = unitsPerMillimeter(.touchMinor)
    width = unitsPerMillimeter(.widthMajor)
    let turn = description.axis(.orientation)?.maximum ?? 0
    quarter = turn > 0 ? Double(turn) : nil
    if major == nil, minor == nil, width == nil, quarter == nil { return nil }
  }
}

/// An optional number in the memory of the number alone, as NaN means nil: with the words of `Optional` a contact, which is
/// copied up to hundreds of times per frame, is too large to be moved without a call.
struct PackedOptional: Hashable, Sendable {
  private static let missing = Double.nan.bitPattern

  private let bits: UInt64

  init(_ number: Double?) {
    bits = number?.bitPattern ?? PackedOptional.missing
  }

  /// A result of arithmetic in which NaN stands for a missing operand.
  init(orMissing number: Double) {
    // NaN is not equal to itself; the comparison is faster than `isNaN`.
    bits = number == number ? number.bitPattern : PackedOptional.missing
  }

  var orNaN: Double { Double(bitPattern: bits) }

  var value: Double? { bits == PackedOptional.missing ? nil : Double(bitPattern: bits) }
}

/// An optional weight in the memory of its two numbers alone.
struct PackedWeight: Hashable, Sendable {
  private let grams: PackedOptional
  private let error: PackedOptional

  init(_ weight: Weight?) {
    grams = PackedOptional(weight?.grams)
    error = PackedOptional(weight?.error)
  }

  var value: Weight? { grams.value.map { Weight(grams: $0, error: error.value) } }
}
