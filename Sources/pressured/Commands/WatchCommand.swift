internal import ArgumentParser
internal import Glibc
internal import PressureKit
internal import PressureLoop
internal import PressureSystem
internal import PressureTerminal

/// `pressured watch`: shows what is pressed, and how hard.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show what is pressed, and how hard.",
    discussion: """
      Draws the surface with a circle for each contact, which grows with its weight; ? lists the keys. \
      Where standard output is no terminal, it prints the daemon's lines, or with --plain a table. \
      Where no daemon runs, it reads the devices itself.

      Example: pressured watch --replay touchpad.evemu --loop
      """)

  @Flag(help: "Print a table, one line for each contact and reading.")
  var plain = false

  @Option(
    help: ArgumentHelp("Show this recording.", valueName: "file"), completion: .recording)
  var replay: String?

  @Flag(help: "Play the recording again and again.")
  var loop = false

  @OptionGroup var socketOptions: SocketOptions
  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    guard replay != nil || !loop else { throw ValidationError("--loop belongs to --replay") }
    guard replay == nil || socketOptions.path == nil else {
      throw ValidationError("--replay and --socket exclude each other")
    }
  }

  func run() throws {
    try ending { () throws(ExitError) in
      let companion = try companion()
      let failure: ExitError?
      do throws(SystemError) {
        failure = try show(companion?.path ?? socketOptions.path(configurationOptions), companion)
      } catch {
        throw ExitError(error.sentence, .internalError)
      }
      // By now the terminal is as it was, and has room for words.
      if let failure { throw failure }
    }
  }

  private var draws: Bool { Terminal.isThere && !plain }

  private func show(_ path: String?, _ companion: PrivateDaemon?) throws(SystemError) -> ExitError?
  {
    let loop = try EventLoop()
    if draws {
      let watch = try Watch(loop: loop, socket: path, companion: companion)
      _ = try loop.run()
      return watch.failure
    }
    let isTable = plain || isatty(STDOUT_FILENO) == 1
    let listing = try EventPrinter(
      loop: loop, socket: path, companion: companion, as: isTable ? .table : .lines)
    _ = try loop.run()
    return listing.failure
  }

  private func companion() throws(ExitError) -> PrivateDaemon? {
    guard let replay else {
      return try PrivateDaemon.whereNoneRuns(socketOptions, configurationOptions)
    }
    let repetition = loop ? ["--loop"] : []
    // A picture goes on showing what lay there last; lines are over when the recording is.
    return try PrivateDaemon(
      ["--replay", replay] + repetition + configurationOptions.arguments,
      source: "recorded in \(replay)", endsByItself: !loop && !draws)
  }
}
