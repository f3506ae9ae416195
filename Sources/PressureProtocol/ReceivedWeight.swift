/// A `weight` line, as a client reads it.
public struct ReceivedWeight: Hashable, Sendable, Decodable {
  private enum CodingKeys: String, CodingKey {
    case time, device, contacts, heaviest
    case totalGrams = "total_grams"
    case centerX = "center_x"
    case centerY = "center_y"
    case sharesSensor = "shared_sensor"
  }

  /// Microseconds of the clock that `hello` names.
  public var time: Int64

  public var device: String

  /// Those that are down.
  public var contacts: [ReceivedPressure]

  /// Nil where there is nothing to weigh by.
  public var totalGrams: Double?

  /// The middle of all contacts by their force, in parts of the surface; nil without a contact.
  public var centerX: Double?
  public var centerY: Double?

  /// The heaviest contact, or nil.
  public var heaviest: Int64?

  /// Whether several contacts divide one sensor's total.
  public var sharesSensor: Bool
}
