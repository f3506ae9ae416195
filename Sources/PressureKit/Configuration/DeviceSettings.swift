/// The effective settings of one device, after all matching overrides.
public struct DeviceSettings: Hashable, Sendable {
  /// The effective maximum in units of the pressure axis; nil leaves the choice to `PressureAxis`.
  public var effectiveMaximum: Int32?

  /// The weight at the effective maximum, in grams, for a device that does not state units per gram.
  public var nominalFullScaleGrams: Double

  /// Whether the device is ignored.
  package var ignored: Bool

  /// The recognition of presses.
  public var press: PressConfiguration

  /// The default settings.
  public init() {
    self.init(Configuration())
  }

  fileprivate init(_ configuration: Configuration) {
    nominalFullScaleGrams = configuration.nominalFullScaleGrams
    ignored = false
    press = configuration.press
  }
}

extension Configuration {
  /// The settings for a device ID as on the wire, such as `0018-06cb-cd41`.
  public func settings(for deviceID: String) -> DeviceSettings {
    var settings = DeviceSettings(self)
    for device in devices where device.match.matches(deviceID) { settings.apply(device) }
    return settings
  }
}

extension DeviceSettings {
  fileprivate mutating func apply(_ device: DeviceConfiguration) {
    effectiveMaximum = device.effectiveMaximum ?? effectiveMaximum
    nominalFullScaleGrams = device.nominalFullScaleGrams ?? nominalFullScaleGrams
    ignored = device.ignored ?? ignored
    press = device.press ?? press
  }
}

/// Overrides for the devices whose ID matches; nil leaves a setting unchanged.
public struct DeviceConfiguration: Hashable, Sendable {
  /// The pattern for device IDs.
  public var match: Glob

  /// Whether the device is ignored.
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
