/// A `heaviest` line, as a client reads it; all but the first two and the last are nil for nobody.
public struct ReceivedHeaviest: Hashable, Sendable, Decodable {
  /// Microseconds of the clock that `hello` names.
  public var time: Int64

  public var device: String
  public var slot: Int?

  /// The heaviest contact.
  public var contact: Int64?

  /// A multiple of an average touch.
  public var force: Double?

  public var grams: Double?

  /// Which contact it was before.
  public var previous: Int64?
}
