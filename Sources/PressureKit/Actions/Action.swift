/// A quick action: what it is called, how it looks, and what performs it.
public struct Action: Hashable, Sendable {
  /// Its one and only name, such as `local.tare`.
  public var type: String

  public var title: String
  public var subtitle: String?

  /// The name of an icon in the desktop's theme.
  public var icon: String?

  /// The path of a picture.
  public var iconFile: String?

  /// What is handed on to whoever performs it.
  public var userInfo: [String: String] = [:]

  /// The press that performs it; nil where only a request does.
  public var trigger: ActionTrigger?

  public init(type: String, title: String) {
    self.type = type
    self.title = title
  }
}
