internal import ArgumentParser
internal import PressureConnection
internal import PressureSystem
internal import PressureTerminal

/// `pressured calibrate`: known weights teach a device grams, question by question.
struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Teach a device grams with things whose weight you know.",
    discussion: """
      Asks for one known weight after another, and says how far the result can be trusted. \
      Whatever ends it before the last answer leaves what was in force before. Needs a daemon that \
      grants you control.

      Answers may also come through a pipe, a line each: an empty line once the pad is bare, then each \
      weight as it is laid on, then done, then yes.

      Example: pressured calibrate
      """)

  @Option(help: ArgumentHelp("Calibrate this device.", valueName: "id"))
  var device: String?

  @OptionGroup var socketOptions: SocketOptions
  @OptionGroup var configurationOptions: ConfigurationOptions

  func run() throws {
    try ending { () throws(ExitError) in
      let connection: Connection
      do throws(ConnectionError) {
        connection = try Connection.open(
          at: socketOptions.paths(configurationOptions),
          before: Deadline(seconds: Connection.defaultTimeout))
      } catch {
        throw ExitError(error)
      }
      try CalibrationDialog(device: device, on: Console()).run(over: connection)
    }
  }
}
