internal import Glibc
internal import PressureKit
internal import PressureProtocol

/// The shapes on a surface, independent of the terminal.
///
/// Lengths are in millimeters from the upper left corner of the surface.
struct SurfaceDrawing: Equatable {
  /// The meaning of a color; its appearance depends on the terminal.
  enum ColorRole {
    /// The dial, and headings.
    case faint
    case plain
    case strong
    case contact
    case heaviest
    case saturated
    case press
    case simulated
  }

  struct Circle: Equatable {
    var x: Double
    var y: Double
    var width: Double
    var role: ColorRole

    /// The role of its edge, which is `saturated` for the heaviest contact, too.
    var rim: ColorRole

    var label: [String]
  }

  struct Dial: Equatable {
    /// The outer ring: the force of the heaviest contact, relative to its maximum.
    var force = 0.0

    /// The inner ring: the progress of its press within the stage.
    var press = 0.0

    var pressRole = ColorRole.press
  }

  /// The assumed size in millimeters if the device does not report one.
  static let defaultSize = [100.0, 62.5]

  /// The plausible lengths of a side in millimeters; a device with another one is treated as one without a size.
  private static let plausibleLengths = 1.0...10_000

  var width = defaultSize[0]
  var height = defaultSize[1]

  /// The circles, the widest first, so that none is hidden.
  var circles: [Circle] = []

  var dial = Dial()
  var dialCircle: Circle?
}

// MARK: - From the state of a device

extension SurfaceDrawing {
  init(_ watched: WatchedDevice) {
    if let size = watched.device.sizeMillimeters, size.count == 2,
      size.allSatisfy(SurfaceDrawing.plausibleLengths.contains)
    {
      (width, height) = (size[0], size[1])
    }
    circles = watched.contacts.map { circle(of: $0, on: watched) }
    // Among circles of equal width the heaviest is on top.
    circles.sort {
      ($0.width, $1.role == .heaviest ? 1 : 0) > ($1.width, $0.role == .heaviest ? 1 : 0)
    }
    let press = watched.leadingPress?.latest
    let shown = watched.contacts.first { $0.contact == watched.heaviest ?? press?.contact }
    dialCircle = shown.map { circle(of: $0, on: watched) }
    if watched.heaviest != nil { dial.force = (shown?.ratio ?? 0).clamped(to: 0...1) }
    if let press {
      dial.press = press.state == .maximumReached ? 1 : (press.progress ?? 0).clamped(to: 0...1)
      dial.pressRole = press.simulated == true ? .simulated : .press
    }
  }

  /// The circle of a contact, in the middle of the surface if its position is unknown.
  private func circle(of contact: ReceivedPressure, on watched: WatchedDevice) -> Circle {
    let circle = ForceMapping.Circle(grams: contact.grams)
    return Circle(
      x: (contact.x ?? 0.5).clamped(to: 0...1) * width,
      y: (contact.y ?? 0.5).clamped(to: 0...1) * height,
      width: (circle.width / ForceMapping.Circle.pointsPerMillimeter).clamped(
        to: 0...4 * max(width, height)), role: watched.role(of: contact),
      rim: contact.isSaturated ? .saturated : watched.role(of: contact),
      label: watched.label(of: contact))
  }

  var shapes: [Shape] {
    guard let center = dialCircle else { return circles.flatMap(shapes) }
    return ring(around: center, 3, dial.force, .heaviest)
      + ring(around: center, 1, dial.press, dial.pressRole) + circles.flatMap(shapes)
  }

  /// A ring around a circle, at a distance in units of the ring's width.
  private func ring(
    around circle: Circle, _ distance: Double, _ fraction: Double, _ role: ColorRole
  ) -> [Shape] {
    let line = min(width, height) * 0.025
    // The radius changes in steps, to redraw less often.
    let step = 2 * line
    let radius = (circle.width / 2 / step).rounded(.up) * step + (distance + 0.5) * line
    let whole = Shape(
      x: circle.x, y: circle.y, radius: radius, line: line, opacity: 0.9, role: .faint)
    guard fraction > 0 else { return [whole] }
    var filled = whole
    (filled.fraction, filled.opacity, filled.role) = (fraction, 0.75, role)
    return [whole, filled]
  }

  private func shapes(of circle: Circle) -> [Shape] {
    let opacity = ForceMapping.Circle.opacity
    let disc = Shape(
      x: circle.x, y: circle.y, radius: circle.width / 2, opacity: opacity, role: circle.role)
    var rim = disc
    (rim.line, rim.radius) = (SurfaceDrawing.rim, disc.radius - SurfaceDrawing.rim / 2)
    (rim.opacity, rim.role, rim.isRim) = (0.5, circle.rim, true)
    return [disc, rim]
  }

  /// The width of a circle's edge in millimeters; the edge separates overlapping circles.
  private static let rim = 0.9
}

extension WatchedDevice {
  /// The displayed press: that of the heaviest contact, or else the oldest.
  var leadingPress: Press? { presses.first { $0.latest.contact == heaviest } ?? presses.first }

  func role(of contact: ReceivedPressure) -> SurfaceDrawing.ColorRole {
    if contact.contact == heaviest { return .heaviest }
    return contact.isSaturated ? .saturated : .contact
  }

  /// Percent, and grams if the device weighs; or a note that the press is simulated.
  func label(of contact: ReceivedPressure) -> [String] {
    let press = presses.first { $0.latest.contact == contact.contact }?.latest
    if let press, press.simulated == true { return [(press.ratio ?? 0).percent, "simulated"] }
    guard device.measuresPressure else { return [] }
    guard let ratio = contact.ratio else { return ["–"] }
    let isSaturated = contact.isSaturated
    guard let grams = contact.grams else { return [ratio.percent + (isSaturated ? "+" : "")] }
    return [
      ratio.percent, grams.weight(decimals: 0, isSaturated: isSaturated, device.isEstimate),
    ]
  }
}

struct Shape: Equatable {
  var x: Double
  var y: Double
  var radius: Double

  /// The width of the line, or nil for a filled disc.
  var line: Double?

  /// The drawn fraction of the ring, clockwise from the top, 0…1.
  var fraction = 1.0
  var opacity: Double

  var role: SurfaceDrawing.ColorRole
  var isRim = false

  /// The distance of a point from the edge in millimeters, negative inside.
  func distance(x: Double, y: Double) -> Double {
    let (right, down) = (x - self.x, y - self.y)
    let fromCenter = (right * right + down * down).squareRoot()
    guard let line else { return fromCenter - radius }
    let fromLine = (fromCenter - radius).magnitude - line / 2
    if fraction >= 1 { return fromLine }
    // The direction from the center as a fraction of a turn, clockwise from the top.
    let turn = atan2(right, -down) / (2 * .pi)
    return (turn < 0 ? turn + 1 : turn) < fraction ? fromLine : .infinity
  }
}

/// A rectangle of the screen into which shapes are rasterized, in one of two modes.
///
/// | mode | terminal | a cell is |
/// |---|---|---|
/// | pixels | colors and half blocks | two square pixels, one above the other, blended with the background |
/// | letters | no colors, or only ASCII | a letter |
struct RasterView {
  let column: Int
  let row: Int
  let columns: Int
  let rows: Int

  /// The width of a column in millimeters; a row is twice as high.
  let pitch: Double

  private static let background = Color(20, 24, 31)

  /// Centers the largest rectangle with the aspect ratio of a surface in an area.
  init(_ drawing: SurfaceDrawing, in area: (columns: Range<Int>, rows: Range<Int>)) {
    let width = Double(area.columns.count)
    let height = Double(area.rows.count)
    pitch = max(drawing.width / max(width, 1), drawing.height / max(2 * height, 1))
    columns = min(max(Int((drawing.width / pitch).rounded()), 1), area.columns.count)
    rows = min(max(Int((drawing.height / pitch / 2).rounded()), 1), area.rows.count)
    column = area.columns.lowerBound + (area.columns.count - columns) / 2
    row = area.rows.lowerBound + (area.rows.count - rows) / 2
  }

  /// Draws the shapes, from back to front, as pixels whose edges are blended over the width of a pixel.
  func drawPixels(_ shapes: [Shape], on canvas: inout Canvas) {
    var pixels = Array(repeating: RasterView.background, count: columns * rows * 2)
    for shape in shapes {
      visit(shape, pixelsPerCell: 2) { index, distance in
        let coverage = (0.5 - distance / pitch).clamped(to: 0...1)
        guard coverage > 0 else { return }
        pixels[index] = pixels[index].under(shape.role.color, opacity: coverage * shape.opacity)
      }
    }
    for y in 0..<rows {
      for x in 0..<columns {
        let (upper, lower) = (pixels[2 * y * columns + x], pixels[(2 * y + 1) * columns + x])
        canvas.put(upper: upper, lower: lower, column + x, row + y)
      }
    }
  }

  func drawLetters(_ shapes: [Shape], on canvas: inout Canvas) {
    // The rim would be wider than the circle.
    for shape in shapes where !shape.isRim {
      visit(shape, pixelsPerCell: 1) { index, distance in
        // A cell is twice as high as wide, so a line covers cells whose centers are farther away.
        guard distance < (shape.line == nil ? 0 : pitch * 0.7) else { return }
        let line: Unicode.Scalar = shape.role == .faint ? "." : "*"
        let letter = shape.line == nil ? shape.role.letter : line
        canvas.put(letter, column + index % columns, row + index / columns, shape.role.style)
      }
    }
  }

  /// Calls `body` for each pixel that a shape may cover, with its index and the distance of its center from the edge.
  func visit(_ shape: Shape, pixelsPerCell: Int, _ body: (Int, Double) -> Void) {
    let height = 2 * pitch / Double(pixelsPerCell)
    let extent = shape.radius + (shape.line ?? 0) + height
    let xRange = RasterView.range(shape.x, extent, pitch, columns)
    for y in RasterView.range(shape.y, extent, height, rows * pixelsPerCell) {
      for x in xRange {
        let distance = shape.distance(x: (Double(x) + 0.5) * pitch, y: (Double(y) + 0.5) * height)
        body(y * columns + x, distance)
      }
    }
  }

  private static func range(
    _ center: Double, _ extent: Double, _ size: Double, _ count: Int
  ) -> Range<Int> {
    let limits = 0...Double(count)
    let first = Int(((center - extent) / size).rounded(.down).clamped(to: limits))
    let last = Int(((center + extent) / size).rounded(.up).clamped(to: limits))
    return first..<max(first, last)
  }
}

extension SurfaceDrawing.ColorRole {
  var color: Color {
    switch self {
    case .faint: Color(58, 68, 84)
    case .plain, .strong: Color(224, 228, 236)
    case .contact: Color(60, 150, 255)
    case .heaviest: Color(255, 220, 40)
    case .saturated: Color(255, 72, 66)
    case .press: Color(70, 220, 90)
    case .simulated: Color(190, 130, 255)
    }
  }

  /// The style of text: the terminal's default colors if they are sufficient.
  var style: Style {
    switch self {
    case .faint: .dim
    case .plain: .plain
    case .strong: .bold
    case .contact, .heaviest, .saturated, .press, .simulated: Style(foreground: color, isBold: true)
    }
  }

  fileprivate var letter: Unicode.Scalar {
    switch self {
    case .faint, .plain, .strong, .press, .simulated: "."
    case .contact: "o"
    case .heaviest: "#"
    case .saturated: "@"
    }
  }
}
