/// The lower edge of a touchpad, where thumbs rest, and what tells a thumb from a finger there.
struct ThumbZone: Hashable {
  /// The height of the zone in millimeters, or as a fraction of a surface without a resolution.
  private static let height = 15.0
  private static let partOfHeight = 0.15

  /// How far a resting thumb may move, in millimeters, or as a fraction of a surface without a resolution.
  private static let tolerance = 3.0
  private static let partOfWidth = 0.03

  /// The length of a thumb in millimeters, for a device that does not report the width of contacts.
  private static let length: Int64 = 14

  /// The first row of the zone, in units of the axis.
  let top: Int32

  private let xTolerance: Int64
  private let yTolerance: Int64

  /// The length of a thumb, in units of its axis; the maximum if it has no unit.
  private let length: Int32

  /// Nil for a touchscreen, and for a device that does not report the length of contacts.
  init?(_ description: DeviceDescription, x: Axis, y: Axis) {
    guard description.kind == .touchpad, x.span > 0, y.span > 0,
      let major = description.axis(.touchMajor)
    else { return nil }
    let hasWidth = description.has(.touchMinor)
    guard hasWidth || major.resolution > 0 else { return nil }
    let zone = ThumbZone.units(ThumbZone.height, ThumbZone.partOfHeight, of: y)
    top = Int32(clamping: Int64(y.maximum) - zone)
    xTolerance = ThumbZone.units(ThumbZone.tolerance, ThumbZone.partOfWidth, of: x)
    yTolerance = ThumbZone.units(ThumbZone.tolerance, ThumbZone.partOfWidth, of: y)
    length = hasWidth ? .max : Int32(clamping: ThumbZone.length * Int64(major.resolution))
  }

  private static func units(_ millimeters: Double, _ part: Double, of axis: Axis) -> Int64 {
    axis.resolution > 0
      ? Int64(millimeters * Double(axis.resolution)) : Int64(part * Double(axis.span))
  }

  /// Whether a contact is as long as a thumb: 1.3 times its width, or 14 mm if the width is not reported.
  fileprivate func isLong(_ values: SlotValues) -> Bool {
    values.minor > 0 ? Int64(values.major) * 10 >= Int64(values.minor) * 13 : values.major >= length
  }

  fileprivate func isNear(_ values: SlotValues, x: Int32, y: Int32) -> Bool {
    abs(Int64(values.x) - Int64(x)) <= xTolerance && abs(Int64(values.y) - Int64(y)) <= yTolerance
  }
}

/// Whether the contact of a slot is a thumb at rest.
///
/// Such a contact begins at the lower edge and does not move or, unless all contacts share a sensor, press. It must be long after
/// the first 100 ms; before, its area is still growing, and it is undecided whether it counts.
struct RestingThumb {
  enum Classification {
    case finger
    /// It may be either: it cancels no press, and none starts whose number of fingers depends on it.
    case undecided
    case thumb
  }

  /// In microseconds.
  private static let settling: Int64 = 100_000

  /// A pressing thumb is a finger; in units of an average touch.
  private static let lightForce = 1.5

  /// The growth of the area of a pressing thumb, whose force has then doubled.
  private static let growth = 1.5

  /// The greatest ratio on a sensor of contact area at which a thumb is assumed to rest: that of a large one with 70 g.
  private static let greatestRest = 0.45

  /// The least ratio after the first 100 ms, and the greatest before.
  private var restingRatio = RestingThumb.greatestRest
  private var earlyRatio = 0.0
  private(set) var isPossible = false
  private var x: Int32 = 0
  private var y: Int32 = 0

  mutating func begin(with values: SlotValues, in zone: ThumbZone?) {
    isPossible = zone.map { values.y >= $0.top } ?? false
    (x, y) = (values.x, values.y)
    (restingRatio, earlyRatio) = (RestingThumb.greatestRest, 0)
  }

  static func decisionTime(of contact: Contact) -> Timestamp {
    contact.beganAt.advanced(byMicroseconds: settling)
  }

  /// Decides whether the contact is a thumb at rest; once it is not, it remains a finger.
  mutating func update(
    with values: SlotValues, _ contact: Contact, at time: Timestamp, on surface: Surface
  ) -> Classification {
    guard isPossible, let zone = surface.thumbZone else { return .finger }
    let isSettled = time >= RestingThumb.decisionTime(of: contact)
    isPossible =
      !isPressing(contact, isSettled, on: surface) && contact.isFinger
      && zone.isNear(values, x: x, y: y)
    guard isPossible else { return .finger }
    guard isSettled else { return .undecided }
    return zone.isLong(values) ? .thumb : .finger
  }

  /// Whether a contact presses as a thumb at rest does not; on a sensor of contact area, once it is settled.
  private mutating func isPressing(
    _ contact: Contact, _ isSettled: Bool, on surface: Surface
  ) -> Bool {
    guard surface.isPerContact else { return false }
    if surface.capability == .force { return contact.force.value >= RestingThumb.lightForce }
    let ratio = contact.force.ratio
    guard isSettled else {
      earlyRatio = max(earlyRatio, ratio)
      return false
    }
    restingRatio = min(restingRatio, ratio)
    return ratio > restingRatio * RestingThumb.growth
      || earlyRatio > RestingThumb.greatestRest * RestingThumb.growth
  }
}
