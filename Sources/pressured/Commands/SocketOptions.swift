internal import ArgumentParser

/// Where the daemon is, for all verbs that talk with it.
struct SocketOptions: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp("Talk with the daemon at this path.", valueName: "path"),
    completion: .file())
  var path: String?
}
