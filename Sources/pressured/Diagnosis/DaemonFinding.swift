internal import FoundationEssentials
internal import Glibc
internal import PressureConnection
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings

/// Whether a daemon is there, and what it says of itself.
struct DaemonFinding: Encodable {
  /// Where it answers; nil where none does.
  let path: String?

  let version: String?

  /// What it reads; nil where it does not say.
  let devices: [DeviceInUse]?

  /// Why there is none, or none that answers.
  let fault: String?

  /// Whether one may be there that this user has no right to ask.
  let isForbidden: Bool

  /// A device that the daemon reads.
  struct DeviceInUse: Encodable {
    let device: String
    let node: String
    let capability: String
    let weightSource: String

    /// Whether its axis has said nothing all along, which only those see who read it for a while.
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

  /// How long an answer may take, in seconds.
  private static let patience = 5.0

  /// Asks the daemon that clients would find.
  ///
  /// - Parameter path: the argument of `--socket`, or nil to look where daemons are.
  /// - Returns: what it says, or why it does not.
  static func ask(named path: String?) -> DaemonFinding {
    do throws(ConnectionError) {
      let versions: Versions? = try result(of: "version", named: path)
      let listed: [ReceivedDevice]? = try result(of: "devices", named: path)
      return DaemonFinding(
        path: try open(named: path).path, version: versions?.version,
        devices: listed?.map { device in
          DeviceInUse(
            device: device.device, node: device.node, capability: device.capability.rawValue,
            weightSource: device.weightSource.rawValue)
        }, fault: nil, isForbidden: false)
    } catch {
      return DaemonFinding(
        path: nil, version: nil, devices: nil, fault: error.sentence,
        isForbidden: error.isPermissionDenied)
    }
  }

  /// What a daemon reads, for verbs that want no more than that.
  ///
  /// - Parameter path: the argument of `--socket`, or nil to look where daemons are.
  /// - Returns: where it answers, and its devices.
  /// - Throws: why it does not answer.
  static func devices(
    named path: String?
  ) throws(ConnectionError) -> (path: String, devices: [ReceivedDevice]) {
    let listed: [ReceivedDevice]? = try result(of: "devices", named: path)
    return (try open(named: path).path, listed ?? [])
  }

  private struct Versions: Decodable {
    var version: String
  }

  private static func open(named path: String?) throws(ConnectionError) -> Connection {
    try Connection.open(at: SocketPath.forClients(named: path), before: Deadline(seconds: patience))
  }

  private static func result<Value: Decodable>(
    of verb: String, named path: String?
  ) throws(ConnectionError) -> Value? {
    var request = JSONLinesWriter()
    request.appendRequest(verb)
    let answer = try open(named: path).ask(request, before: Deadline(seconds: patience))
    return try? JSONDecoder().decode(ReceivedResult<Value>.self, from: Data(answer.line)).result
  }
}
