internal import Glibc
internal import PressureKit

/// Whether this user may read a touch device, and what is missing where not.
enum Readable {
  /// Passes where there is a touch device that may be read.
  ///
  /// - Parameter configuration: what is to be ignored, and what a device's quirks are.
  /// - Throws: that there is none, or whose group has the right to read it.
  static func check(_ configuration: Configuration) throws(Failure) {
    let nodes = DeviceFolder.nodes()
    guard !nodes.isEmpty else {
      throw Failure(
        "no pressured answers, and there are no input devices in \(DeviceFolder.path)", .noInput)
    }
    var denied: [String] = []
    for node in nodes {
      do throws(DeviceFault) {
        let device = try EvdevDevice(opening: node)
        _ = try configuration.surface(of: device.description)
        return
      } catch {
        if error.isLackOfRights { denied.append(node) }
      }
    }
    throw denied.first.map(lackOfRights) ?? none(of: nodes.count)
  }

  private static func none(of count: Int) -> Failure {
    Failure(
      "no pressured answers, and none of the \(count) input devices is a touch device; "
        + "pressured devices tells why",
      .noInput)
  }

  private static func lackOfRights(to node: String) -> Failure {
    var status = stat()
    let group = stat(node, &status) == 0 ? getgrgid(status.st_gid) : nil
    let name = group.map { String(cString: $0.pointee.gr_name) } ?? "that owns it"
    return Failure(
      "no pressured answers, and \(node) may not be read; start the service with sudo systemctl "
        + "start pressured, or join the group \(name) and log in again",
      .noRights)
  }
}
