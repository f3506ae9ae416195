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
