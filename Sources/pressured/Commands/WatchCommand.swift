internal import ArgumentParser
internal import Glibc
internal import PressureSystem
internal import PressureTerminal

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Show the contacts on a touch device and their force.",
    discussion: """
      Draws the surface with a circle for each contact, larger for more weight; ? lists the keys. \
      If standard output is not a terminal, it prints the daemon's lines, or with --plain a table. \
      If no daemon runs, it reads the devices itself.

      Example: pressured watch --replay touchpad.evemu --loop
      """)

  @Flag(help: "Print a table with one line per contact and reading.")
  var plain = false

  @OptionGroup var sourceOptions: SourceOptions

  func run() throws(ExitError) {
    // The drawing stays after the end of the recording; the lines end with it.
    let daemon = try sourceOptions.privateDaemon(endsWithRecording: !draws)
    let feed = try DaemonFeed(socket: sourceOptions.socketOptions.path, privateDaemon: daemon)
    let isTable = plain || isatty(STDOUT_FILENO) == 1
    try feed.run { (feed) throws(SystemError) in
      if draws { return try Watch(feed) }
      return try EventPrinter(feed, isTable: isTable)
    }
  }

  private var draws: Bool { Terminal.isInteractive && !plain }
}
