internal import PressureClient
internal import PressureDevices
internal import PressureKit
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

extension PrivateDaemon {
  /// Starts a private daemon if no daemon answers and neither `--socket` nor `$PRESSURED_SOCKET` names one.
  static func startIfNoneRuns(
    _ socket: SocketOptions, config: String? = nil
  ) throws(ExitError) -> PrivateDaemon? {
    do throws(ConnectionError) {
      let paths = SocketPath.forClients(named: socket.path(config: config))
      _ = try Connection.open(at: paths, before: nil)
      return nil
    } catch {
      // A busy daemon runs; the caller waits for a connection.
      if case .busy = error { return nil }
      guard case .absent = error, !socket.isNamed else { throw ExitError(error) }
    }
    try DeviceAccess.check(try ConfigurationOptions.read(config))
    Log.info("no daemon answers, so this program reads the devices itself")
    return try PrivateDaemon(config: config, source: "read by this program itself")
  }

  /// Starts one that plays a recording.
  static func playing(
    _ recording: String, config: String? = nil, isLooping: Bool = false, endsWithRecording: Bool
  ) throws(ExitError) -> PrivateDaemon {
    let arguments = ["--replay", recording] + (isLooping ? ["--loop"] : [])
    return try PrivateDaemon(
      arguments, config: config, source: "recording \(recording)",
      endsWithRecording: endsWithRecording)
  }
}

/// The user's permission to read touch devices.
enum DeviceAccess {
  /// Fails if there is no touch device that this user may read.
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
