internal import PressureConnection
internal import PressureKit
internal import PressureSystem
internal import PressureTerminal

extension PrivateDaemon {
  /// Starts one to read the devices, if no daemon answers and nobody has said where one is.
  ///
  /// - Parameters:
  ///   - socket: where to look for a daemon.
  ///   - configuration: what it is to heed.
  /// - Returns: nil where there is a daemon.
  /// - Throws: that there is none, and why the devices cannot be read instead.
  static func whereNoneRuns(
    _ socket: SocketOptions, _ configuration: ConfigurationOptions
  ) throws(ExitError) -> PrivateDaemon? {
    do throws(ConnectionError) {
      _ = try Connection.open(at: socket.paths(configuration), before: nil)
      return nil
    } catch {
      // Who needs the connection waits for it.
      if case .busy = error { return nil }
      guard case .absent = error, socket.path == nil else { throw ExitError(error) }
    }
    try Readable.check(try configuration.read())
    Log.info("no pressured answers, so the devices are read by this program itself")
    return try PrivateDaemon(configuration.arguments, source: "read by this program itself")
  }
}
