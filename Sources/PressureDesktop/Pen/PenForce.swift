/// The range of finger forces that a pen uses, and the pressure that it reports for them.
package struct PenForce: Hashable {
  /// The force at which the tip touches, and the lower one at which it leaves, as multiples of an average touch.
  package var tip: Double
  package var release: Double

  /// The force of the pen's maximum pressure.
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

  /// - Parameters:
  ///   - measuresArea: whether the device measures the area of the finger instead of its force.
  ///   - tip: where the tip touches, or nil for the default.
  ///   - full: the force of the maximum pressure, or nil for the default.
  ///   - curve: the curve between them.
  package init(
    measuresArea: Bool = false, tip: Double? = nil, full: Double? = nil, curve: PenCurve = .linear
  ) {
    self.tip = tip ?? (measuresArea ? PenForce.areaTip : PenForce.forceTip)
    release = self.tip * PenForce.releasePart
    self.full = full ?? (measuresArea ? PenForce.areaFull : PenForce.comfortable)
    self.curve = curve
  }

  /// The pressure that a program gets for a force, 0…1.
  ///
  /// - Parameters:
  ///   - force: the force of the finger.
  ///   - limit: the device's maximum, at which the pressure is 1 even if that is below `full`.
  /// - Returns: the pressure.
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
