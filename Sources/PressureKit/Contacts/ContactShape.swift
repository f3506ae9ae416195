/// Length, width and direction of a contact, in the memory of one number.
///
/// Contacts are copied some hundred times in a frame, and one more word would take them beyond what the compiler
/// moves without a call. So lengths are kept in hundredths of a millimeter, and the angle in tenths of a degree,
/// which is as exact as they are written.
package struct ContactShape: Hashable, Sendable {
  private static let missingLength = UInt16.max
  private static let missingAngle = Int16.min

  private var lengths = (major: missingLength, minor: missingLength, width: missingLength)
  private var tenths = missingAngle

  /// Nothing is known.
  package init() {}

  package init(_ values: SlotValues, on axes: ShapeAxes) {
    lengths = (
      ContactShape.hundredths(values.major, axes.major),
      ContactShape.hundredths(values.minor, axes.minor),
      ContactShape.hundredths(values.width, axes.width)
    )
    guard let quarter = axes.quarter else { return }
    let degrees = Double(values.orientation) / quarter * 90
    tenths = Int16((min(max(degrees, -180), 180) * 10).rounded())
  }

  /// A length; what leaves the range, which ends at 655 mm, lies on its edge.
  private static func hundredths(_ raw: Int32, _ unitsPerMillimeter: Double?) -> UInt16 {
    guard let unitsPerMillimeter else { return missingLength }
    let hundredths = Double(raw) / unitsPerMillimeter * 100 + 0.5
    return UInt16(min(max(hundredths, 0), Double(missingLength - 1)))
  }

  private static func millimeters(_ hundredths: UInt16) -> Double? {
    hundredths == missingLength ? nil : Double(hundredths) / 100
  }

  /// Millimeters, or nil where they are not known.
  package var major: Double? { ContactShape.millimeters(lengths.major) }

  /// Millimeters, or nil where they are not known.
  package var minor: Double? { ContactShape.millimeters(lengths.minor) }

  /// Millimeters, or nil where they are not known.
  package var width: Double? { ContactShape.millimeters(lengths.width) }

  /// Degrees, or nil where they are not known.
  package var angle: Double? { tenths == ContactShape.missingAngle ? nil : Double(tenths) / 10 }

  /// Whether nothing is known.
  package var isEmpty: Bool {
    tenths == ContactShape.missingAngle
      && lengths == (
        ContactShape.missingLength, ContactShape.missingLength, ContactShape.missingLength
      )
  }

  package static func == (left: ContactShape, right: ContactShape) -> Bool {
    left.lengths == right.lengths && left.tenths == right.tenths
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(lengths.major)
    hasher.combine(lengths.minor)
    hasher.combine(lengths.width)
    hasher.combine(tenths)
  }
}

/// The axes that state a contact's shape.
package struct ShapeAxes: Hashable {
  /// Units per millimeter, each nil where neither the axis nor the width of the surface states them.
  package let major: Double?
  package let minor: Double?
  package let width: Double?

  /// The value of a quarter of a turn, or nil where the device does not state a direction.
  package let quarter: Double?

  /// Nil where the device has none of them.
  init?(_ description: DeviceDescription, x: Axis) {
    func unitsPerMillimeter(_ code: EventCode) -> Double? {
      guard let axis = description.axis(code) else { return nil }
      // Without a resolution of its own it is in units of the surface.
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
