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

  /// The stages that play a pulse when a press enters them; reaching the maximum always does.
  package var stages: [String] = []

  package init() {}
}
