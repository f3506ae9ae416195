internal import PressureKit

/// A request: what it is called, who may send it, what it takes and returns.
///
/// `all` lists all of them. The parser, the rights, `help`, and with docs/protocol.yaml the schema and the manual page are derived
/// from that table. It is a class, as each request would copy the whole structure.
package final class RequestDefinition: Sendable {
  package let verb: String

  package let permission: RequestPermission

  /// Whether a client may send it while its access is suspended.
  package let isForSuspended: Bool

  /// What it does, as in a manual page; without a capital letter and a period.
  package let summary: String

  package let arguments: [RequestArgument]

  /// Valid requests in words: each step, and each argument at least once.
  package let examples: [String]

  /// What replaces arguments that were removed.
  let successors: [String: String]

  private let makeCommand: @Sendable (Arguments) throws(RequestError) -> Command

  init(
    _ verb: String, _ permission: RequestPermission, isForSuspended: Bool = false,
    _ summary: String, _ arguments: [RequestArgument] = [], examples: [String] = [],
    successors: [String: String] = [:],
    _ makeCommand: @escaping @Sendable (Arguments) throws(RequestError) -> Command
  ) {
    (self.verb, self.permission, self.isForSuspended) = (verb, permission, isForSuspended)
    (self.summary, self.arguments) = (summary, arguments)
    self.examples = examples.isEmpty ? [verb] : examples
    self.successors = successors
    self.makeCommand = makeCommand
  }

  /// The definition of a request; throws `unknown_command`.
  package static func of(_ request: Request) throws(RequestError) -> RequestDefinition {
    guard let known = all.first(where: { $0.verb.hasSameBytes(as: request.verb) }) else {
      throw RequestError(.unknownCommand, "\(request.verb.truncated) is not a command; try help")
    }
    return known
  }

  /// Parses the arguments of a request; throws `bad_argument`.
  package func command(for request: Request) throws(RequestError) -> Command {
    try makeCommand(Arguments(of: request, self))
  }

  /// The permission that a request needs, which is not `useWith`.
  package func permissionNeeded(for request: Request) -> RequestPermission {
    guard case .useWith(let argument) = permission else { return permission }
    return (request.arguments[RequestKey(argument)] ?? .null) == .null ? .read : .use
  }

  /// The names of the requests, in the order of the manual page.
  package static var verbs: [String] { all.map(\.verb) }

  /// The requests that need the permission `use`, as a list in a sentence.
  package static var namesNeedingUse: String {
    all.compactMap { request in
      switch request.permission {
      case .use: request.verb
      case .useWith(let argument): "\(request.verb) with \(argument)"
      case .read, .control: nil
      }
    }.joined(separator: ", ")
  }

  /// The verb and its arguments, as in `help`; optional ones are in brackets.
  package var form: String {
    arguments.reduce(into: verb) { form, argument in
      let word = "\(argument.name)=\(argument.placeholder)"
      if case .required = argument.presence { form += " \(word)" } else { form += " [\(word)]" }
    }
  }

  /// The result of `help`: each request with its form, its summary and the permission that it needs.
  package static let helpText = all.map(\.help).joined(separator: "\n")

  private static let column = 26

  /// The form, with the summary to the right of it or, if the form is too long, below it.
  private var help: String {
    let margin = String(repeating: " ", count: Self.column)
    let needs =
      switch permission {
      case .read: ""
      case .use: "; needs use"
      case .useWith(let argument): "; needs use with \(argument)="
      case .control: "; needs control"
      }
    let text = summary.withoutMarkup + needs
    let padding = Self.column - form.count
    return padding >= 1
      ? form + String(repeating: " ", count: padding) + text : "\(form)\n\(margin)\(text)"
  }
}

package final class RequestArgument: Sendable {
  /// When an argument may be given, and when it must be.
  package enum Presence: Sendable {
    case optional, required
    /// It may be given with another argument.
    case with(String)
    /// It may be given if another argument has one of these values, and must be if that has a certain one.
    case when(String, in: [String], required: String? = nil)
  }

  package let name: String
  package let type: ArgumentType

  /// The value in the text of `help`.
  package let placeholder: String

  /// The meaning, as that of a field.
  package let summary: String

  package let unit: String?

  /// What omitting it means, if that is a value.
  package let defaultText: String?

  package let presence: Presence
  let key: RequestKey

  init(
    _ name: String, _ type: ArgumentType, _ placeholder: String, _ summary: String,
    unit: String? = nil, default defaultText: String? = nil, _ presence: Presence = .optional
  ) {
    (self.name, self.type, self.placeholder) = (name, type, placeholder)
    (self.summary, self.unit, self.defaultText) = (summary, unit, defaultText)
    (self.presence, key) = (presence, RequestKey(name))
  }
}

package enum RequestPermission: Hashable, Sendable {
  /// Each client that is served.
  case read
  /// Clients that may change what others receive.
  case use
  /// The same if this argument is given; otherwise as `read`.
  case useWith(String)
  /// Clients that may change what the daemon does.
  case control(ControlScope)
}

/// What a client must have the right to control.
package enum ControlScope: Hashable, Sendable {
  /// The device that the argument `device` names, or all that the client knows.
  case device
  case seat
  case daemon
}

extension Request {
  /// The name of the device that it is about, if it names one.
  package var deviceName: String? { arguments["device"]?.text }
}

extension String {
  /// The text without the markup of manual pages.
  package var withoutMarkup: String {
    var text = ""
    var previous: Character = " "
    var rest = self[...]
    while let character = rest.popFirst() {
      switch character {
      case "*": break
      // Underlined words begin and end beside other characters than letters.
      case "_" where !previous.isWordPart || !(rest.first?.isWordPart ?? false): break
      case "\\": if let escaped = rest.popFirst() { text.append(escaped) }
      default: text.append(character)
      }
      previous = character
    }
    return text
  }
}

extension Character {
  fileprivate var isWordPart: Bool { isASCII && (isLetter || isNumber) || self == "_" }
}
