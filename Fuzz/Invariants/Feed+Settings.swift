@testable import PressureKit
@testable import PressureSettings

extension Feed {
  /// Any configuration that a file can contain: the text of one, or values for the settings in the table of the program.
  mutating func configuration() -> Configuration {
    let isText = isSet()
    let length = Int(word())
    let own = part(length)
    var made = MadeSettings(own)
    let text = isText ? own.rest : Array(made.text().utf8)
    do throws(ConfigurationErrors) {
      return try ConfigurationFile.read(text: text, name: "made")
    } catch {
      require(
        isText,
        "settings that are made are valid: \(error) \(String(decoding: text, as: UTF8.self))")
      return Configuration()
    }
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

/// Makes a configuration file with any of the settings that engines have; without bytes, an empty one.
private struct MadeSettings {
  private var feed: Feed
  private var regions: [String] = []

  /// The first of them is a stage of each configuration, so that actions can name it.
  private static let stages = ["light", "deep", "c", "d"]

  /// The number of stages in each list: a calibration selects the other list during a press, which keeps its stages.
  private let count: Int

  init(_ feed: Feed) {
    self.feed = feed
    count = self.feed.pick([MadeSettings.standardCount, 1, 3, 4])
  }

  /// That of the default stages.
  private static let standardCount = 2

  mutating func text() -> String {
    var members: [String] = []
    for group in Configuration.settingGroups {
      let own = self.members(group.settings)
      members += group.name.map { ["\($0): { \(own.joined(separator: ", ")) }"] } ?? own
    }
    return "{ \(members.joined(separator: ", ")) }"
  }

  private mutating func members(_ settings: [Setting]) -> [String] {
    var members: [String] = []
    for setting in settings where setting.effect == .nextTouch || setting.effect == .untouched {
      let isStages = setting.name == "stages" || setting.name == "gram_stages"
      let mustBeSet = isStages && count != MadeSettings.standardCount
      if feed.isSet() || mustBeSet { members.append("\(setting.name): \(value(of: setting))") }
    }
    return members
  }

  /// Lists have rules of their own; all other settings state their valid values.
  private mutating func value(of setting: Setting) -> String {
    switch (setting.name, setting.values) {
    case (_, "a list of names of stages"): "[\(MadeSettings.stages[0])]"
    case ("stages", _): ladder(of: feed.pick(PressStage.Unit.allCases)).yaml
    case ("gram_stages", _): ladder(of: .grams).yaml
    case ("curve", _): curve().yaml
    case ("regions", _): regionList().yaml
    case ("actions", _): actions().yaml
    case ("devices", _): "[\(device())]"
    default: scalar(setting.values, setting.name)
    }
  }

  /// One of the values in a description such as "any or a whole number from 1 to 10".
  private mutating func scalar(_ values: String, _ name: String) -> String {
    let list = values.hasPrefix("one of ") ? String(values.dropFirst(7)) : values
    let choices = list.split(separator: ", ").flatMap { $0.split(separator: " or ") }
    let choice = feed.pick(choices).split(separator: " " as Character)
    if let from = choice.firstIndex(of: "from"), choice.count > from + 3,
      let lower = Double(choice[from + 1]), let upper = Double(choice[from + 3])
    {
      let number = number(in: lower...upper)
      return (choice.contains("whole") ? number.rounded(.down) : number).yaml
    }
    require(choice.count == 1, "values of \(name) can be made from its description: \(values)")
    return String(choice[0])
  }

  private mutating func number(in range: ClosedRange<Double>) -> Double {
    let span = range.upperBound - range.lowerBound
    return switch feed.below(4) {
    case 0: range.lowerBound + min(span, Double(feed.below(256)))
    case 1: range.lowerBound + span * fraction()
    case 2: range.lowerBound
    default: range.upperBound
    }
  }

  private mutating func fraction() -> Double { Double(feed.word()) / 65_535 }

  private mutating func ladder(of unit: PressStage.Unit) -> StageLadder {
    var ladder = StageLadder()
    // Four stages stay within the limit, so that none is left out.
    let step = unit.limits.upperBound / feed.pick([256, 4096, 65_536])
    var (press, release) = (0.0, 0.0)
    for name in MadeSettings.stages.prefix(count) {
      press += Double(1 + feed.below(63)) * step
      release = max(release, press - Double(1 + feed.below(255)) * step)
      guard let threshold = try? Threshold(press: press, release: release) else { break }
      try? ladder.append(PressStage(name: name, threshold: threshold, unit: unit))
    }
    return ladder
  }

  private mutating func curve() -> ResponseCurve {
    var curve = ResponseCurve()
    for _ in 0..<feed.below(5) {
      try? curve.append(ResponseCurve.Point(ratio: fraction(), output: fraction()))
    }
    return curve
  }

  private mutating func regionList() -> [Region] {
    let made = ["left", "right"].prefix(feed.below(3)).compactMap { name in
      try? Region(
        name: name, x: fraction(), y: fraction(), width: fraction(), height: fraction())
    }
    regions = made.map(\.name)
    return made
  }

  private mutating func actions() -> [Action] {
    ["local.tare", "local.zero", "local.hold", "x"].prefix(feed.below(5)).map { type in
      var action = Action(type: type, title: type)
      var trigger = ActionTrigger(stage: MadeSettings.stages[0])
      trigger.fingers = feed.isSet() ? .any : .exactly(1 + feed.below(3))
      trigger.region = feed.pick([nil] + regions.map(Optional.some))
      action.trigger = trigger
      return action
    }
  }

  private mutating func device() -> String {
    let match = feed.pick(["0018-*", "*", "other"])
    var members = [
      "match: \"\(match)\"",
      "press: { \(self.members(Configuration.pressSettings).joined(separator: ", ")) }",
    ]
    if feed.isSet() { members.append("effective_maximum: \(1 + Int(feed.word()))") }
    if feed.isSet() { members.append("nominal_full_scale_grams: \(1 + Int(feed.word()))") }
    return "{ \(members.joined(separator: ", ")) }"
  }
}
