internal import Glibc
internal import PressureClient
internal import PressureDesktop
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// Whether a daemon answers, its version, and the devices that it reads.
struct DaemonFinding: Encodable {
  /// The path of its socket; nil if no daemon answers.
  private(set) var path: String?
  private(set) var version: String?

  /// The devices that it reads; nil if it does not report them.
  private(set) var devices: [DeviceInUse]?

  /// The same with all that it reports.
  private(set) var received: [ReceivedDevice] = []

  /// Why no daemon answers; nil if one does.
  private(set) var fault: String?
  private(set) var isForbidden = false

  /// Whether this user may control the daemon, as far as it answers.
  private(set) var permitsControl = false

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

  /// Queries the daemon that clients would connect to, or only the devices that it reads.
  init(of socket: String?, onlyDevices: Bool = false) {
    do throws(ConnectionError) {
      if !onlyDevices {
        let versions: Versions? = try DaemonFinding.result(of: "version", at: socket)
        version = versions?.version
        permitsControl = try DaemonFinding.permitsControl(at: socket)
      }
      let listed: [ReceivedDevice]? = try DaemonFinding.result(of: "devices", at: socket)
      received = listed ?? []
      devices = listed?.map {
        DeviceInUse(
          device: $0.device, node: $0.node, capability: $0.capability.rawValue,
          weightSource: $0.weightSource.rawValue)
      }
      path = try DaemonFinding.open(socket).path
    } catch {
      self = DaemonFinding(error)
    }
  }

  private init(_ error: ConnectionError) {
    (fault, isForbidden) = (error.sentence, error.isPermissionDenied)
  }

  /// Asks for the end of a grab that this connection does not have: without permission it is refused, and otherwise
  /// nothing changes.
  private static func permitsControl(at socket: String?) throws(ConnectionError) -> Bool {
    let reply = try open(socket).ask(Request.grab(isOn: false), before: Deadline(seconds: timeout))
    return reply.reply.error?.code != .known(.notPermitted)
  }

  private struct Versions: Decodable {
    var version: String
  }

  private static func open(_ socket: String?) throws(ConnectionError) -> Connection {
    try Connection.open(
      at: SocketPath.forClients(named: socket), before: Deadline(seconds: timeout))
  }

  private static func result<Value: Decodable>(
    of verb: String, at socket: String?
  ) throws(ConnectionError) -> Value? {
    let reply = try open(socket).ask(Request(verb), before: Deadline(seconds: timeout))
    // Another error means a daemon of another version; this one, that it does not serve the user.
    if let error = reply.reply.error, error.code == .known(.notPermitted) { throw .refused(error) }
    return try? LineDecoder.decode(ReceivedResult<Value>.self, from: reply.line).result
  }

  var sentence: String {
    guard let path else { return fault ?? "none" }
    let names = devices.map { list in
      list.isEmpty
        ? "no device"
        : list.map { $0.device + ($0.isBroken ? " (its pressure axis never changes)" : "") }
          .joined(separator: ", ")
    }
    return "version \(version ?? "unknown") answers at \(path), and reads "
      + (names ?? "unknown devices")
  }
}

/// Whether `pressured pen` can draw for this user.
struct PenFinding: Encodable {
  /// `possible`, `needs uinput`, `needs control` or `needs a pad`.
  let state: String

  /// What to do, or what to expect.
  let detail: String

  init(_ daemon: DaemonFinding) {
    let hasForce = daemon.received.contains { $0.capability == .force }
    guard hasForce || daemon.received.contains(where: { $0.capability == .size }) else {
      state = "needs a pad"
      detail =
        daemon.devices == nil
        ? "no daemon answers that reads one" : "no device of the daemon measures pressure"
      return
    }
    let obstacle = UinputAccess.obstacle()
    var needs: [String] = []
    if obstacle != 0 {
      let error = SystemError(attempt: "open /dev/uinput", number: obstacle)
      needs.append(UinputAccess.advice(for: obstacle) ?? error.sentence)
    }
    if !daemon.permitsControl { needs.append(PenSession.controlAdvice) }
    guard needs.isEmpty else {
      state = obstacle != 0 ? "needs uinput" : "needs control"
      detail = (needs + ["pressured pen --test works without \(needs.count == 1 ? "it" : "both")"])
        .joined(separator: "; ")
      return
    }
    state = "possible"
    detail =
      hasForce
      ? "pressured pen draws with the force of a finger"
      : "pressured pen draws with the area of a finger, as the pad does not measure its force"
  }

  var sentence: String { "\(state); \(detail)" }
}
