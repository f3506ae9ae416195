/// A request to a scale.
public enum ScaleRequest: Hashable, Sendable {
  /// Tares the current load.
  case tare
  /// Clears the tare.
  case clearTare
  /// Makes the current reading the zero.
  case zero
  /// Holds the reading.
  case hold
  /// Releases a held reading.
  case release
  /// Sets a net target weight; nil clears it.
  case aim(ScaleTarget?)
  /// Derives the weight of one piece from a number of equal pieces on the scale.
  case sample(pieces: Int)
}

/// The reason why a scale rejects a request.
public enum ScaleError: Error, Hashable, Sendable {
  /// The device has no weight source.
  case cannotWeigh
  /// The pressure of a contact is unknown, as a recording does not contain it.
  case unknownLoad
  /// The load exceeds the range of the sensor or the law.
  case overWeight
  /// The reading exceeds the range for a zero request; both in grams.
  case farFromZero(grams: Double, limit: Double)
  /// The reading is not at rest.
  case inMotion
  /// There is no load that could be divided into pieces.
  case nothingToCount
}

extension ScaleError: CustomStringConvertible {
  /// The reason for users, without the device's name.
  public var description: String {
    switch self {
    case .cannotWeigh: "the device gives nothing to weigh by"
    case .unknownLoad: "the pressure of a contact is unknown: the recording does not contain it"
    case .overWeight: "the load exceeds the capacity of the device"
    case .farFromZero(let grams, let limit):
      "the scale reads \(ScaleError.tenths(grams)) g, and zero may be off by"
        + " \(ScaleError.tenths(limit)) g; try tare"
    case .inMotion: "the scale is in motion; retry when it is stable"
    case .nothingToCount: "there is nothing on the scale to count"
    }
  }

  private static func tenths(_ grams: Double) -> String {
    ((grams * 10).rounded() / 10).shortDescription
  }
}
