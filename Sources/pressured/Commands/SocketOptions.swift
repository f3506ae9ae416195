internal import ArgumentParser
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

/// Where the daemon is, for all verbs that talk with it.
struct SocketOptions: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp("Talk with the daemon at this path.", valueName: "path"),
    completion: .file())
  var path: String?

  /// Where clients look that were told the same: nil for all the usual places.
  ///
  /// A configuration that was named says where its daemon is, if it says so at all.
  func path(_ configuration: ConfigurationOptions) -> String? {
    guard path == nil, let file = configuration.path, Environment.value("PRESSURED_SOCKET") == nil
    else { return path }
    return ConfigurationFile.socketPath(at: file) ?? SocketPath.unconfigured
  }

  /// The paths at which clients with these options look for the daemon, in order.
  func paths(_ configuration: ConfigurationOptions) -> [String] {
    SocketPath.forClients(named: path(configuration))
  }
}
