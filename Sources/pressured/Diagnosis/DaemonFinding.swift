internal import Glibc
internal import PressureClient
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings

/// Whether a daemon answers, its version, and the devices that it reads.
struct DaemonFinding: Encodable {
  /// The path of its socket; nil if no daemon answers.
  let path: String?

  let version: String?

  /// The devices that it reads; nil if it does not report them.
  let devices: [DeviceInUse]?

  /// The same with all that it reports.
  let received: [ReceivedDevice]

  /// Why no daemon answers; nil if one does.
  let fault: String?

  /// Whether the connection failed because this user has no permission.
  let isForbidden: Bool

  /// Whether this user may control the daemon, as far as it answers.
  let permitsControl: Bool

  /// A device that the daemon reads.
  struct DeviceInUse: Encodable {
    let device: String
    let node: String
    let capability: String
    let weightSource: String

    /// Whether its pressure axis never changes, which only a program that has read it for a while can detect.
    var isBroken: Bool { capability == "broken" }

    private enum CodingKeys: String, CodingKey {
      case device, node, capability
      case weightSource = "weight_source"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case path, version, devices, fault
    case isForbidden = "forbidden"
  }

  /// The time limit for a reply, in seconds.
  private static let timeout = 5.0

  /// Queries the daemon that clients would connect to.
  ///
  /// - Parameter path: the argument of `--socket`, or nil for the default paths.
  /// - Returns: what it reports, or why it does not answer.
  static func query(named path: String?) -> DaemonFinding {
    do throws(ConnectionError) {
      let versions: Versions? = try result(of: "version", named: path)
      let listed: [ReceivedDevice]? = try result(of: "devices", named: path)
      return DaemonFinding(
        path: try open(named: path).path, version: versions?.version,
        devices: listed?.map { device in
          DeviceInUse(
            device: device.device, node: device.node, capability: device.capability.rawValue,
            weightSource: device.weightSource.rawValue)
        }, received: listed ?? [], fault: nil, isForbidden: false,
        permitsControl: try permitsControl(named: path))
    } catch {
      return DaemonFinding(
        path: nil, version: nil, devices: nil, received: [], fault: error.sentence,
        isForbidden: error.isPermissionDenied, permitsControl: false)
    }
  }

  /// Queries only the devices that the daemon reads.
  ///
  /// - Parameter path: the argument of `--socket`, or nil for the default paths.
  /// - Returns: the path of the daemon's socket, and its devices.
  /// - Throws: an error if no daemon answers within the time limit.
  static func devices(
    named path: String?
  ) throws(ConnectionError) -> (path: String, devices: [ReceivedDevice]) {
    let listed: [ReceivedDevice]? = try result(of: "devices", named: path)
    return (try open(named: path).path, listed ?? [])
  }

  /// Asks for the end of a grab that this connection does not have: without permission it is refused, and otherwise
  /// nothing changes.
  private static func permitsControl(named path: String?) throws(ConnectionError) -> Bool {
    let request = Request.grab(isOn: false)
    let reply = try open(named: path).ask(request, before: Deadline(seconds: timeout))
    return reply.reply.error?.code != .known(.notPermitted)
  }

  private struct Versions: Decodable {
    var version: String
  }

  private static func open(named path: String?) throws(ConnectionError) -> Connection {
    try Connection.open(at: SocketPath.forClients(named: path), before: Deadline(seconds: timeout))
  }

  private static func result<Value: Decodable>(
    of verb: String, named path: String?
  ) throws(ConnectionError) -> Value? {
    let reply = try open(named: path).ask(Request(verb), before: Deadline(seconds: timeout))
    // Another error means a daemon of another version; this one, that it does not serve the user.
    if let error = reply.reply.error, error.code == .known(.notPermitted) { throw .refused(error) }
    return try? LineDecoder.decode(ReceivedResult<Value>.self, from: reply.line).result
  }
}
