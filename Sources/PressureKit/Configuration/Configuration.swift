/// All settings of the daemon; each has its default value until a configuration file changes it.
public struct Configuration: Hashable, Sendable {
  package var socket = SocketConfiguration()
  package var access = AccessConfiguration()
  package var use = UseConfiguration()
  package var control = ControlConfiguration()
  package var alwaysRead = false

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

  package var haptics = HapticsConfiguration()

  /// The scale.
  public var scale = ScaleConfiguration()

  /// Overrides for some devices.
  ///
  /// If several match a device, the last one that sets a field applies.
  public var devices: [DeviceConfiguration] = []

  package var quirksFile: String?
  package var quirks: [Quirk] = []

  /// Creates the default configuration.
  public init() {}

  package static var plainSettings: [PlainSetting<Configuration>] {
    [
      PlainSetting(
        "always_read", .truth(\.alwaysRead), effect: .atOnce,
        "Keep devices open when no client is connected and no other key needs them."),
      PlainSetting(
        "nominal_full_scale_grams",
        .number(\.nominalFullScaleGrams, ConfigurationLimits.fullScaleGrams), unit: "grams",
        "The load at the top of the range, for devices that do not report units. The resulting grams are an estimate and are "
          + "marked as one."),
    ]
  }

  package var needsDevices: Bool {
    alwaysRead || haptics.enabled || actions.contains { $0.trigger != nil }
  }

  /// The settings for a device ID as on the wire, such as `0018-06cb-cd41`.
  public func settings(for deviceID: String) -> DeviceSettings {
    var settings = DeviceSettings()
    (settings.nominalFullScaleGrams, settings.press) = (nominalFullScaleGrams, press)
    for device in devices where device.match.matches(deviceID) {
      settings.effectiveMaximum = device.effectiveMaximum ?? settings.effectiveMaximum
      settings.nominalFullScaleGrams =
        device.nominalFullScaleGrams ?? settings.nominalFullScaleGrams
      settings.ignored = device.ignored ?? settings.ignored
      settings.press = device.press ?? settings.press
    }
    return settings
  }

  package var stageNames: [String] {
    let presses = [press] + devices.compactMap(\.press)
    let names = presses.flatMap { $0.stages.stages + $0.gramStages.stages }.map(\.name)
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}

package struct HapticsConfiguration: Hashable, Sendable {
  package var enabled = false
  package var intensityPercent = 60

  /// The stages that play a pulse when a press enters them; reaching the maximum always does.
  package var stages: [String] = []

  package static var plainSettings: [PlainSetting<HapticsConfiguration>] {
    [
      PlainSetting(
        "enabled", .truth(\.enabled), effect: .untouched,
        "Play a haptic pulse when a contact reaches the maximum, on devices that can. The service needs additional permissions; "
          + "see /usr/share/doc/pressured/haptics.md."),
      PlainSetting(
        "intensity_percent", .whole(\.intensityPercent, ConfigurationLimits.percent),
        unit: "percent", "Strength of a pulse."),
    ]
  }
}

/// The effective settings of one device, after all matching overrides.
public struct DeviceSettings: Hashable, Sendable {
  /// The effective maximum in units of the pressure axis; nil leaves the choice to `PressureAxis`.
  public var effectiveMaximum: Int32?

  /// The weight at the effective maximum, in grams, for a device that does not state units per gram.
  public var nominalFullScaleGrams = Configuration().nominalFullScaleGrams

  package var ignored = false

  /// The recognition of presses.
  public var press = PressConfiguration()

  /// The default settings.
  public init() {}
}

/// Overrides for the devices whose ID matches; nil leaves a setting unchanged.
public struct DeviceConfiguration: Hashable, Sendable {
  /// The pattern for device IDs.
  public var match: Glob

  package var ignored: Bool?

  /// The effective maximum in units of the pressure axis.
  public var effectiveMaximum: Int32?

  /// The weight at the effective maximum, in grams.
  public var nominalFullScaleGrams: Double?

  /// Replaces the general press configuration as a whole; a file states only the differences.
  public var press: PressConfiguration?

  /// Creates overrides that change nothing.
  public init(match: Glob) {
    self.match = match
  }
}

/// How a device works as a scale.
public struct ScaleConfiguration: Hashable, Sendable {
  /// How long a reading must stay in its range to be stable, in milliseconds, 1…60 000.
  public var windowMilliseconds = 1000

  /// How far a stable reading may vary within the window, in grams.
  public var rangeGrams = 2.0

  /// Net readings of at most this magnitude, in grams, count as zero.
  public var zeroGrams = 1.0

  /// Length of the moving average, in milliseconds, 0…10 000; older readings have no influence.
  public var filterMilliseconds = 100

  /// Whether the reading of an empty surface becomes the zero without a request.
  public var autoZero = false

  /// Creates the default configuration.
  public init() {}

  package static var plainSettings: [PlainSetting<ScaleConfiguration>] {
    [
      PlainSetting(
        "window_ms", .whole(\.windowMilliseconds, ConfigurationLimits.scaleWindowMilliseconds),
        unit: "ms", "Time that a reading must stay within its range to be stable."),
      PlainSetting(
        "range_grams", .number(\.rangeGrams, ConfigurationLimits.grams), unit: "grams",
        "Range of a stable reading."),
      PlainSetting(
        "zero_grams", .number(\.zeroGrams, ConfigurationLimits.grams), unit: "grams",
        "Readings up to this far above or below zero count as zero."),
      PlainSetting(
        "filter_ms", .whole(\.filterMilliseconds, ConfigurationLimits.scaleFilterMilliseconds),
        unit: "ms",
        "Length of the moving average, after which a change is complete; 0 disables it."),
      PlainSetting(
        "auto_zero", .truth(\.autoZero),
        "Follow the reading of the empty surface while it is stable."),
    ]
  }

  /// In microseconds.
  package var window: Int64 { Int64(windowMilliseconds) * 1000 }

  /// In microseconds.
  package var filter: Int64 { Int64(filterMilliseconds) * 1000 }

  /// How long a held reading stays if it is not released, in microseconds.
  package static let hold: Int64 = 600_000_000

  /// How long the load must be stable, in microseconds, so that window and filter contain no earlier value.
  package var settlingTime: Int64 { max(window, filter) }

  /// The span, in microseconds, of the slower of the two means whose difference gives the rate.
  var trend: Int64 { max(window, 2 * max(filter, 1)) }
}

package struct SocketConfiguration: Hashable, Sendable {
  /// The path of the socket; nil for the first usable default path.
  package var path: String?

  /// Permission bits of the socket, as for `chmod`; nil for those that `AccessConfiguration` requires.
  package var mode: UInt16?
  package var maxClients = 512

  /// The maximum number of clients per user, except root and the daemon's own user.
  package var maxClientsPerUser: Int { max(maxClients / 4, 1) }

  package var clientBufferKibibytes = 256

  package init() {}

  package static var plainSettings: [PlainSetting<SocketConfiguration>] {
    [
      PlainSetting(
        "max_clients", .whole(\.maxClients, ConfigurationLimits.clients), effect: .atOnce,
        "The maximum number of clients; further connections are refused. Each user, except root and the user that the daemon runs "
          + "as, can have a quarter of them. Above 900 the service needs LimitNOFILE= and MemoryMax= in a drop-in of its unit."
      ),
      PlainSetting(
        "client_buffer_kib",
        .whole(\.clientBufferKibibytes, ConfigurationLimits.clientBufferKibibytes), unit: "KiB",
        effect: .atOnce,
        "Size of the send queue of each client. The unit limits the service to 640 MiB: if many clients need larger queues, raise "
          + "MemoryMax= in a drop-in."),
    ]
  }
}

/// Users that may receive events, besides root and the daemon's own user.
package struct AccessConfiguration: Hashable, Sendable {
  package var seat = true
  package var suspendsWhenLocked = true

  /// The group whose members always receive all events; nil for none.
  package var group: String? = "pressured"
  package var users: [String] = []

  package init() {}

  package static var plainSettings: [PlainSetting<AccessConfiguration>] {
    [
      PlainSetting(
        "seat", .truth(\.seat), effect: .atOnce,
        "Users receive the events of the devices at a seat while their session on it is the active one."
      ),
      PlainSetting(
        "suspend_when_locked", .truth(\.suspendsWhenLocked), effect: .atOnce,
        "Clients are also suspended while the session is locked."),
      PlainSetting(
        "users", .names(\.users, of: .users), effect: .atOnce,
        "Users that always receive all events."),
    ]
  }
}

/// Users that may change what a scale reads and perform actions, and how often.
///
/// Without users and groups, all users that may connect are allowed. Users that may control the daemon always are.
package struct UseConfiguration: Hashable, Sendable {
  package var users: [String] = []
  package var groups: [String] = []
  package var requestsPerSecond = 50

  package var burst: Int { 4 * requestsPerSecond }

  package var isOpen: Bool { users.isEmpty && groups.isEmpty }

  package init() {}

  package static var plainSettings: [PlainSetting<UseConfiguration>] {
    [
      PlainSetting(
        "users", .names(\.users, of: .users), effect: .atOnce,
        "Users that can send these requests. If both lists are empty, all clients that are served can."
      ),
      PlainSetting(
        "groups", .names(\.groups, of: .groups), effect: .atOnce, "Groups whose members can."),
      PlainSetting(
        "requests_per_second", .whole(\.requestsPerSecond, ConfigurationLimits.useRequests),
        effect: .atOnce,
        "Rate limit of these requests for one user, over all connections; after a pause four times as many at once. All other "
          + "users together have four times this limit."),
    ]
  }
}

/// Users, besides root and the daemon's own user, that may change what the daemon does.
package struct ControlConfiguration: Hashable, Sendable {
  package var seat = false

  package var users: [String] = []
  package var groups: [String] = []

  package static var plainSettings: [PlainSetting<ControlConfiguration>] {
    [
      PlainSetting(
        "seat", .truth(\.seat), effect: .atOnce,
        "Users whose session is active can control the devices at their seat, but not reload."),
      PlainSetting("users", .names(\.users, of: .users), effect: .atOnce, "Users that can."),
      PlainSetting(
        "groups", .names(\.groups, of: .groups), effect: .atOnce, "Groups whose members can."),
    ]
  }
}
