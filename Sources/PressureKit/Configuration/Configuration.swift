/// All settings of the daemon; each has its default value until a configuration file changes it.
public struct Configuration: Hashable, Sendable {
  /// The socket and its limits.
  package var socket = SocketConfiguration()

  /// Users that may receive events.
  package var access = AccessConfiguration()

  /// Users that may use scales and actions.
  package var use = UseConfiguration()

  /// Users that may control the daemon.
  package var control = ControlConfiguration()

  /// Whether devices are read although no client is connected and no setting requires it.
  package var alwaysRead = false

  /// The hysteresis of the heaviest contact.
  public var heaviest = HeaviestConfiguration()

  /// The thresholds of the maximum force.
  public var maximumForce = MaximumForceConfiguration()

  /// The weight, in grams, at the effective maximum of a device that does not state units per gram.
  ///
  /// The default, 385 g, is the weight at which the sensor of an iPhone 6s is saturated: `Force.referenceMaximum` ×
  /// `Force.referenceGrams`. It is an estimate for any other device. Valid values: `ConfigurationLimits.fullScaleGrams`.
  public var nominalFullScaleGrams = 385.0

  /// The recognition of presses.
  public var press = PressConfiguration()

  /// Named parts of surfaces.
  ///
  /// The first region that contains a point is its target.
  public var regions: [Region] = []

  /// Quick actions, each with a unique type.
  public var actions: [Action] = []

  /// The haptic feedback.
  package var haptics = HapticsConfiguration()

  /// The scale.
  public var scale = ScaleConfiguration()

  /// Overrides for some devices.
  ///
  /// If several match a device, the last one that sets a field applies.
  public var devices: [DeviceConfiguration] = []

  /// The path of an additional quirks file.
  package var quirksFile: String?

  /// The quirks read from `quirksFile`.
  package var quirks: [Quirk] = []

  /// Creates the default configuration.
  public init() {}
}

extension Configuration {
  /// Whether devices are read while no client is connected.
  package var needsDevices: Bool {
    alwaysRead || haptics.enabled || actions.contains { $0.trigger != nil }
  }

  /// The names of all stages that a press can reach on any device, in order and without duplicates.
  package var stageNames: [String] {
    let presses = [press] + devices.compactMap(\.press)
    let names = presses.flatMap { $0.stages.stages + $0.gramStages.stages }.map(\.name)
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}

/// The margin, a hysteresis, by which a contact must outweigh the heaviest contact to replace it.
///
/// The larger of the two margins applies.
public struct HeaviestConfiguration: Hashable, Sendable {
  /// Fraction of the heaviest contact's weight, 0…1.
  public var marginRatio = 0.03

  /// Margin in grams, 0…100 000.
  public var marginGrams = 2.0

  /// Creates the default margins: 3 % or 2 g.
  public init() {}
}

/// When a contact counts as having reached the maximum force, and when it is released again.
public struct MaximumForceConfiguration: Hashable, Sendable {
  /// Ratios of the effective maximum: reached at `press`, which is 1; released below `release`.
  public let threshold: Threshold

  /// Reached at the effective maximum; released below 0.95 of it.
  public init() {
    threshold = Threshold(knownPress: 1, release: 0.95)
  }

  /// Reached at the effective maximum; released below `releaseRatio` of it.
  ///
  /// - Throws: `InconsistentValuesError` if `releaseRatio` is not below 1, or is negative.
  public init(releaseRatio: Double) throws(InconsistentValuesError) {
    guard releaseRatio < 1 else {
      throw InconsistentValuesError(
        setting: "release_ratio",
        reason: "release_ratio (\(releaseRatio.shortDescription)) must be below 1")
    }
    guard releaseRatio >= 0 else {
      throw InconsistentValuesError(
        setting: "release_ratio",
        reason: "release_ratio (\(releaseRatio.shortDescription)) must not be negative")
    }
    threshold = Threshold(knownPress: 1, release: releaseRatio)
  }
}

/// Haptic feedback on devices that have a motor.
package struct HapticsConfiguration: Hashable, Sendable {
  /// Whether haptic feedback is played.
  package var enabled = false

  /// Strength of a pulse in percent, 0…100.
  package var intensityPercent = 60

  /// The maximum number of pulses per second, 1…100.
  package var pulsesPerSecond = 10

  /// The stages that play a pulse when a press enters them; reaching the maximum always does.
  package var stages: [String] = []

  package init() {}
}

extension Configuration {
  /// The keys of the settings that differ, as in the configuration file, with dots between levels.
  package func keys(thatDifferFrom other: Configuration) -> [String] {
    Configuration.settings.filter { $0.value(self) != $0.value(other) }.map(\.key)
  }

  /// The number of settings.
  package static var keyCount: Int { settings.count }

  /// Whether a setting takes effect only when the daemon starts.
  package static func needsRestart(_ key: String) -> Bool {
    ["socket.path", "socket.mode", "socket.group"].contains(key)
  }

  /// All settings, in the order of the manual page; a test compares them with the stored properties.
  package static let settings: [(key: String, value: @Sendable (Configuration) -> AnyHashable)] = [
    ("socket.path", { $0.socket.path }),
    ("socket.mode", { $0.socket.mode }),
    ("socket.group", { $0.socket.group }),
    ("socket.max_clients", { $0.socket.maxClients }),
    ("socket.max_clients_per_user", { $0.socket.maxClientsPerUser }),
    ("socket.client_buffer_kib", { $0.socket.clientBufferKibibytes }),
    ("access.seat", { $0.access.seat }),
    ("access.suspend_when_locked", { $0.access.suspendsWhenLocked }),
    ("access.group", { $0.access.group }),
    ("access.users", { $0.access.users }),
    ("use.users", { $0.use.users }),
    ("use.groups", { $0.use.groups }),
    ("use.requests_per_second", { $0.use.requestsPerSecond }),
    ("use.burst", { $0.use.burst }),
    ("control.seat", { $0.control.seat }),
    ("control.users", { $0.control.users }),
    ("control.groups", { $0.control.groups }),
    ("always_read", { $0.alwaysRead }),
    ("heaviest.margin_ratio", { $0.heaviest.marginRatio }),
    ("heaviest.margin_grams", { $0.heaviest.marginGrams }),
    ("max_force.release_ratio", { $0.maximumForce }),
    ("nominal_full_scale_grams", { $0.nominalFullScaleGrams }),
    ("press.stages", { $0.press.stages }),
    ("press.gram_stages", { $0.press.gramStages }),
    ("press.curve", { $0.press.curve }),
    ("press.fingers", { $0.press.fingers }),
    ("press.simulated", { $0.press.simulation }),
    ("press.hold_ms", { $0.press.holdMilliseconds }),
    ("press.move_tolerance_mm", { $0.press.moveToleranceMillimeters }),
    ("press.peak_release", { $0.press.rules.peakRelease }),
    ("press.peak_limit_grams", { $0.press.rules.peakLimitGrams }),
    ("press.repress", { $0.press.rules.repress }),
    ("press.repress_ms", { $0.press.rules.repressMilliseconds }),
    ("press.drag_mm_per_s", { $0.press.rules.dragMillimetersPerSecond }),
    ("press.quiet_ms", { $0.press.rules.quietMilliseconds }),
    ("press.settle_ms", { $0.press.rules.settleMilliseconds }),
    ("press.ignore_thumbs", { $0.press.rules.ignoresThumbs }),
    ("regions", { $0.regions }),
    ("actions", { $0.actions }),
    ("haptics.enabled", { $0.haptics.enabled }),
    ("haptics.intensity_percent", { $0.haptics.intensityPercent }),
    ("haptics.pulses_per_second", { $0.haptics.pulsesPerSecond }),
    ("haptics.stages", { $0.haptics.stages }),
    ("scale.window_ms", { $0.scale.windowMilliseconds }),
    ("scale.range_grams", { $0.scale.rangeGrams }),
    ("scale.zero_grams", { $0.scale.zeroGrams }),
    ("scale.filter_ms", { $0.scale.filterMilliseconds }),
    ("scale.hold_ms", { $0.scale.holdMilliseconds }),
    ("scale.auto_zero", { $0.scale.autoZero }),
    ("devices", { $0.devices }),
    // Includes the contents, as the same file may have been edited.
    ("quirks_file", { [AnyHashable($0.quirksFile), AnyHashable($0.quirks)] }),
  ]
}
