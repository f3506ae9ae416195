internal import Glibc
package import PressureKit
internal import PressureProtocol

extension Configuration {
  /// Decodes the whole file; haptics and actions come last, as they refer to stages and regions.
  package mutating func read(_ reader: inout MappingDecoder) {
    reader.mapping("socket") { socket.read(&$0) }
    reader.mapping("access") { access.read(&$0) }
    reader.mapping("use") { use.read(&$0) }
    reader.mapping("control") { control.read(&$0) }
    reader.value("always_read", .truth, into: &alwaysRead)
    reader.mapping("heaviest") { heaviest.read(&$0) }
    reader.mapping("max_force") { maximumForce.read(&$0) }
    reader.value(
      "nominal_full_scale_grams", .number(ConfigurationLimits.fullScaleGrams),
      into: &nominalFullScaleGrams)
    reader.mapping("press") { press.read(&$0) }
    reader.mapping("scale") { scale.read(&$0) }
    regions = reader.entries("regions", body: Region.read) ?? regions
    let general = press
    devices = reader.entries("devices") { .read(&$0, over: general) } ?? devices
    reader.value("quirks_file", .optional(.text), into: &quirksFile)
    // After an error a stage may be missing only because of it.
    let stage: ValueDecoder<String> =
      reader.hasNoErrors ? .name(of: "stage", among: stageNames) : .text
    reader.mapping("haptics") { haptics.read(&$0, stage: stage) }
    readActions(&reader)
  }
}

extension SocketConfiguration {
  fileprivate mutating func read(_ reader: inout MappingDecoder) {
    reader.value("path", .optional(.socketPath), into: &path)
    reader.value("mode", .optional(.octal(ConfigurationLimits.socketMode)), into: &mode)
    reader.value("group", .optional(.text), into: &group)
    if let group, getgrnam(group) == nil {
      reader.warn("there is no group \(group.quoted)", at: "group", preventsServing: true)
    }
    reader.value("max_clients", .whole(ConfigurationLimits.clients), into: &maxClients)
    reader.value(
      "max_clients_per_user", .optional(.whole(ConfigurationLimits.clients)),
      into: &maxClientsPerUser)
    reader.value(
      "client_buffer_kib", .whole(ConfigurationLimits.clientBufferKibibytes),
      into: &clientBufferKibibytes)
  }
}

extension AccessConfiguration {
  fileprivate mutating func read(_ reader: inout MappingDecoder) {
    reader.value("seat", .truth, into: &seat)
    reader.value("suspend_when_locked", .truth, into: &suspendsWhenLocked)
    let standard = group
    reader.value("group", .optional(.text), into: &group)
    if let group, group != standard, getgrnam(group) == nil {
      reader.warn("there is no group \(group.quoted)", at: "group")
    }
    reader.list("users", of: .text, into: &users)
    reader.warnAboutMissingUsers(users)
  }
}

extension UseConfiguration {
  fileprivate mutating func read(_ reader: inout MappingDecoder) {
    reader.accounts(users: &users, groups: &groups)
    let limits = ConfigurationLimits.useRequests
    reader.value("requests_per_second", .whole(limits), into: &requestsPerSecond)
    reader.value("burst", .whole(limits), into: &burst)
  }
}

extension ControlConfiguration {
  fileprivate mutating func read(_ reader: inout MappingDecoder) {
    reader.value("seat", .truth, into: &seat)
    reader.accounts(users: &users, groups: &groups)
  }
}

extension MappingDecoder {
  /// Decodes names of users and groups, which need not exist yet.
  fileprivate mutating func accounts(users: inout [String], groups: inout [String]) {
    list("users", of: .text, into: &users)
    list("groups", of: .text, into: &groups)
    warnAboutMissingUsers(users)
    for (index, group) in groups.enumerated() where getgrnam(group) == nil {
      warn("there is no group \(group.quoted)", at: "groups", element: index)
    }
  }
}

extension MappingDecoder {
  fileprivate mutating func warnAboutMissingUsers(_ users: [String]) {
    for (index, user) in users.enumerated() where getpwnam(user) == nil {
      warn("there is no user \(user.quoted)", at: "users", element: index)
    }
  }
}

extension HeaviestConfiguration {
  fileprivate mutating func read(_ reader: inout MappingDecoder) {
    reader.value("margin_ratio", .number(ConfigurationLimits.ratio), into: &marginRatio)
    reader.value("margin_grams", .number(ConfigurationLimits.grams), into: &marginGrams)
  }
}

extension MaximumForceConfiguration {
  fileprivate mutating func read(_ reader: inout MappingDecoder) {
    var ratio = threshold.release
    reader.value("release_ratio", .number(ConfigurationLimits.ratio), into: &ratio)
    self =
      reader.checked { () throws(InconsistentValuesError) in try Self(releaseRatio: ratio) } ?? self
  }
}

extension HapticsConfiguration {
  fileprivate mutating func read(_ reader: inout MappingDecoder, stage: ValueDecoder<String>) {
    reader.value("enabled", .truth, into: &enabled)
    reader.value(
      "intensity_percent", .whole(ConfigurationLimits.percent), into: &intensityPercent)
    reader.value(
      "pulses_per_second", .whole(ConfigurationLimits.pulsesPerSecond), into: &pulsesPerSecond)
    reader.list("stages", of: stage, into: &stages)
  }
}

extension ScaleConfiguration {
  fileprivate mutating func read(_ reader: inout MappingDecoder) {
    reader.value(
      "window_ms", .whole(ConfigurationLimits.scaleWindowMilliseconds), into: &windowMilliseconds)
    reader.value("range_grams", .number(ConfigurationLimits.grams), into: &rangeGrams)
    reader.value("zero_grams", .number(ConfigurationLimits.grams), into: &zeroGrams)
    reader.value(
      "filter_ms", .whole(ConfigurationLimits.scaleFilterMilliseconds), into: &filterMilliseconds)
    reader.value(
      "hold_ms", .whole(ConfigurationLimits.scaleHoldMilliseconds), into: &holdMilliseconds)
    reader.value("auto_zero", .truth, into: &autoZero)
  }
}

extension Configuration {
  /// Decodes the actions; their triggers must refer to existing stages and regions.
  mutating func readActions(_ reader: inout MappingDecoder) {
    // After an error a name may be missing only because of it.
    let hasNoErrors = reader.hasNoErrors
    let stage: ValueDecoder<String> = hasNoErrors ? .name(of: "stage", among: stageNames) : .text
    let region: ValueDecoder<String> =
      hasNoErrors ? .name(of: "region", among: regions.map(\.name)) : .text
    var types: Set<String> = []
    let read = reader.entries("actions") { reader in
      let action = Action.read(stage: stage, region: region, &reader)
      if let action, !types.insert(action.type).inserted {
        reader.addError("duplicate action \(action.type.quoted)", at: "type")
      }
      if let length = action?.encodedLength, !ConfigurationLimits.actionBytes.contains(length) {
        let most = ConfigurationLimits.actionBytes.upperBound
        reader.addError(
          "the action has \(length) bytes in JSON; the maximum is \(most)", at: "user_info")
      }
      return action
    }
    actions = read ?? actions
  }
}

extension Action {
  /// The length of the action in an event or a reply, in bytes.
  fileprivate var encodedLength: Int {
    var line = JSONLinesWriter()
    line.append(self)
    return line.count
  }

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
}

extension ActionTrigger {
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
}

extension PressConfiguration {
  package mutating func read(_ reader: inout MappingDecoder) {
    var feel: PressFeel?
    reader.value("feel", .optional(.word), into: &feel)
    if let feel { (stages, gramStages) = (feel.clickStages, feel.gramStages) }
    let hasGramStages = reader.has("gram_stages")
    if stages.read("stages", in: PressStage.Unit.allCases, &reader), !hasGramStages,
      stages.stages.first?.unit == .click
    {
      gramStages = StageLadder()
    }
    gramStages.read("gram_stages", in: [.grams], &reader)
    curve.read("curve", &reader)
    reader.value("fingers", .fingers, into: &fingers)
    reader.value("simulated", .word, into: &simulation)
    reader.value(
      "hold_ms", .whole(ConfigurationLimits.holdMilliseconds), into: &holdMilliseconds)
    reader.value(
      "move_tolerance_mm", .number(ConfigurationLimits.moveToleranceMillimeters),
      into: &moveToleranceMillimeters)
    rules.read(&reader)
  }
}

extension PressRules {
  fileprivate mutating func read(_ reader: inout MappingDecoder) {
    let milliseconds = ValueDecoder<Int>.whole(ConfigurationLimits.holdMilliseconds)
    reader.value("peak_release", .number(ConfigurationLimits.peakRelease), into: &peakRelease)
    reader.value("peak_limit_grams", .number(ConfigurationLimits.grams), into: &peakLimitGrams)
    reader.value("repress", .number(ConfigurationLimits.repress), into: &repress)
    reader.value("repress_ms", milliseconds, into: &repressMilliseconds)
    reader.value(
      "drag_mm_per_s", .number(ConfigurationLimits.millimetersPerSecond),
      into: &dragMillimetersPerSecond)
    reader.value("quiet_ms", milliseconds, into: &quietMilliseconds)
    reader.value("settle_ms", milliseconds, into: &settleMilliseconds)
    reader.value("ignore_thumbs", .truth, into: &ignoresThumbs)
  }
}

extension StageLadder {
  /// Decodes stages, which replace the default ones; returns whether there are any.
  ///
  /// `units` are the units that thresholds may have; the first is the default.
  @discardableResult
  fileprivate mutating func read(
    _ key: String, in units: [PressStage.Unit], _ reader: inout MappingDecoder
  ) -> Bool {
    var ladder = StageLadder()
    let stages = reader.entries(key) { reader in
      guard let stage = PressStage.read(in: units, &reader) else { return nil as PressStage? }
      return reader.checked { () throws(InconsistentValuesError) in
        try ladder.append(stage)
        return stage
      }
    }
    if stages != nil { self = ladder }
    return stages != nil
  }
}

extension ResponseCurve {
  /// Decodes points, which replace the default ones.
  fileprivate mutating func read(_ key: String, _ reader: inout MappingDecoder) {
    let kind = ValueDecoder<Double>.number(ConfigurationLimits.ratio)
    var curve = ResponseCurve()
    let points = reader.entries(key) { reader in
      let (ratio, output) = (reader.required("ratio", kind), reader.required("output", kind))
      guard let ratio, let output else { return nil as ResponseCurve.Point? }
      return reader.checked { () throws(InconsistentValuesError) in
        let point = ResponseCurve.Point(ratio: ratio, output: output)
        try curve.append(point)
        return point
      }
    }
    if points != nil { self = curve }
  }
}

extension PressStage {
  fileprivate static func read(
    in units: [Unit], _ reader: inout MappingDecoder
  ) -> PressStage? {
    if units.contains(.click), reader.has("above_click") { return readAboveClick(&reader) }
    let unit = reader.value("unit", .word(among: units), or: units.first ?? .ratio)
    // The limits of an unknown unit are unknown, and one error is enough.
    let point = ValueDecoder<Double>.number(unit?.limits ?? ConfigurationLimits.grams)
    let name = reader.required("name", .text)
    let (press, release) = (reader.required("press", point), reader.required("release", point))
    guard let unit, let name, let press, let release else { return nil }
    let threshold = reader.checked { () throws(InconsistentValuesError) in
      try Threshold(press: press, release: release)
    }
    return threshold.map { PressStage(name: name, threshold: $0, unit: unit) }
  }
}

extension PressStage {
  /// Where a stage relative to the pad's click is left by default, as a fraction of its press point.
  private static let releaseOfClicks = 0.8

  /// Decodes a stage whose press point is a multiple of the force at which the pad clicks.
  private static func readAboveClick(_ reader: inout MappingDecoder) -> PressStage? {
    let point = ValueDecoder<Double>.number(ConfigurationLimits.clicks)
    let name = reader.required("name", .text)
    let press = reader.required("above_click", point)
    let release = reader.value("release", point, or: (press ?? 0) * releaseOfClicks)
    for key in ["press", "unit"] where reader.has(key) {
      reader.addError("a stage with above_click has no \(key)", at: key)
    }
    guard let name, let press, let release else { return nil }
    let threshold = reader.checked { () throws(InconsistentValuesError) in
      try Threshold(press: press, release: release)
    }
    return threshold.map { PressStage(name: name, threshold: $0, unit: .click) }
  }
}

extension DeviceConfiguration {
  /// Decodes settings for matching devices; press settings default to the general ones.
  package static func read(
    _ reader: inout MappingDecoder, over general: PressConfiguration
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
      var press = general
      press.read(&reader)
      device.press = press
    }
    return match.map { _ in device }
  }
}

extension Region {
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
}
