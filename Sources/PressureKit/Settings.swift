/// What the engine's recognisers are set to, for one device.
public struct Settings: Hashable, Sendable {
  /// How far ahead a challenger must be to be the heaviest, as part of the holder's grams.
  public var heaviestMarginRatio = 0.03

  /// The same in grams; the larger of the two counts.
  public var heaviestMarginGrams = 2.0

  /// The part of the effective maximum below which a contact is released from it, 0…1.
  public var maximumReleaseRatio = 0.95

  public init() {}

  var heaviestMargin: Heaviest.Margin {
    Heaviest.Margin(ratio: heaviestMarginRatio, grams: heaviestMarginGrams)
  }
}
