/// A word of the protocol out of a few, of which a later daemon may have more.
public protocol ReceivedWord: RawRepresentable<String>, Hashable, Sendable, Decodable {
  /// What stands for a word that only a later daemon knows.
  static var unknown: Self { get }
}

extension ReceivedWord {
  public init(from decoder: any Decoder) throws {
    self = Self(rawValue: try String(from: decoder)) ?? .unknown
  }
}
