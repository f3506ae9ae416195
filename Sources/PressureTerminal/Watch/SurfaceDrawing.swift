internal import Glibc
internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// The shapes on a surface, independent of the terminal.
///
/// Lengths are in millimeters from the upper left corner of the surface.
struct SurfaceDrawing: Equatable {
  /// The meaning of a color; its appearance depends on the terminal.
  enum ColorRole: Hashable, CaseIterable {
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

    /// The lines of text in its center.
    var label: [String]
  }

  /// The two rings around the heaviest contact, each filled clockwise from the top.
  struct Dial: Equatable {
    /// The outer ring: the force of the heaviest contact, relative to its maximum.
    var force = 0.0

    /// The inner ring: the progress of its press within the stage.
    var press = 0.0

    var forceRole = ColorRole.heaviest
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

  /// The contact around which the dial is drawn, or nil for no dial.
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
    dial = Dial(watched)
    let shown = watched.heaviest ?? watched.leadingPress?.latest.contact
    dialCircle = watched.contacts.first { $0.contact == shown }.map { circle(of: $0, on: watched) }
  }

  /// The circle of a contact, in the middle of the surface if its position is unknown.
  private func circle(of contact: ReceivedPressure, on watched: WatchedDevice) -> Circle {
    let circle = ForceMapping.Circle(grams: contact.grams)
    return Circle(
      x: (contact.x ?? 0.5).clamped(to: 0...1) * width,
      y: (contact.y ?? 0.5).clamped(to: 0...1) * height,
      width: (circle.width / ForceMapping.Circle.pointsPerMillimeter)
        .clamped(to: 0...4 * max(width, height)),
      role: watched.role(of: contact), rim: watched.rim(of: contact),
      label: watched.label(of: contact))
  }
}

extension SurfaceDrawing.Dial {
  fileprivate init(_ watched: WatchedDevice) {
    if let heaviest = watched.contacts.first(where: { $0.contact == watched.heaviest }) {
      force = (heaviest.ratio ?? 0).clamped(to: 0...1)
      forceRole = watched.role(of: heaviest)
    }
    guard let press = watched.leadingPress else { return }
    self.press =
      press.latest.state == .maximumReached ? 1 : (press.latest.progress ?? 0).clamped(to: 0...1)
    pressRole = press.latest.simulated == true ? .simulated : .press
  }
}

extension WatchedDevice {
  /// The displayed press: that of the heaviest contact, or else the oldest.
  var leadingPress: Press? { presses.first { $0.latest.contact == heaviest } ?? presses.first }

  func role(of contact: ReceivedPressure) -> SurfaceDrawing.ColorRole {
    if contact.contact == heaviest { return .heaviest }
    return contact.isSaturated ? .saturated : .contact
  }

  func rim(of contact: ReceivedPressure) -> SurfaceDrawing.ColorRole {
    contact.isSaturated ? .saturated : role(of: contact)
  }

  /// Percent, and grams if the device weighs; or a note that the press is simulated.
  func label(of contact: ReceivedPressure) -> [String] {
    let press = presses.first { $0.latest.contact == contact.contact }?.latest
    if let press, press.simulated == true {
      return [(press.ratio ?? 0).percent, "simulated"]
    }
    guard device.capability == .force || device.capability == .size else { return [] }
    guard let ratio = contact.ratio else { return ["–"] }
    let more = contact.isSaturated ? "+" : ""
    guard let grams = contact.grams else { return [ratio.percent + more] }
    let weight = (grams.text(decimals: 0) + more + " g").estimated(device.isEstimate)
    return [ratio.percent, weight]
  }
}

/// A disc or a ring on a surface; lengths are in millimeters.
struct Shape: Equatable {
  var x: Double
  var y: Double
  var radius: Double

  /// The width of the line, or nil for a filled disc.
  var line: Double?

  /// The drawn fraction of the ring, clockwise from the top, 0…1.
  var fraction = 1.0

  /// The opacity, 0…1.
  var opacity: Double

  var role: SurfaceDrawing.ColorRole

  /// Whether it is the edge of a disc.
  var isRim = false

  /// The distance of a point from the edge in millimeters, negative inside.
  func distance(x: Double, y: Double) -> Double {
    let (right, down) = (x - self.x, y - self.y)
    let fromCenter = (right * right + down * down).squareRoot()
    guard let line else { return fromCenter - radius }
    let fromLine = (fromCenter - radius).magnitude - line / 2
    return fraction >= 1 || Shape.turn(right, down) < fraction ? fromLine : .infinity
  }

  /// The direction from the center as a fraction of a turn, clockwise from the top, 0…1.
  private static func turn(_ right: Double, _ down: Double) -> Double {
    let turn = atan2(right, -down) / (2 * .pi)
    return turn < 0 ? turn + 1 : turn
  }
}

extension SurfaceDrawing {
  /// All shapes, from back to front.
  var shapes: [Shape] {
    guard let center = dialCircle else { return circles.flatMap(shapes) }
    let rings = [
      ring(around: center, 3, dial.force, dial.forceRole),
      ring(around: center, 1, dial.press, dial.pressRole),
    ]
    return rings.flatMap(\.self) + circles.flatMap(shapes)
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
    (rim.line, rim.radius, rim.opacity) = (
      SurfaceDrawing.rim, disc.radius - SurfaceDrawing.rim / 2, 0.5
    )
    rim.role = circle.rim
    rim.isRim = true
    return [disc, rim]
  }

  /// The width of a circle's edge in millimeters; the edge separates overlapping circles.
  private static let rim = 0.9
}
