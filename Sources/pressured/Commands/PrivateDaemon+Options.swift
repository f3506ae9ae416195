internal import PressureClient
internal import PressureDevices
internal import PressureKit
internal import PressureSystem
internal import PressureTerminal

extension PrivateDaemon {
  /// Starts a private daemon if no daemon answers and neither `--socket` nor `$PRESSURED_SOCKET` names one.
  ///
  /// - Parameters:
  ///   - socket: the paths of the daemon.
  ///   - configuration: the configuration of the private daemon.
  /// - Returns: the private daemon; nil if a daemon runs.
  /// - Throws: an error if no daemon runs and the devices cannot be read.
  static func startIfNoneRuns(
    _ socket: SocketOptions, _ configuration: ConfigurationOptions
  ) throws(ExitError) -> PrivateDaemon? {
    do throws(ConnectionError) {
      _ = try Connection.open(at: socket.paths(configuration), before: nil)
      return nil
    } catch {
      // A busy daemon runs; the caller waits for a connection.
      if case .busy = error { return nil }
      guard case .absent = error, !socket.isNamed else { throw ExitError(error) }
    }
    try DeviceAccess.check(try configuration.read())
    Log.info("no daemon answers, so this program reads the devices itself")
    return try PrivateDaemon(configuration.arguments, source: "read by this program itself")
  }
}

/// The user's permission to read touch devices.
enum DeviceAccess {
  /// Checks that at least one touch device is readable.
  ///
  /// - Parameter configuration: the configuration, with ignored devices and quirks.
  /// - Throws: an error if there is no touch device, or if this user has no permission to read one.
  static func check(_ configuration: Configuration) throws(ExitError) {
    let nodes = DeviceFolder.nodes()
    guard !nodes.isEmpty else {
      throw ExitError(
        "no daemon answers, and there are no input devices in \(DeviceFolder.path)", .noInput)
    }
    var denied: [String] = []
    for node in nodes {
      do throws(DeviceError) {
        let device = try EvdevDevice(opening: node)
        _ = try configuration.surface(of: device.description)
        return
      } catch {
        if error.isPermissionDenied { denied.append(node) }
      }
    }
    guard let node = denied.first else { throw none(of: nodes.count) }
    // Joining the node's group is never advised: its members can read every keystroke.
    throw ExitError(
      "no daemon answers, and you have no permission to read \(node); start the service, which "
        + "does: sudo systemctl enable --now pressured.socket",
      .permissionDenied)
  }

  private static func none(of count: Int) -> ExitError {
    ExitError(
      "no daemon answers, and none of the \(count) input devices is a supported touch device; "
        + "for the reasons run: pressured devices",
      .noInput)
  }
}
