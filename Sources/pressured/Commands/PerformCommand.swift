internal import ArgumentParser
internal import PressureClient
internal import PressureProtocol
internal import PressureSystem

struct PerformCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perform",
    abstract: "Perform a quick action, for desktop entries and key bindings.",
    discussion: """
      The exit status is 0 if the action was performed, and 65 if the type is unknown or the scale cannot \
      perform it now. It is 69 if the action has no built-in effect and no client subscribes to it.

      Example: pressured perform pressured.tare
      """)

  @Argument(help: "The type of the action, as in the configuration.", completion: .action)
  var type: String

  @Option("Perform it for this device.", value: "id")
  var device: String?

  @OptionGroup var socketOptions: SocketOptions

  private static let timeout = 10.0

  func validate() throws {
    if type.isEmpty { throw ValidationError("the type is empty; write it as in local.tare") }
  }

  func run() throws(ExitError) {
    let answer = try ConnectionError.orExit(
      try Request.perform(type, on: device).answer(
        as: PerformResult.self, at: socketOptions.path, within: Self.timeout))
    guard answer.reply.isSuccess else { throw ExitError(answer.reply.error) }
    guard let result = answer.result else {
      throw ExitError("the daemon's reply does not contain a result for \(type)", .internalError)
    }
    guard result.handled else { throw ExitError("\(type) was not performed: \(reason)", .badData) }
    if result.isBuiltIn == false, result.clientCount == 0 {
      throw ExitError(
        "no client subscribes to \(type), so it had no effect; pressured bind runs commands for actions",
        .noDaemon)
    }
  }

  private struct Known: Decodable {
    var type: String
  }

  private var reason: String {
    let answer = try? Request("actions").answer(as: [Known].self, at: socketOptions.path)
    guard let types = answer?.result?.map(\.type) else {
      return "the action is unknown, or the scale has no suitable reading"
    }
    guard !types.contains(type) else {
      return "the scale has no suitable reading; pressured weigh shows what it reads"
    }
    return "there is no such action; \(type.advice(among: types))"
  }
}
