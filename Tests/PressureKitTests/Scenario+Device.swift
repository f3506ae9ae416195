@testable import PressureKit
@testable import PressureProtocol

extension DeviceDescription {
  /// Parses a device description such as `slots=5 x=0..1216@12 keys=touch,finger`.
  init(words: some Sequence<Substring>) throws {
    self.init()
    (name, bus, vendor, product) = ("Pad", 0x18, 0x06cb, 0xcd41)
    var pairs = try words.map(Scenario.pair)
    if let slots = pairs.firstIndex(where: { $0.key == "slots" }) {
      let count: Int32 = try Scenario.number(pairs.remove(at: slots).value)
      self[.slot] = Axis(minimum: 0, maximum: count - 1)
      self[.trackingID] = Axis(minimum: 0, maximum: 65535)
    } else {
      keys = [EventCode.touch.code]
    }
    for (key, value) in pairs { try add(key, value) }
  }

  private subscript(code: EventCode) -> Axis? {
    get { axes[code.code] }
    set { axes[code.code] = newValue }
  }

  private mutating func add(_ key: Substring, _ value: Substring) throws {
    switch key {
    case "x": self[axis(.slot) == nil ? .x : .positionX] = try Axis(word: value)
    case "y": self[axis(.slot) == nil ? .y : .positionY] = try Axis(word: value)
    case "pressure": self[.pressure] = try Axis(word: value)
    case "single": self[.singlePressure] = try Axis(word: value)
    case "major": self[.touchMajor] = try Axis(word: value)
    case "minor": self[.touchMinor] = try Axis(word: value)
    case "width": self[.widthMajor] = try Axis(word: value)
    case "orientation": self[.orientation] = try Axis(word: value)
    case "tool": self[.toolType] = try Axis(word: value)
    case "distance": self[.distance] = try Axis(word: value)
    case "property": properties = try Set(value.split(separator: ",").map(Scenario.number))
    case "effects": effects = try Set(value.split(separator: ",").map(Scenario.number))
    case "keys": keys = try Set(value.split(separator: ",").map(DeviceDescription.key))
    case "current_slot": currentSlot = try Scenario.number(value)
    default: throw Scenario.Fault(description: "\(key) is no word of a device")
    }
  }

  private static func key(_ word: Substring) throws -> UInt16 {
    switch word {
    case "touch": EventCode.touch.code
    case "finger": EventCode.toolFinger.code
    case "button": EventCode.leftButton.code
    case "pen": EventCode.toolPen.code
    default: throw Scenario.Fault(description: "\(word) is no key")
    }
  }
}

extension Axis {
  /// A range such as `0..1216@12`, where 12 is the resolution.
  init(word: Substring) throws {
    let parts = word.split(separator: "@")
    guard let range = parts.first, let dots = range.firstRange(of: "..") else {
      throw Scenario.Fault(description: "\(word) is not a range")
    }
    self.init(
      minimum: try Scenario.number(range[..<dots.lowerBound]),
      maximum: try Scenario.number(range[dots.upperBound...]),
      resolution: parts.count > 1 ? try Scenario.number(parts[1]) : 0)
  }
}

/// The settings of a scenario that differ from the defaults.
struct Tuning {
  var configuration = Configuration()
  var device = DeviceSettings()

  /// The mappings of each report's first contact to print, besides its events.
  var mapped: String?

  init(words: some Sequence<Substring>) throws {
    for (key, value) in try words.map(Scenario.pair) {
      switch key {
      case "margin_grams": configuration.heaviest.marginGrams = try Scenario.number(value)
      case "margin_ratio": configuration.heaviest.marginRatio = try Scenario.number(value)
      case "release_ratio":
        configuration.maximumForce = try MaximumForceConfiguration(
          releaseRatio: Scenario.number(value))
      case "effective_maximum": device.effectiveMaximum = try Scenario.number(value)
      case "full_scale_grams": device.nominalFullScaleGrams = try Scenario.number(value)
      case "fingers": configuration.press.fingers = .exactly(try Scenario.number(value))
      case "hold_ms": configuration.press.holdMilliseconds = try Scenario.number(value)
      case "simulated": configuration.press.simulation = try Tuning.simulation(value)
      case "stages": configuration.press.stages = try StageLadder(word: value, unit: .ratio)
      case "force_stages": configuration.press.stages = try StageLadder(word: value, unit: .force)
      case "gram_stages":
        configuration.press.gramStages = try StageLadder(word: value, unit: .grams)
      case "click_stages":
        configuration.press.stages = try StageLadder(word: value, unit: .click)
        configuration.press.gramStages = StageLadder()
      case "curve": configuration.press.curve = try ResponseCurve(word: value)
      case "rules": configuration.press.rules = try Tuning.rules(value)
      case "window_ms": configuration.scale.windowMilliseconds = try Scenario.number(value)
      case "range_grams": configuration.scale.rangeGrams = try Scenario.number(value)
      case "zero_grams": configuration.scale.zeroGrams = try Scenario.number(value)
      case "filter_ms": configuration.scale.filterMilliseconds = try Scenario.number(value)
      case "auto_zero": configuration.scale.autoZero = try Scenario.number(value)
      case "action": configuration.actions.append(try Action(word: value))
      case "map": mapped = String(value)
      case "region": configuration.regions.append(try Region(word: value))
      default: throw Scenario.Fault(description: "\(key) is no setting")
      }
    }
  }
}

extension Tuning {
  fileprivate static func simulation(_ word: Substring) throws -> PressConfiguration.Simulation {
    guard let simulation = PressConfiguration.Simulation(rawValue: String(word)) else {
      throw Scenario.Fault(description: "\(word) is no kind of simulation")
    }
    return simulation
  }
}

extension Tuning {
  /// `none`, or rules such as `peak_release:0,quiet_ms:200`, the others with their defaults.
  fileprivate static func rules(_ word: Substring) throws -> PressRules {
    guard word != "none" else { return .none }
    var rules = PressRules()
    for rule in word.split(separator: ",") {
      let parts = rule.split(separator: ":")
      guard parts.count == 2 else { throw Scenario.Fault(description: "\(rule) is no rule") }
      switch parts[0] {
      case "peak_release": rules.peakRelease = try Scenario.number(parts[1])
      case "peak_limit_grams": rules.peakLimitGrams = try Scenario.number(parts[1])
      case "repress": rules.repress = try Scenario.number(parts[1])
      case "repress_ms": rules.repressMilliseconds = try Scenario.number(parts[1])
      case "drag_mm_per_s": rules.dragMillimetersPerSecond = try Scenario.number(parts[1])
      case "quiet_ms": rules.quietMilliseconds = try Scenario.number(parts[1])
      case "settle_ms": rules.settleMilliseconds = try Scenario.number(parts[1])
      case "ignore_thumbs": rules.ignoresThumbs = parts[1] == "true"
      default: throw Scenario.Fault(description: "\(rule) is no rule")
      }
    }
    return rules
  }
}

extension StageLadder {
  /// Stages such as `light:0.3:0.25,deep:0.7:0.6`, with their press and release points.
  fileprivate init(word: Substring, unit: PressStage.Unit) throws {
    self.init()
    for stage in word.split(separator: ",") {
      let parts = stage.split(separator: ":")
      guard parts.count == 3 else { throw Scenario.Fault(description: "\(stage) is no stage") }
      let (press, release): (Double, Double)
      (press, release) = (try Scenario.number(parts[1]), try Scenario.number(parts[2]))
      let threshold = try Threshold(press: press, release: release)
      try append(PressStage(name: String(parts[0]), threshold: threshold, unit: unit))
    }
  }
}

extension ResponseCurve {
  /// A curve through one point such as `0.5:0.2`, with its ratio and its output.
  fileprivate init(word: Substring) throws {
    let parts = word.split(separator: ":")
    guard parts.count == 2 else { throw Scenario.Fault(description: "\(word) is no curve") }
    let (ratio, output): (Double, Double)
    (ratio, output) = (try Scenario.number(parts[0]), try Scenario.number(parts[1]))
    try self.init([Point(ratio: ratio, output: output)])
  }
}

extension Action {
  /// An action such as `local.next:deep:2`, with its stage and number of fingers.
  fileprivate init(word: Substring) throws {
    let parts = word.split(separator: ":")
    guard parts.count >= 2 else { throw Scenario.Fault(description: "\(word) is no action") }
    self.init(type: String(parts[0]), title: String(parts[0]))
    trigger = ActionTrigger(stage: String(parts[1]))
    if parts.count > 2 { trigger?.fingers = .exactly(try Scenario.number(parts[2])) }
  }
}

extension Region {
  /// A region such as `left:0:0:0.5:1`, with its left and upper edge, its width and its height.
  fileprivate init(word: Substring) throws {
    let parts = word.split(separator: ":")
    guard parts.count == 5 else { throw Scenario.Fault(description: "\(word) is no region") }
    try self.init(
      name: String(parts[0]), x: Scenario.number(parts[1]), y: Scenario.number(parts[2]),
      width: Scenario.number(parts[3]), height: Scenario.number(parts[4]))
  }
}
