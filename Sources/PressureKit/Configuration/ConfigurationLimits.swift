extension ClosedRange<Int> {
  /// A number of the range, the nearest to one that may lie outside: programs set what no file may say.
  package func nearest(to number: Int) -> Int {
    Swift.min(Swift.max(number, lowerBound), upperBound)
  }
}

/// Between which numbers each setting may lie.
public enum ConfigurationLimits {
  /// Clients connected at once.
  public static let clients = 1...65_536

  /// Requests of one user, in a second or at once, that change what others read.
  public static let useRequests = 1...100_000

  /// How long a reading may be held, in milliseconds.
  public static let scaleHoldMilliseconds = 1000...86_400_000

  /// What may wait for one client, in KiB.
  public static let clientBufferKibibytes = 1...65_536

  /// Rights of a socket, without set-user-id and its like, which mean nothing there.
  public static let socketMode: ClosedRange<UInt16> = 0...0o777

  /// Bytes in a socket's path.
  ///
  /// The corresponding kernel constant is `UNIX_PATH_MAX`, which counts a closing zero.
  public static let socketPathBytes = 1...107

  /// Parts of a whole.
  public static let ratio = 0.0...1.0

  /// Grams that a threshold or margin may name, 0 among them.
  public static let grams = 0.0...100_000.0

  /// Units of force, of which 1 is an average touch.
  public static let force = 0.0...1000.0

  /// Grams at the top of a device's range; 0 would leave nothing to divide.
  public static let fullScaleGrams = 1.0...100_000.0

  /// The top of a device's range in its own units.
  public static let effectiveMaximum: ClosedRange<Int32> = 1...Int32.max

  /// Points of a response curve, its ends excepted.
  public static let curvePoints = 16

  /// Fingers of a gesture.
  public static let fingers = 1...10

  /// How long a finger is held before a simulated press begins, in milliseconds.
  public static let holdMilliseconds = 0...60_000

  /// How far a finger may stray meanwhile, in millimeters.
  public static let moveToleranceMillimeters = 0.0...1000.0

  /// Strength of a pulse.
  public static let percent = 0...100

  /// Pulses in a second, more of which no motor could follow.
  public static let pulsesPerSecond = 1...100

  /// How long a reading has to stay in its range to be stable, in milliseconds.
  public static let scaleWindowMilliseconds = 1...60_000

  /// How long the readings are that are averaged, in milliseconds; 0 averages nothing.
  public static let scaleFilterMilliseconds = 0...10_000
}

/// Two settings, each right by itself, that cannot stand together.
public struct InconsistentValuesError: Error, Hashable {
  /// The one of them to change, by its key in the file.
  public let setting: String

  /// What is wrong with them, to stand in the middle of a sentence.
  public let reason: String
}

extension Double {
  /// The number as a person would write it: 200, not 200.0.
  package var brief: String {
    Int64(exactly: self).map { String($0) } ?? description
  }
}
