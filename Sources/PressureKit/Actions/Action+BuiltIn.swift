extension Action {
  /// The actions that there are without any configuration.
  public static let builtIn: [Action] = [
    Action(type: "pressured.tare", title: "Tare", subtitle: "What lies there does not count"),
    Action(type: "pressured.untare", title: "Untare", subtitle: "All that lies there counts again"),
    Action(type: "pressured.zero", title: "Zero", subtitle: "What is read now is nothing"),
    Action(type: "pressured.hold", title: "Hold", subtitle: "The reading stays as it is"),
    Action(type: "pressured.release", title: "Release", subtitle: "The reading follows again"),
  ]

  private init(type: String, title: String, subtitle: String) {
    self.init(type: type, title: title)
    self.subtitle = subtitle
  }

  /// What the action does to the scale by itself, or nil.
  ///
  /// The last part of the type counts, so that `local.tare` tares as `pressured.tare` does.
  public var scaleRequest: ScaleRequest? {
    let last = type.utf8.split(separator: UInt8(ascii: ".")).last
    return Action.scaleRequests.first { last?.elementsEqual($0.name.utf8) ?? false }?.request
  }

  private static let scaleRequests: [(name: String, request: ScaleRequest)] = [
    ("tare", .tare), ("untare", .untare), ("zero", .zero), ("hold", .hold), ("release", .release),
  ]
}

extension Configuration {
  /// All actions: those that are configured, and the built-in ones that are not configured otherwise.
  public var allActions: [Action] {
    actions
      + Action.builtIn.filter { own in !actions.contains { $0.type.hasSameBytes(as: own.type) } }
  }
}
