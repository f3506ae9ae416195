public import PressureKit

/// The `verdict` of a decoded device: what its pressure is, and what the pad does by itself.
public struct ReceivedVerdict: Hashable, Sendable, Codable {
  private enum CodingKeys: String, CodingKey {
    case measures, certainty, range, settings, reasons
    case rangeSource = "range_source"
    case clicksByItself = "clicks_itself"
    case trigger = "haptics_trigger"
  }

  /// What the values of the pressure axis are.
  public var measures: ProtocolValue<Verdict.Measure>

  /// How reliable that is; nil without usable pressure.
  public var certainty: ProtocolValue<Verdict.Certainty>?

  /// The lowest and the highest value; nil if unknown.
  public var range: [Int]?

  /// Where the range comes from; nil without a pressure axis.
  public var rangeSource: ProtocolValue<Verdict.RangeSource>?

  /// Whether the pad clicks by itself, without a mechanism; false if unknown.
  public var clicksByItself: Bool

  /// Which side can trigger haptic feedback.
  public var trigger: ProtocolValue<Verdict.Trigger>

  /// The settings that the device declares.
  public var settings: [ProtocolValue<Verdict.Setting>]

  /// The reasons, as sentences without a period.
  public var reasons: [String]
}
