package import PressureKit
internal import PressureProtocol

// Reads and writes the mappings in lists of the configuration.

extension Configuration {
  /// Decodes the actions; their triggers must refer to existing stages and regions.
  mutating func readActions(_ reader: inout MappingDecoder) {
    let stage = reader.name(of: "stage", among: stageNames)
    let region = reader.name(of: "region", among: regions.map(\.name))
    var types: Set<String> = []
    let read = reader.entries("actions") { reader in
      let action = Action.read(stage: stage, region: region, &reader)
      if let action, !types.insert(action.type).inserted {
        reader.addError("duplicate action \(action.type.quoted)", at: "type")
      }
      // As in an event or a reply.
      var line = JSONLinesWriter()
      if let action { line.append(action) }
      if action != nil, !ConfigurationLimits.actionBytes.contains(line.count) {
        let most = ConfigurationLimits.actionBytes.upperBound
        reader.addError(
          "the action has \(line.count) bytes in JSON; the maximum is \(most)", at: "user_info")
      }
      return action
    }
    actions = read ?? actions
  }
}

extension Action: SettingValue {
  fileprivate static func read(
    stage: ValueDecoder<String>, region: ValueDecoder<String>, _ reader: inout MappingDecoder
  ) -> Action? {
    let (type, title) = (reader.required("type", .text), reader.required("title", .text))
    var action = Action(type: type ?? "", title: title ?? "")
    reader.value("subtitle", .optional(.note), into: &action.subtitle)
    reader.value("icon", .optional(.text), into: &action.icon)
    reader.value("icon_file", .optional(.text), into: &action.iconFile)
    reader.dictionary("user_info", of: .note, into: &action.userInfo)
    reader.mapping("on") { reader in
      action.trigger = ActionTrigger.read(stage: stage, region: region, &reader)
    }
    return type.map { _ in action }
  }

  package var yaml: String {
    flow([
      "type": type, "title": title, "subtitle": subtitle, "icon": icon, "icon_file": iconFile,
      "user_info": userInfo, "on": trigger,
    ])
  }
}

extension ActionTrigger: SettingValue {
  package static func read(
    stage: ValueDecoder<String>, region: ValueDecoder<String>, _ reader: inout MappingDecoder
  ) -> ActionTrigger? {
    let press = reader.required("press", stage)
    var trigger = ActionTrigger(stage: press ?? "")
    reader.value("fingers", .fingers, into: &trigger.fingers)
    reader.value("region", .optional(region), into: &trigger.region)
    reader.value("device", .glob, into: &trigger.device)
    return press.map { _ in trigger }
  }

  package var yaml: String {
    flow(["press": stage, "fingers": fingers, "region": region, "device": device])
  }
}

extension StageLadder: SettingValue {
  /// Decodes stages, which replace the default ones; returns whether there are any.
  ///
  /// `units` are the units that thresholds may have; the first is the default.
  @discardableResult
  mutating func read(
    _ key: String, in units: [PressStage.Unit], _ reader: inout MappingDecoder
  ) -> Bool {
    var ladder = StageLadder()
    let stages: [Void]? = reader.entries(key) { reader in
      guard let stage = PressStage.read(in: units, &reader) else { return nil }
      return reader.checked { () throws(InconsistentValuesError) in try ladder.append(stage) }
    }
    if stages != nil { self = ladder }
    return stages != nil
  }

  package var yaml: String { stages.yaml }
}

extension ResponseCurve: SettingValue {
  /// Decodes points, which replace the default ones.
  mutating func read(_ key: String, _ reader: inout MappingDecoder) {
    let kind = ValueDecoder<Double>.number(ConfigurationLimits.ratio)
    var curve = ResponseCurve()
    let points: [Void]? = reader.entries(key) { reader in
      let (ratio, output) = (reader.required("ratio", kind), reader.required("output", kind))
      guard let ratio, let output else { return nil }
      return reader.checked { () throws(InconsistentValuesError) in
        try curve.append(ResponseCurve.Point(ratio: ratio, output: output))
      }
    }
    if points != nil { self = curve }
  }

  package var yaml: String { points.yaml }
}

extension ResponseCurve.Point: SettingValue {
  package var yaml: String { flow(["ratio": ratio, "output": output]) }
}

extension PressStage: SettingValue {
  /// Where a stage relative to the pad's click is left by default, as a fraction of its press point.
  private static let releaseOfClicks = 0.8

  /// Decodes a stage; with `above_click` its press point is a multiple of the force at which the pad clicks.
  fileprivate static func read(in units: [Unit], _ reader: inout MappingDecoder) -> PressStage? {
    let isAboveClick = units.contains(.click) && reader.has("above_click")
    let unit =
      isAboveClick ? .click : reader.value("unit", .word(among: units), or: units.first ?? .ratio)
    // The limits of an unknown unit are unknown, and one error is enough.
    let point = ValueDecoder<Double>.number(unit?.limits ?? ConfigurationLimits.grams)
    let name = reader.required("name", .text)
    let press = reader.required(isAboveClick ? "above_click" : "press", point)
    let release =
      isAboveClick
      ? reader.value("release", point, or: (press ?? 0) * releaseOfClicks)
      : reader.required("release", point)
    for key in ["press", "unit"] where isAboveClick && reader.has(key) {
      reader.addError("a stage with above_click has no \(key)", at: key)
    }
    guard let unit, let name, let press, let release else { return nil }
    let threshold = reader.checked { () throws(InconsistentValuesError) in
      try Threshold(press: press, release: release)
    }
    return threshold.map { PressStage(name: name, threshold: $0, unit: unit) }
  }

  package var yaml: String {
    let (press, release) = (threshold.press, threshold.release)
    return unit == .click
      ? flow(["name": name, "above_click": press, "release": release])
      : flow(["name": name, "press": press, "release": release, "unit": unit.rawValue])
  }
}

extension DeviceConfiguration: SettingValue {
  /// Decodes settings for matching devices; press settings, which are passed, default to the general ones.
  static func read(
    _ reader: inout MappingDecoder, _ settings: [Setting], over general: Configuration
  ) -> DeviceConfiguration? {
    let match = reader.required("match", .glob)
    var device = DeviceConfiguration(match: match ?? "")
    reader.value("ignore", .optional(.truth), into: &device.ignored)
    reader.value(
      "effective_maximum", .optional(.whole(ConfigurationLimits.effectiveMaximum)),
      into: &device.effectiveMaximum)
    reader.value(
      "nominal_full_scale_grams", .optional(.number(ConfigurationLimits.fullScaleGrams)),
      into: &device.nominalFullScaleGrams)
    reader.mapping("press") { reader in
      reader.refuseRemoved(in: "press")
      var own = general
      for setting in settings { setting.decode(&reader, &own) }
      device.press = own.press
    }
    return match.map { _ in device }
  }

  package var yaml: String {
    let settings = [
      ("match", match.yaml), ("ignore", ignored.yaml), ("effective_maximum", effectiveMaximum.yaml),
      ("nominal_full_scale_grams", nominalFullScaleGrams.yaml),
    ]
    let own = press.map { press in
      var whole = Configuration()
      whole.press = press
      return flow(Configuration.pressSettings.map { ($0.name, $0.text(whole)) })
    }
    return flow((settings + [("press", own ?? "null")]).filter { $0.1 != "null" })
  }
}

extension Region: SettingValue {
  package static func read(_ reader: inout MappingDecoder) -> Region? {
    var device: Glob = "*"
    let name = reader.required("name", .text)
    reader.value("device", .glob, into: &device)
    let part = ValueDecoder<Double>.number(ConfigurationLimits.ratio)
    let (x, y) = (reader.required("x", part), reader.required("y", part))
    let (width, height) = (reader.required("width", part), reader.required("height", part))
    guard let name, let x, let y, let width, let height else { return nil }
    return reader.checked { () throws(InconsistentValuesError) in
      try Region(name: name, device: device, x: x, y: y, width: width, height: height)
    }
  }

  package var yaml: String {
    flow(["name": name, "device": device, "x": x, "y": y, "width": width, "height": height])
  }
}
