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
