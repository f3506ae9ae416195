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
