internal import PressureKit

/// A surface in its own lengths: millimeters, or where the device does not say, its units.
struct SurfacePlane {
  /// The two ends of a side.
  struct Side {
    var start: Double
    var span: Double
  }

  let width: Side
  let height: Side

  /// What its lengths are in.
  let unit: String

  init(_ surface: Surface) {
    if let width = surface.x.millimeters, let height = surface.y.millimeters {
      self.width = Side(start: 0, span: width)
      self.height = Side(start: 0, span: height)
      unit = "mm"
    } else {
      width = SurfacePlane.units(of: surface.x)
      height = SurfacePlane.units(of: surface.y)
      unit = "units; no resolution is stated"
    }
  }

  private static func units(of axis: Axis) -> Side {
    Side(start: Double(axis.minimum), span: Double(max(axis.span, 1)))
  }
}
