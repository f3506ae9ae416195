internal import ArgumentParser
internal import FoundationEssentials
internal import PressureConnection
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// `pressured perform`: does a quick action.
struct PerformCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perform",
    abstract: "Perform a quick action, as desktop entries and key bindings do.",
    discussion: """
      The status is 0 where the action was performed, 65 where there is none of that type or its scale \
      refuses, and 69 where the daemon only passes it on and no client listens for it.

      Example: pressured perform pressured.tare
      """)

  @Argument(help: "The action's type, as the configuration has it.", completion: .action)
  var type: String

  @Option(help: ArgumentHelp("Perform it for this device.", valueName: "id"))
  var device: String?

  @OptionGroup var socketOptions: SocketOptions
  @OptionGroup var configurationOptions: ConfigurationOptions

  /// How long an answer may take, in seconds.
  private static let patience = 10.0

  func validate() throws {
    if type.isEmpty { throw ValidationError("an action has a type, as in local.tare") }
  }

  func run() throws {
    try ending { () throws(ExitError) in
      let answer: (reply: ReceivedReply, line: [UInt8])
      do throws(ConnectionError) {
        answer = try ask(request)
      } catch {
        throw ExitError(error)
      }
      guard answer.reply.isSuccess else { throw ExitError(answer.reply.error) }
      try judge(answer.line)
    }
  }

  private var request: JSONLinesWriter {
    var lines = JSONLinesWriter()
    if let device {
      lines.appendRequest("perform", ["type": .text(type), "device": .text(device)])
    } else {
      lines.appendRequest("perform", ["type": .text(type)])
    }
    return lines
  }

  private func ask(
    _ requests: borrowing JSONLinesWriter
  ) throws(ConnectionError) -> (reply: ReceivedReply, line: [UInt8]) {
    let deadline = Deadline(seconds: Self.patience)
    let paths = socketOptions.paths(configurationOptions)
    return try Connection.open(at: paths, before: deadline).ask(requests, before: deadline)
  }

  private struct Known: Decodable {
    var type: String
  }

  /// Whether there is no such action, or its scale refuses: only the list of actions tells.
  private var reason: String {
    var question = JSONLinesWriter()
    question.appendRequest("actions")
    let answer = try? ask(question)
    let known = answer.flatMap {
      try? JSONDecoder().decode(ReceivedResult<[Known]>.self, from: Data($0.line))
    }
    guard let types = known?.result.map(\.type) else {
      return "there is no such action, which the request actions tells, or its scale refuses"
    }
    guard !types.contains(type) else {
      return
        "the scale refuses, as it has no reading for that; the request state shows what it reads"
    }
    let advice =
      type.nearest(among: types).map { "did you mean \($0)?" }
      ?? "there are \(types.joined(separator: ", "))"
    return "there is no such action; \(advice)"
  }

  private func judge(_ line: [UInt8]) throws(ExitError) {
    let answer = try? JSONDecoder().decode(
      ReceivedResult<ReceivedPerformResult>.self, from: Data(line))
    guard let answer else {
      throw ExitError("the daemon does not say whether it has performed \(type)", .internalError)
    }
    guard answer.result.handled else {
      throw ExitError("\(type) was not performed: \(reason)", .badData)
    }
    if answer.result.isBuiltIn == false, answer.result.clientCount == 0 {
      throw ExitError(
        "no client listens for \(type), so nothing was done; pressured bind runs commands for actions",
        .noDaemon)
    }
  }
}
