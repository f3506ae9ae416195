internal import Glibc
internal import PressureSystem

/// A rectangle on the pad, in millimeters from its top left corner.
package struct PenArea: Hashable {
  package var x: Double
  package var y: Double
  package var width: Double
  package var height: Double

  package init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// The largest rectangle with an aspect ratio in the middle of this one.
  func fitted(to aspect: Double) -> PenArea {
    let fittedWidth = min(width, height * aspect)
    let fittedHeight = min(height, width / aspect)
    return PenArea(
      x: x + (width - fittedWidth) / 2, y: y + (height - fittedHeight) / 2, width: fittedWidth,
      height: fittedHeight)
  }

  func contains(_ point: PenPoint, margin: Double) -> Bool {
    point.x >= x - margin && point.x <= x + width + margin && point.y >= y - margin
      && point.y <= y + height + margin
  }
}

/// The argument of `--area`: WIDTHxHEIGHT, or WIDTHxHEIGHT+X+Y; without a position in the middle of the pad.
package struct PenAreaArgument: Hashable {
  package var width: Double
  package var height: Double
  package var origin: PenPoint?

  package init?(_ text: String) {
    let parts = text.split(separator: "+", omittingEmptySubsequences: false)
    let size = parts[0].split(separator: "x", omittingEmptySubsequences: false)
      .map { Double($0) ?? -1 }
    let place = parts.dropFirst().map { Double($0) ?? -1 }
    guard size.count == 2, size.allSatisfy((1...10_000).contains),
      place.isEmpty || place.count == 2, place.allSatisfy((0...10_000).contains)
    else { return nil }
    (width, height) = (size[0], size[1])
    origin = place.isEmpty ? nil : PenPoint(x: place[0], y: place[1])
  }

  /// The area on a pad of a size in millimeters; nil if it does not fit.
  package func area(on pad: PenArea) -> PenArea? {
    let origin = origin ?? PenPoint(x: (pad.width - width) / 2, y: (pad.height - height) / 2)
    // The size of a pad is rounded to hundredths of a millimeter.
    let tolerance = 0.011
    guard origin.x >= -tolerance, origin.y >= -tolerance,
      origin.x + width <= pad.width + tolerance, origin.y + height <= pad.height + tolerance
    else { return nil }
    return PenArea(x: origin.x, y: origin.y, width: width, height: height)
  }
}

/// A point in millimeters on the pad.
package struct PenPoint: Hashable {
  package var x: Double
  package var y: Double
}

/// A clockwise turn of the drawing against the pad.
package enum PenRotation: Int, CaseIterable {
  case none = 0
  case quarter = 90
  case half = 180
  case threeQuarters = 270

  var isSideways: Bool { self == .quarter || self == .threeQuarters }

  func turned(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    switch self {
    case .none: (x, y)
    case .quarter: (-y, x)
    case .half: (-x, -y)
    case .threeQuarters: (y, -x)
    }
  }
}

/// Maps points on the pad to the axes of the pen.
///
/// In absolute mode, a rectangle on the pad stands for the whole screen. In relative mode, a contact moves the pen from
/// where it was, on a sheet that is larger than the pad.
package struct PenMapping {
  package enum Mode: Hashable {
    case absolute
    /// `speed` is the movement of the pen divided by that of the finger.
    case relative(speed: Double)
  }

  package static let unitsPerMillimeter = 200.0

  /// The size of the sheet in relative mode, as a multiple of the width of the pad.
  private static let sheetFactor = 2.0

  /// A touch this far beside the area still belongs to it.
  private static let margin = 2.0

  /// The smallest pad on which absolute positions are useful: half the size of a small tablet.
  private static let smallest = (width: 70.0, height: 40.0)

  package let mode: Mode
  package let area: PenArea
  package let rotation: PenRotation
  package let maximumX: Int32
  package let maximumY: Int32

  /// The position of the pen in units, which relative mode keeps between contacts.
  private var position: PenPoint

  private var last = PenPoint(x: 0, y: 0)

  /// Without an aspect, which is the width of the screen divided by its height, the whole area is used.
  package init(area: PenArea, aspect: Double?, rotation: PenRotation, mode: Mode) {
    (self.mode, self.rotation) = (mode, rotation)
    let padAspect = aspect.map { rotation.isSideways ? 1 / $0 : $0 }
    self.area = mode == .absolute ? padAspect.map { area.fitted(to: $0) } ?? area : area
    var (width, height) = (self.area.width, self.area.height)
    if rotation.isSideways { (width, height) = (height, width) }
    if mode != .absolute {
      let sheet = PenMapping.sheetFactor * width
      (width, height) = (sheet, sheet / (aspect ?? width / height))
    }
    let unit = PenMapping.unitsPerMillimeter
    maximumX = Int32(max((width * unit).rounded(), 1))
    maximumY = Int32(max((height * unit).rounded(), 1))
    position = PenPoint(x: Double(maximumX) / 2, y: Double(maximumY) / 2)
  }

  package static func isLargeEnough(_ pad: PenArea) -> Bool {
    pad.width >= smallest.width && pad.height >= smallest.height
  }

  /// Whether a contact that begins at a point may draw; one beside the area, such as a palm, may not.
  package func accepts(_ point: PenPoint) -> Bool {
    mode != .absolute || area.contains(point, margin: PenMapping.margin)
  }

  package mutating func begin(at point: PenPoint) {
    last = point
    move(to: point)
  }

  package mutating func move(to point: PenPoint) {
    var (start, factor) = (last, 1.0)
    switch mode {
    case .absolute:
      start = PenPoint(x: area.x + area.width / 2, y: area.y + area.height / 2)
      position = PenPoint(x: Double(maximumX) / 2, y: Double(maximumY) / 2)
    case .relative(let speed): factor = speed
    }
    let turned = rotation.turned(point.x - start.x, point.y - start.y)
    let unit = PenMapping.unitsPerMillimeter
    position.x = min(max(position.x + turned.x * unit * factor, 0), Double(maximumX))
    position.y = min(max(position.y + turned.y * unit * factor, 0), Double(maximumY))
    last = point
  }

  package var x: Int32 { Int32(position.x.rounded()) }
  package var y: Int32 { Int32(position.y.rounded()) }
}

package struct ScreenShape: Hashable {
  /// The name of its connector, such as `eDP-1`.
  package let connector: String

  /// Its preferred mode, such as `1920x1080`.
  package let mode: String

  /// Its width divided by its height.
  package let aspect: Double

  /// The screen in use: a built-in one, or else the first one; nil if the kernel's list of connectors has none.
  ///
  /// A panel whose lid is closed stays connected, but is not enabled.
  package static func inUse(in folder: String = "/sys/class/drm") -> ScreenShape? {
    let names = FileNames.names(in: folder).filter { $0.hasPrefix("card") && $0.contains("-") }
    let isBuiltIn = { (name: String) in name.includes("eDP") || name.includes("LVDS") }
    let sorted = names.sorted { (isBuiltIn($0) ? 0 : 1, $0) < (isBuiltIn($1) ? 0 : 1, $1) }
    for name in sorted {
      guard InputFile.line("\(folder)/\(name)/status") == "connected",
        InputFile.line("\(folder)/\(name)/enabled") == "enabled",
        let mode = InputFile.line("\(folder)/\(name)/modes"),
        // An interlaced mode ends in this letter.
        let aspect = aspect(mode.hasSuffix("i") ? String(mode.dropLast()) : mode)
      else { continue }
      let connector = name.drop { $0 != "-" }.dropFirst()
      return ScreenShape(connector: String(connector), mode: mode, aspect: aspect)
    }
    return nil
  }

  /// Parses WIDTHxHEIGHT or WIDTH:HEIGHT; nil unless both are positive.
  package static func aspect(_ text: String) -> Double? {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "x" || $0 == ":" }
    let sides = parts.map { Double($0) ?? 0 }
    guard sides.count == 2, sides.allSatisfy((1...100_000).contains) else { return nil }
    let aspect = sides[0] / sides[1]
    return (0.1...10).contains(aspect) ? aspect : nil
  }
}
