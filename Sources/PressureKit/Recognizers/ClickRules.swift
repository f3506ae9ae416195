/// What decides in a libinput plugin as `ClickedPress` does here.
extension Surface {
  /// The numbers that hold for all pads, by their names in the plugin.
  package static let clickRules: [(name: String, value: Double)] = [
    ("required", Double(ClickForce.required)), ("capacity", Double(ClickForce.strengthCapacity)),
    ("rounds", Double(ForceClickRule.rounds)), ("units", ForceClickRule.leastUnits),
    ("beside", Presses.growthBeside), ("settling", ClickedPress.settling),
    ("excess", ClickedPress.excess), ("learned", Double(ClickedPress.learnedFrames)),
    ("palm", ClickedPress.palm), ("rest", Motion.resting),
  ]

  /// What tells a force click from a click, by its names in the plugin; nil if stages are fixed.
  package func forceClickNumbers(_ press: PressConfiguration) -> [(name: String, value: Double)]? {
    guard press.followsClicks, let feel = press.feel else { return nil }
    let isArea = capability == .size
    let rule = isArea ? ForceClickRule.area : .force
    return [
      ("between", rule.between), ("expected", rule.expected), ("weight", rule.weight),
      ("least", rule.bounds.lowerBound), ("most", rule.bounds.upperBound), ("first", rule.first),
      ("factor", feel.deepFactor(ofArea: isArea)),
    ]
  }

  /// Where a stage begins and ends, in units of the pressure axis; nil on a surface without pressure of each contact.
  ///
  /// The curve of the configuration applies to stages in ratios.
  package func raw(
    of threshold: Threshold, in unit: PressStage.Unit, _ press: PressConfiguration
  ) -> (press: Int32, release: Int32)? {
    guard let pressure, !pressure.isBroken, hasSlotPressure else { return nil }
    func reaches(_ raw: Int32, _ value: Double) -> Bool {
      let force = pressure.force(of: raw)
      return switch unit {
      case .ratio, .click: press.curve.output(of: force.ratio) >= value
      case .force: press.curve.output(of: force.ratio) * force.maximumPossible >= value
      case .grams: calibration?.weight(raw: raw, ratio: force.ratio).grams ?? 0 >= value
      }
    }
    func least(_ value: Double) -> Int32 {
      var (low, high) = (pressure.axis.minimum, pressure.axis.maximum)
      while low < high {
        let middle = Int32((Int64(low) + Int64(high)) >> 1)
        if reaches(middle, value) { high = middle } else { low = middle + 1 }
      }
      return low
    }
    return (least(threshold.press), least(threshold.release))
  }

  /// The weight of a contact with this value of the pressure axis; nil without a law for grams.
  package func grams(of raw: Int32) -> Double? {
    guard let pressure else { return nil }
    return calibration?.weight(raw: raw, ratio: pressure.force(of: raw).ratio).grams
  }
}
