public import PressureKit

extension Command {
  /// Understands what changes the list of actions; nil where the verb is for something else.
  package init?(actions verb: String, _ arguments: inout Arguments) throws(RequestError) {
    switch verb {
    case "add_action": self = .addAction(try Action(&arguments))
    case "remove_action":
      guard let type = try arguments.text("type", upTo: Action.longestName) else {
        throw .badArgument("remove_action needs a type, as in remove_action type=local.lamp")
      }
      self = .removeAction(type: type)
    default: return nil
    }
  }
}

extension Action {
  /// Actions that one client may add.
  public static let mostPerClient = 32

  /// Actions that all clients together may add.
  public static let mostOfClients = 256

  // Characters of what a client may write.
  fileprivate static let longestName = 128
  private static let longestText = 256
  private static let longestPath = 4096
  private static let longestInfo = 1024
  private static let mostInfo = 16

  fileprivate init(_ arguments: inout Arguments) throws(RequestError) {
    let type = try arguments.text("type", upTo: Action.longestName)
    let title = try arguments.text("title", upTo: Action.longestText)
    guard let type, let title else {
      throw .badArgument(
        "add_action needs a type and a title, as in add_action type=local.lamp title=Lamp")
    }
    self.init(type: type, title: title)
    subtitle = try arguments.text("subtitle", upTo: Action.longestText)
    icon = try arguments.text("icon", upTo: Action.longestText)
    iconFile = try arguments.text("icon_file", upTo: Action.longestPath)
    userInfo = try arguments.texts(
      "user_info", entries: Action.mostInfo, keysUpTo: Action.longestName,
      upTo: Action.longestInfo)
    trigger = try ActionTrigger.read(&arguments)
  }

  fileprivate static func name(
    _ key: String, _ arguments: inout Arguments
  ) throws(RequestError) -> String? {
    try arguments.text(key, upTo: longestName)
  }
}

extension ActionTrigger {
  /// The press that performs an action; nil where only a request does.
  fileprivate static func read(
    _ arguments: inout Arguments
  ) throws(RequestError) -> ActionTrigger? {
    let stage = try Action.name("press", &arguments)
    let fingers = try arguments.fingers("fingers")
    let region = try Action.name("region", &arguments)
    let device = try Action.name("device", &arguments)
    guard let stage else {
      guard fingers == nil, region == nil, device == nil else {
        throw .badArgument("fingers, region and device need press, the name of a stage")
      }
      return nil
    }
    var trigger = ActionTrigger(stage: stage)
    trigger.fingers = fingers ?? trigger.fingers
    trigger.region = region
    trigger.device = device.map { Glob($0) } ?? trigger.device
    return trigger
  }
}
