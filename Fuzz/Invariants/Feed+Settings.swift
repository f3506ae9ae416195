@testable import PressureKit

extension Feed {
  /// Stages with fixed names, so that invariants know their order.
  private mutating func ladder(of unit: PressStage.Unit, count: Int) -> StageLadder {
    var ladder = StageLadder()
    let step = unit.limits.upperBound / (unit == .ratio ? 256 : 65_536)
    var (press, release) = (0.0, 0.0)
    for name in ["a", "b", "c", "d"].prefix(count) {
      // Four of them stay within the limit, so that both ladders have the same names.
      press += Double(1 + below(63)) * step
      release = max(release, press - Double(1 + below(255)) * step)
      guard let threshold = try? Threshold(press: press, release: release) else { break }
      try? ladder.append(PressStage(name: name, threshold: threshold, unit: unit))
    }
    return ladder
  }

  /// A press configuration; `kind` determines the names of the stages and the fingers.
  private mutating func press(_ kind: Int) -> PressConfiguration {
    var press = PressConfiguration()
    press.stages = ladder(of: isSet() ? .ratio : .force, count: 1 + kind % 4)
    press.gramStages = ladder(of: .grams, count: 1 + kind % 4)
    press.fingers = kind < 4 ? .any : .exactly(1 + kind % 3)
    press.simulation = pick(PressConfiguration.Simulation.allCases)
    press.holdMilliseconds = isSet() ? below(256) : Int(word()) % 60_000
    return press
  }

  /// Any configuration that a file can contain.
  mutating func configuration(_ kind: Int) -> Configuration {
    var configuration = Configuration()
    configuration.press = press(kind)
    configuration.nominalFullScaleGrams = Double(word()) + 1
    configuration.scale.windowMilliseconds = 1 + Int(word()) % 60_000
    configuration.scale.filterMilliseconds = Int(word()) % 10_000
    configuration.scale.rangeGrams = Double(below(256)) / 16
    configuration.scale.zeroGrams = Double(below(256)) / 16
    configuration.scale.autoZero = isSet()
    for name in ["left", "right"].prefix(below(3)) {
      let region = try? Region(
        name: name, x: Double(below(200)) / 255, y: Double(below(200)) / 255,
        width: Double(1 + below(100)) / 255, height: Double(1 + below(100)) / 255)
      if let region { configuration.regions.append(region) }
    }
    for type in ["local.tare", "local.zero", "local.hold", "x"].prefix(below(5)) {
      var action = Action(type: type, title: type)
      action.trigger = ActionTrigger(stage: pick(["a", "b", "c"]))
      action.trigger?.fingers = isSet() ? .any : .exactly(1 + below(3))
      action.trigger?.region = pick([nil, "left", "right"])
      configuration.actions.append(action)
    }
    if isSet() {
      var device = DeviceConfiguration(match: "0018-*")
      device.effectiveMaximum = 1 + Int32(word())
      configuration.devices = [device]
    }
    return configuration
  }

  mutating func scaleRequest() -> ScaleRequest {
    switch below(8) {
    case 0: .tare
    case 1: .clearTare
    case 2: .zero
    case 3: .hold
    case 4: .release
    case 5: .aim(nil)
    case 6: .aim(ScaleTarget(grams: Double(number()) / 16, tolerance: Double(word()) / 16))
    default: .sample(pieces: 1 + Int(word()))
    }
  }

  /// Zero and known weights, if they make a calibration.
  mutating func fit(_ axis: Axis) -> CalibrationFit? {
    let points = (0..<(1 + below(6))).map { index in
      let raw = isSet() ? Int32(byte()) : number()
      return CalibrationPoint(
        grams: index == 0 ? 0 : Double(word()) / 8, raw: Double(raw), spread: Double(byte()) / 16,
        count: 1 + below(256), greatest: raw)
    }
    return try? CalibrationFit(points, axis: axis)
  }
}
