/// What holds for one device once everything that matches its name has been said.
public struct DeviceSettings: Hashable, Sendable {
  /// What counts as pressed to the full, in the axis's own units; nil leaves it to the device.
  public var effectiveMaximum: Int32?

  /// What the device is taken to carry at the top of its range, in grams.
  public var nominalFullScaleGrams: Double

  /// Whether the device is left alone.
  public var ignored: Bool

  public var press: PressConfiguration

  /// What holds where nothing is configured.
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
  /// The settings for a device by its name on the wire, such as `0018-06cb-cd41`.
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

/// What differs for the devices whose name matches; nil where nothing does.
public struct DeviceConfiguration: Hashable, Sendable {
  public var match: Glob

  /// Whether the device is left alone.
  public var ignored: Bool?

  /// What counts as pressed to the full, in the axis's own units.
  public var effectiveMaximum: Int32?

  /// What the device is taken to carry at the top of its range, in grams.
  public var nominalFullScaleGrams: Double?

  /// In place of the general one, as a whole; a file says only what differs from that.
  public var press: PressConfiguration?

  public init(match: Glob) {
    self.match = match
  }
}
