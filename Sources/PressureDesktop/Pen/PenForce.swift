/// The range of finger forces that a pen uses, and the pressure that it reports for them.
package struct PenForce: Hashable {
  /// The force at which the tip touches, and the lower one at which it leaves, as multiples of an average touch.
  package var tip: Double
  package var release: Double
  package var full: Double

  package var curve: PenCurve

  /// Where the tip leaves, as a part of the force at which it touches.
  private static let releasePart = 0.6

  /// The force, as a multiple of an average touch, at which a person can draw for hours: about 350 g.
  private static let comfortable = 6.0

  /// Where the tip touches by default: about 23 g, as a light finger hovers at less.
  private static let forceTip = 0.4

  /// For devices that measure the area of the finger, of which the lightest touch already covers a part.
  private static let areaTip = 0.8
  private static let areaFull = 4.0

  /// The pressures of the axis.
  ///
  /// libinput sets the tip down at 5 % of the range and lifts it at 1 %; it reports 0 at that
  /// 1 %. So a stroke begins with `onset` and then uses the whole range above `lightest`.
  package static let maximum: Int32 = 65535
  package static let lightest: Int32 = 656
  package static let onset: Int32 = 3278

  package init(
    measuresArea: Bool = false, tip: Double? = nil, full: Double? = nil, curve: PenCurve = .linear
  ) {
    self.tip = tip ?? (measuresArea ? PenForce.areaTip : PenForce.forceTip)
    release = self.tip * PenForce.releasePart
    self.full = full ?? (measuresArea ? PenForce.areaFull : PenForce.comfortable)
    self.curve = curve
  }

  /// The pressure that a program gets for a force, 0…1; it is 1 at the device's maximum, even below `full`.
  package func pressure(of force: Double, limit: Double) -> Double {
    let end = min(full, limit)
    guard end > tip else { return force >= tip ? 1 : 0 }
    return curve.pressure(at: (force - tip) / (end - tip))
  }

  /// The value of the pen's axis for a pressure of 0…1 while the tip touches.
  package static func axisValue(of pressure: Double, isOnset: Bool) -> Int32 {
    let value = Double(lightest) + pressure * Double(maximum - lightest)
    return max(Int32(value.rounded()), isOnset ? onset : lightest)
  }
}

/// Maps the force of a finger, as a part of the range that it uses, to the pressure of the pen.
///
/// A cubic Bézier curve from (0, 0) to (1, 1), as in the settings of tablets: two control points bend it.
package struct PenCurve: Hashable {
  package static let names = ["soft", "linear", "firm"]

  private let first: PenPoint
  private let second: PenPoint

  /// Creates a curve; the coordinates are in 0…1, so that the pressure never decreases as the force grows.
  private init(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
    (first, second) = (PenPoint(x: x1, y: y1), PenPoint(x: x2, y: y2))
  }

  package static let linear = PenCurve(1.0 / 3, 1.0 / 3, 2.0 / 3, 2.0 / 3)

  /// Parses a name, or the four coordinates x1,y1,x2,y2 in 0…100, as xsetwacom and GNOME write them.
  package init?(_ text: String) {
    switch text {
    case "soft": self.init(0, 0.4, 0.6, 1)
    case "linear": self = .linear
    case "firm": self.init(0.4, 0, 1, 0.6)
    default:
      let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
        .map { (Double($0) ?? -1) / 100 }
      guard numbers.count == 4, numbers.allSatisfy((0...1).contains) else { return nil }
      self.init(numbers[0], numbers[1], numbers[2], numbers[3])
    }
  }

  /// Searches the point for a force, which takes less time than the system call that writes the frame.
  package func pressure(at force: Double) -> Double {
    guard force > 0, force < 1 else { return force > 0 ? 1 : 0 }
    // With x coordinates within 0…1 the curve has one point for each x.
    var (low, high) = (0.0, 1.0)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if PenCurve.bezier(first.x, second.x, middle) < force { low = middle } else { high = middle }
    }
    return PenCurve.bezier(first.y, second.y, (low + high) / 2)
  }

  private static func bezier(_ a: Double, _ b: Double, _ t: Double) -> Double {
    3 * (1 - t) * (1 - t) * t * a + 3 * (1 - t) * t * t * b + t * t * t
  }
}
