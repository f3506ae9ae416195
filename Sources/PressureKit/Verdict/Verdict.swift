/// What the pressure of a device is, and what the pad does by itself, with the reasons.
///
/// What an axis declares is often false: ranges are inherited from another axis, units are missing before Linux 6.18, and some
/// pads report a total for each contact. The verdict depends on the report descriptor, the axes, the quirks, the
/// calibration, and on what the stream has shown.
public struct Verdict: Hashable, Sendable {
  /// What the values of the pressure axis are.
  public enum Measure: String, Sendable {
    /// The force of each contact.
    case force
    /// The total force, which all contacts share or each contact carries.
    case total
    /// Shares of a total: if one finger presses harder, the values of the others decrease.
    case shares
    /// The size of contacts, in an arbitrary unit.
    case area
    /// The device reports no pressure.
    case none
    /// The values are unusable.
    case broken
  }

  /// How reliable the measure is.
  public enum Certainty: String, Sendable {
    /// The device states a unit of mass or force, or a calibration has shown it.
    case stated
    /// It follows from what kind of pad it is.
    case inferred
    /// Nothing is known of the pad: most have this measure, or a program made the device.
    case assumed
    /// The values have borne it out.
    case confirmed
    /// The values contradict what the device states.
    case contradicted
  }

  /// Where the range comes from.
  public enum RangeSource: String, Sendable {
    /// The device declares it.
    case declared
    /// It is that of another axis, so it is not believed.
    case inherited
    /// It is that of the values so far.
    case use
    /// A setting or a quirk states it.
    case configured
  }

  /// Which side can trigger haptic feedback.
  public enum Trigger: String, Sendable {
    /// The host, through the kernel.
    case host
    /// The pad alone: it clicks by itself.
    case pad
    /// Neither the kernel nor the device declares haptic feedback.
    case none
  }

  /// A setting that the device declares.
  public enum Setting: String, Sendable {
    /// The force at which the pad clicks by itself.
    case clickForce = "click_force"
    /// The strength of the pad's own click.
    case clickStrength = "click_strength"
  }

  /// What the values are.
  public var measure: Measure

  /// How reliable that is; nil without usable pressure.
  public var certainty: Certainty?

  /// The source of grams.
  public var weightSource: WeightSource

  /// The range in which values are; nil if unknown.
  public var range: ClosedRange<Int32>?

  /// Where the range comes from; nil without a pressure axis.
  public var rangeSource: RangeSource?

  /// Whether the pad declares that it clicks by itself, without a mechanism or the host; false if unknown.
  public var clicksByItself: Bool

  /// Which side can trigger haptic feedback.
  public var trigger: Trigger

  /// The settings that the device declares.
  public var settings: [Setting]

  /// The reasons, as sentences without a period.
  public var reasons: [String]
}

/// What the stream of a device has shown about its pressure; kept while the device is closed.
package struct StreamEvidence: Hashable, Sendable {
  /// Whether contacts always had the same pressure while it changed; nil if unknown.
  package var carriesTotal: Bool?

  /// Whether the values of two contacts change in opposite directions only.
  package var sharesTotal = false

  /// Whether the pressure follows the length of the contact exactly; false if it does not depend on it, nil if unknown.
  package var followsArea: Bool?

  /// Whether every contact had the same pressure.
  package var isConstant = false

  /// The effective maximum from use, if the declared range is not believed.
  package var usedMaximum: Int32?

  /// Nothing is known.
  package init() {}
}
