/// Every setting, at its default until a file says otherwise.
public struct Configuration: Hashable, Sendable {
  public var socket = SocketConfiguration()
  public var use = UseConfiguration()
  public var control = ControlConfiguration()

  /// Whether devices are read although no client is connected and nothing configured needs them.
  public var alwaysRead = false

  public var heaviest = HeaviestConfiguration()
  public var maximumForce = MaximumForceConfiguration()

  /// What a device without units of its own is taken to carry at the top of its range.
  ///
  /// Grams.
  public var nominalFullScaleGrams = 385.0

  public var press = PressConfiguration()

  /// Named parts of surfaces, the first that contains a point being its target.
  public var regions: [Region] = []

  /// Quick actions, each with a type of its own.
  public var actions: [Action] = []

  public var haptics = HapticsConfiguration()
  public var scale = ScaleConfiguration()

  /// What differs for some devices; of several that match, the last one to state a field counts.
  public var devices: [DeviceConfiguration] = []

  /// A file of quirks beside those that come with the program.
  public var quirksFile: String?

  /// What that file says.
  public var quirks: [Quirk] = []

  public init() {}
}

extension Configuration {
  /// Whether devices are read although no client is connected.
  public var needsDevices: Bool {
    alwaysRead || haptics.enabled || actions.contains { $0.trigger != nil }
  }

  /// The names of all stages that a press may reach on some device, in order, each once.
  public var stageNames: [String] {
    let presses = [press] + devices.compactMap(\.press)
    let names = presses.flatMap { $0.stages.stages + $0.gramStages.stages }.map(\.name)
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}

/// By how much a contact must outweigh the heaviest one to take its place.
///
/// Of the two margins the larger one counts.
public struct HeaviestConfiguration: Hashable, Sendable {
  /// Part of the holder's own grams, 0…1.
  public var marginRatio = 0.03

  /// Grams.
  public var marginGrams = 2.0

  public init() {}
}

/// When a contact counts as pressed to the full, and when no longer.
public struct MaximumForceConfiguration: Hashable, Sendable {
  /// Ratios of the effective maximum: reached at 1, released below the lower one.
  public let threshold: Threshold

  /// Reached at the effective maximum, released below 0.95 of it.
  public init() {
    threshold = Threshold(knownPress: 1, release: 0.95)
  }

  /// Released below `releaseRatio`, which must be under 1.
  public init(releaseRatio: Double) throws(InconsistentValuesError) {
    guard releaseRatio < 1 else {
      throw InconsistentValuesError(
        setting: "release_ratio", reason: "release_ratio (\(releaseRatio.brief)) must be below 1")
    }
    threshold = Threshold(knownPress: 1, release: releaseRatio)
  }
}

/// What a device with a motor lets the finger feel.
public struct HapticsConfiguration: Hashable, Sendable {
  public var enabled = false

  /// Strength of a pulse, 0…100.
  public var intensityPercent = 60

  /// Pulses in a second at most, 1…100.
  public var pulsesPerSecond = 10

  /// The stages of a press that give a pulse when they are reached; the maximum always does.
  public var stages: [String] = []

  public init() {}
}

extension Configuration {
  /// The settings that differ, as the file names them, with dots between the levels.
  public func keys(thatDifferFrom other: Configuration) -> [String] {
    Configuration.settings.filter { $0.value(self) != $0.value(other) }.map(\.key)
  }

  /// How many settings there are.
  public static var keyCount: Int { settings.count }

  /// Whether a setting counts when the daemon starts, and not again.
  public static func needsRestart(_ key: String) -> Bool {
    ["socket.path", "socket.mode", "socket.group"].contains(key)
  }

  /// All settings, in the order of the manual page; a test holds them against the fields there are.
  package static let settings: [(key: String, value: @Sendable (Configuration) -> AnyHashable)] = [
    ("socket.path", { $0.socket.path }),
    ("socket.mode", { $0.socket.mode }),
    ("socket.group", { $0.socket.group }),
    ("socket.max_clients", { $0.socket.maxClients }),
    ("socket.max_clients_per_user", { $0.socket.maxClientsPerUser }),
    ("socket.client_buffer_kib", { $0.socket.clientBufferKibibytes }),
    ("use.users", { $0.use.users }),
    ("use.groups", { $0.use.groups }),
    ("use.requests_per_second", { $0.use.requestsPerSecond }),
    ("use.burst", { $0.use.burst }),
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
    // Also where the same file says something else.
    ("quirks_file", { [AnyHashable($0.quirksFile), AnyHashable($0.quirks)] }),
  ]
}
