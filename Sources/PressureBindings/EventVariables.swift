internal import PressureKit
internal import PressureProtocol

/// An event as the environment of a command.
///
/// What an event does not have is not set, so that a script can ask for it by `${PRESSURED_STAGE:-}`.
enum EventVariables {
  /// A line that is longer is left out: the kernel takes no variable of over 128 KiB.
  private static let lineLimit = 64 * 1024

  /// The names and values, with the whole line last.
  static func of(_ event: ReceivedEvent, line: [UInt8]) -> [(name: String, value: String)] {
    var pairs: [(String, String?)]
    switch event {
    case .press(let press): pairs = of(press)
    case .action(let action): pairs = of(action)
    case .hello, .device, .contact, .weight, .maximumForce, .heaviest, .scale, .missed, .reply,
      .other:
      pairs = []
    }
    if line.count <= lineLimit { pairs.append(("JSON", String(decoding: line, as: UTF8.self))) }
    return pairs.compactMap { name, value in value.map { (prefix + name, $0) } }
  }

  /// Whether a variable may be an event's; one that we were started with ourselves is not handed on.
  static func isOurs(_ name: Substring) -> Bool {
    name.hasPrefix(prefix) && name != "PRESSURED_SOCKET"
  }

  private static let prefix = "PRESSURED_"

  private static func of(_ press: ReceivedPress) -> [(String, String?)] {
    [
      ("EVENT", "press"), ("TIME", String(press.time)), ("DEVICE", press.device),
      ("CONTACT", String(press.contact)), ("STATE", press.state.rawValue),
      ("STAGE", press.stage), ("FINGERS", press.fingers.map { String($0) }),
      ("X", press.x?.shortDescription), ("Y", press.y?.shortDescription),
      ("FORCE", press.force?.shortDescription),
      ("RATIO", press.ratio?.shortDescription), ("GRAMS", press.grams?.shortDescription),
      ("TARGET", press.target),
      ("SIMULATED", press.simulated.map { String($0) }),
    ]
  }

  private static func of(_ action: ReceivedAction) -> [(String, String?)] {
    [
      ("EVENT", "action"), ("TIME", String(action.time)), ("DEVICE", action.device),
      ("ACTION", action.type), ("TITLE", action.title), ("ORIGIN", action.origin),
    ]
  }
}
