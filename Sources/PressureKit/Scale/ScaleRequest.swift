/// What somebody may ask of a scale.
public enum ScaleRequest: Hashable, Sendable {
  /// What lies there now is not to count.
  case tare
  /// All that lies there counts again.
  case clearTare
  /// What is read now is nothing.
  case zero
  /// The reading is to stay as it is now.
  case hold
  /// The reading is to follow again.
  case release
  /// A net weight is to be reached, or none any more.
  case aim(ScaleTarget?)
  /// So many equal pieces lie there now.
  case sample(pieces: Int)
}

/// Why a scale does not do what it is asked for.
public enum ScaleError: Error, Hashable, Sendable {
  /// The device gives nothing to weigh by.
  case cannotWeigh
  /// More lies there than can be read.
  case overWeight
  /// What is read is more than zero may be off by, both in grams.
  case farFromZero(grams: Double, limit: Double)
  /// The reading is not at rest.
  case inMotion
  /// Nothing lies there that could be divided into pieces.
  case nothingToCount
}
