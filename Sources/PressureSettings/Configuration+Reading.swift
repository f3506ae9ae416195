internal import Glibc
internal import PressureKit

extension Configuration {
  /// Reads the whole file; haptics and actions come last, as they name stages and regions.
  package mutating func read(_ reader: inout MappingDecoder) {
    reader.mapping("socket") { socket.read(&$0) }
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
    // After a fault a name may be missing only because of it.
    let stage: ValueDecoder<String> = reader.isRight ? .name(of: "stage", among: stageNames) : .text
    reader.mapping("haptics") { haptics.read(&$0, stage: stage) }
    readActions(&reader)
  }
}

extension SocketConfiguration {
  fileprivate mutating func read(_ reader: inout MappingDecoder) {
    reader.value("path", .optional(.socketPath), into: &path)
    reader.value("mode", .octal(ConfigurationLimits.socketMode), into: &mode)
    reader.value("group", .optional(.text), into: &group)
    if let group, getgrnam(group) == nil {
      reader.remark("there is no group \(group.quoted)", at: "group", preventsServing: true)
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
    reader.accounts(users: &users, groups: &groups)
  }
}

extension MappingDecoder {
  /// Reads names of users and groups, which need not be there yet.
  fileprivate mutating func accounts(users: inout [String], groups: inout [String]) {
    list("users", of: .text, into: &users)
    list("groups", of: .text, into: &groups)
    for (index, user) in users.enumerated() where getpwnam(user) == nil {
      remark("there is no user \(user.quoted)", at: "users", element: index)
    }
    for (index, group) in groups.enumerated() where getgrnam(group) == nil {
      remark("there is no group \(group.quoted)", at: "groups", element: index)
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
      reader.pair { () throws(InconsistentValuesError) in try Self(releaseRatio: ratio) } ?? self
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
