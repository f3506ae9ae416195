internal import PressureDevices
internal import PressureKit
internal import PressureSystem

/// Whether this user may read a touch device, and what is missing where not.
enum Readable {
  /// Passes where there is a touch device that may be read.
  ///
  /// - Parameter configuration: what is to be ignored, and what a device's quirks are.
  /// - Throws: that there is none, or that only the service may read it.
  static func check(_ configuration: Configuration) throws(ExitError) {
    let nodes = DeviceFolder.nodes()
    guard !nodes.isEmpty else {
      throw ExitError(
        "no pressured answers, and there are no input devices in \(DeviceFolder.path)", .noInput)
    }
    var denied: [String] = []
    for node in nodes {
      do throws(DeviceError) {
        let device = try EvdevDevice(opening: node)
        _ = try configuration.surface(of: device.description)
        return
      } catch {
        if error.isLackOfRights { denied.append(node) }
      }
    }
    guard let node = denied.first else { throw none(of: nodes.count) }
    // Nobody is told to join the node's group: its members read every key that is typed.
    throw ExitError(
      "no pressured answers, and \(node) may not be read by you; start the service, which may: "
        + "sudo systemctl enable --now pressured.socket",
      .permissionDenied)
  }

  private static func none(of count: Int) -> ExitError {
    ExitError(
      "no pressured answers, and none of the \(count) input devices is a touch device; "
        + "pressured devices tells why",
      .noInput)
  }
}
