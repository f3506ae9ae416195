/// An `action` line, as a client reads it.
public struct ReceivedAction: Hashable, Sendable, Decodable {
  /// Microseconds of CLOCK_MONOTONIC, or of the recording that the daemon plays.
  public var time: Int64

  /// Where the press was, or nil where a request has performed it without one.
  public var device: String?

  /// The action's one and only name.
  public var type: String

  public var title: String?

  /// `press` or `request`.
  public var origin: String?

  /// The number of the user whose request it was.
  public var user: Int64?
}
