internal import Glibc
internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// What is to be seen, without a word of how: lengths are millimeters of the surface, from its upper left corner.
struct SurfaceDrawing: Equatable {
  /// What something is painted with; each terminal has its own way to.
  enum ColorRole: Hashable, CaseIterable {
    /// The dial, and what explains.
    case faint
    /// Words.
    case plain
    /// Words that count.
    case strong
    /// A contact.
    case usual
    /// The heaviest contact.
    case heaviest
    /// A contact that presses as hard as the sensor can say.
    case saturated
    /// A press.
    case press
    /// A press that is made up.
    case simulated
  }

  /// A contact.
  struct Circle: Equatable {
    var x: Double
    var y: Double
    var width: Double
    var ink: ColorRole

    /// What its edge is painted with: that of a contact that the sensor cannot tell from a heavier one is red.
    var rim: ColorRole

    /// What stands in its middle, one row each.
    var label: [String]
  }

  /// The two rings around the heaviest contact, each lit from its top on, clockwise, as far as it says.
  struct Dial: Equatable {
    /// The outer one: the heaviest contact's force as a part of its maximum.
    var force = 0.0

    /// The inner one: how far its press is in its stage.
    var press = 0.0

    var forceInk = ColorRole.heaviest
    var pressInk = ColorRole.press
  }

  /// Millimeters of a surface that does not say how large it is.
  static let usualSize = [100.0, 62.5]

  /// Millimeters that a side of a surface may have; what claims another length does not say how large it is.
  private static let possibleLengths = 1.0...10_000

  var width = usualSize[0]
  var height = usualSize[1]

  /// The widest first, so that none is hidden.
  var circles: [Circle] = []

  var dial = Dial()

  /// The contact that the dial is drawn around; without one there is no dial.
  var dialCircle: Circle?
}

// MARK: - Made of what is known

extension SurfaceDrawing {
  init(_ watched: WatchedDevice) {
    if let size = watched.device.sizeMillimeters, size.count == 2,
      size.allSatisfy(SurfaceDrawing.possibleLengths.contains)
    {
      (width, height) = (size[0], size[1])
    }
    circles = watched.contacts.map { circle(of: $0, on: watched) }
    // Of two that are equally wide, the heaviest is seen whole.
    circles.sort {
      ($0.width, $1.ink == .heaviest ? 1 : 0) > ($1.width, $0.ink == .heaviest ? 1 : 0)
    }
    dial = Dial(watched)
    let shown = watched.heaviest ?? watched.leadingPress?.latest.contact
    dialCircle = watched.contacts.first { $0.contact == shown }.map { circle(of: $0, on: watched) }
  }

  private func circle(of contact: ReceivedPressure, on watched: WatchedDevice) -> Circle {
    let circle = ForceMapping.Circle(grams: contact.grams)
    return Circle(
      x: contact.x.clamped(to: 0...1) * width, y: contact.y.clamped(to: 0...1) * height,
      width: (circle.width / ForceMapping.Circle.pointsPerMillimeter)
        .clamped(to: 0...4 * max(width, height)),
      ink: watched.ink(of: contact), rim: watched.rim(of: contact),
      label: watched.label(of: contact))
  }
}

extension SurfaceDrawing.Dial {
  fileprivate init(_ watched: WatchedDevice) {
    if let heaviest = watched.contacts.first(where: { $0.contact == watched.heaviest }) {
      force = heaviest.ratio.clamped(to: 0...1)
      forceInk = watched.ink(of: heaviest)
    }
    guard let press = watched.leadingPress else { return }
    self.press =
      press.latest.state == .maximumReached ? 1 : (press.latest.progress ?? 0).clamped(to: 0...1)
    pressInk = press.latest.simulated == true ? .simulated : .press
  }
}

extension WatchedDevice {
  /// The press that is shown: the heaviest contact's, or else the oldest.
  var leadingPress: Press? { presses.first { $0.latest.contact == heaviest } ?? presses.first }

  func ink(of contact: ReceivedPressure) -> SurfaceDrawing.ColorRole {
    if contact.contact == heaviest { return .heaviest }
    return contact.isSaturated ? .saturated : .usual
  }

  func rim(of contact: ReceivedPressure) -> SurfaceDrawing.ColorRole {
    contact.isSaturated ? .saturated : ink(of: contact)
  }

  /// Percent, and grams where something weighs; a press that is made up says so.
  func label(of contact: ReceivedPressure) -> [String] {
    let press = presses.first { $0.latest.contact == contact.contact }?.latest
    if let press, press.simulated == true {
      return [(press.ratio ?? 0).percent, "simulated"]
    }
    guard device.capability == .force || device.capability == .size else { return [] }
    let more = contact.isSaturated ? "+" : ""
    guard let grams = contact.grams else { return [contact.ratio.percent + more] }
    let weight = (grams.text(decimals: 0) + more + " g").estimated(device.isEstimate)
    return [contact.ratio.percent, weight]
  }
}

/// Something round on a surface; lengths are millimeters.
struct Shape: Equatable {
  var x: Double
  var y: Double
  var radius: Double

  /// How thick its line is; nil where it is filled.
  var line: Double?

  /// How much of the line there is, from its top on, clockwise, 0…1.
  var part = 1.0

  /// How much it hides of what is behind, 0…1.
  var opacity: Double

  var ink: SurfaceDrawing.ColorRole

  /// Whether it is the edge of something filled.
  var isRim = false

  /// How far outside its edge a place is, in millimeters; negative inside.
  func distance(x: Double, y: Double) -> Double {
    let (right, down) = (x - self.x, y - self.y)
    let fromCenter = (right * right + down * down).squareRoot()
    guard let line else { return fromCenter - radius }
    let fromLine = (fromCenter - radius).magnitude - line / 2
    return part >= 1 || Shape.turn(right, down) < part ? fromLine : .infinity
  }

  /// The direction from the center, as a part of a turn from the top on, clockwise, 0…1.
  private static func turn(_ right: Double, _ down: Double) -> Double {
    let turn = atan2(right, -down) / (2 * .pi)
    return turn < 0 ? turn + 1 : turn
  }
}

extension SurfaceDrawing {
  /// All that is drawn, what is behind first.
  var shapes: [Shape] {
    guard let middle = dialCircle else { return circles.flatMap(shapes) }
    let rings = [
      ring(around: middle, 3, dial.force, dial.forceInk),
      ring(around: middle, 1, dial.press, dial.pressInk),
    ]
    return rings.flatMap(\.self) + circles.flatMap(shapes)
  }

  /// A ring so many of its widths outside a circle.
  private func ring(
    around circle: Circle, _ distance: Double, _ part: Double, _ ink: ColorRole
  ) -> [Shape] {
    let line = min(width, height) * 0.025
    // In steps, as it need not be drawn anew for each gram.
    let step = 2 * line
    let radius = (circle.width / 2 / step).rounded(.up) * step + (distance + 0.5) * line
    let whole = Shape(
      x: circle.x, y: circle.y, radius: radius, line: line, opacity: 0.9, ink: .faint)
    guard part > 0 else { return [whole] }
    var lit = whole
    (lit.part, lit.opacity, lit.ink) = (part, 0.75, ink)
    return [whole, lit]
  }

  private func shapes(of circle: Circle) -> [Shape] {
    let opacity = ForceMapping.Circle.opacity
    let disc = Shape(
      x: circle.x, y: circle.y, radius: circle.width / 2, opacity: opacity, ink: circle.ink)
    var rim = disc
    (rim.line, rim.radius, rim.opacity) = (
      SurfaceDrawing.rim, disc.radius - SurfaceDrawing.rim / 2, 0.5
    )
    rim.ink = circle.rim
    rim.isRim = true
    return [disc, rim]
  }

  /// Millimeters of a circle's edge, which keeps circles apart that lie over each other.
  private static let rim = 0.9
}
