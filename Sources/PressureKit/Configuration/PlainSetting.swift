/// A key of the configuration file with a number, a switch, a word or a list of names, declared beside its property.
///
/// Decoding, `pressured config`, the manual page and the example file are derived from it, with the other keys.
package struct PlainSetting<Root> {
  package let name: String

  package let value: Value
  package let unit: String

  package let effect: SettingEffect
  package let summary: String

  package enum Value {
    case truth(WritableKeyPath<Root, Bool>)
    case whole(WritableKeyPath<Root, Int>, ClosedRange<Int>)
    case number(WritableKeyPath<Root, Double>, ClosedRange<Double>)
    case words([String], get: (Root) -> String, set: (inout Root, String) -> Void)
    case names(WritableKeyPath<Root, [String]>, of: Names)
  }

  init(
    _ name: String, _ value: Value, unit: String = "", effect: SettingEffect = .nextTouch,
    _ summary: String
  ) {
    (self.name, self.value, self.unit) = (name, value, unit)
    (self.effect, self.summary) = (effect, summary)
  }

  /// What a list names; what does not exist on this machine gives a warning.
  package enum Names: String {
    case users, groups
  }
}

/// When a changed setting takes effect after a reload.
package enum SettingEffect: String {
  case atOnce = "at once"
  case nextTouch = "with the next touch"
  case untouched = "once nothing touches the device"
  case restart = "after a restart"
}

/// The valid range of each setting; a program that sets others may stop.
public enum ConfigurationLimits {
  package static let clients = 1...65_536

  package static let useRequests = 1...100_000

  package static let clientBufferKibibytes = 1...65_536

  /// Permission bits of the socket, without set-user-ID, set-group-ID and sticky, which have no effect on it.
  package static let socketMode: ClosedRange<UInt16> = 0...0o777

  /// Bytes in a socket's path; the corresponding kernel constant is `UNIX_PATH_MAX`, which includes the terminating zero.
  package static let socketPathBytes = 1...107

  /// Fractions.
  public static let ratio = 0.0...1.0

  /// Thresholds and margins in grams.
  public static let grams = 0.0...100_000.0

  /// Thresholds in units of force; 1 is an average touch.
  public static let force = 0.0...1000.0

  /// Thresholds as multiples of the force at which the pad clicks.
  public static let clicks = 0.0...20.0

  /// Grams at a device's effective maximum; 0 is excluded, as it would be divided by.
  public static let fullScaleGrams = 1.0...100_000.0

  /// A device's effective maximum, in units of its axis.
  public static let effectiveMaximum: ClosedRange<Int32> = 1...Int32.max

  /// The maximum number of inner points of a response curve.
  public static let curvePoints = 16

  /// Bytes of a configured action in JSON: as many as a request may have.
  public static let actionBytes = 1...16_384

  /// Fingers of a gesture.
  public static let fingers = 1...10

  /// How long a finger must rest before a simulated press starts, in milliseconds.
  public static let holdMilliseconds = 0...60_000

  package static let percent = 0...100

  /// How long a reading must stay in its range to be stable, in milliseconds.
  public static let scaleWindowMilliseconds = 1...60_000

  /// Length of the averaging filter, in milliseconds; 0 disables it.
  public static let scaleFilterMilliseconds = 0...10_000
}

/// Settings that are valid each by itself but contradict each other.
public struct InconsistentValuesError: Error, Hashable, CustomStringConvertible {
  /// The key, in the configuration file, of the setting to change.
  public let setting: String

  /// The reason, worded to stand in the middle of a sentence.
  public let reason: String

  /// The reason, which names the setting.
  public var description: String { reason }
}

func requireConsistent(
  _ isConsistent: Bool, in setting: String, _ reason: @autoclosure () -> String
) throws(InconsistentValuesError) {
  if !isConsistent { throw InconsistentValuesError(setting: setting, reason: reason()) }
}
