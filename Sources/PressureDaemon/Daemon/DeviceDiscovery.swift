internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop

/// Where devices come from, whether they are open, and which nodes are not served.
final class DeviceDiscovery {
  let source: Daemon.Source

  /// Whether devices are read.
  var isOpen = false

  /// The names of ignored devices by their nodes; no other device gets such a name while the node exists.
  private var ignoredNames: [String: DeviceID] = [:]

  /// The last error of each node, so that it is logged once.
  private var lastErrors: [String: String] = [:]

  private var monitor: DeviceMonitor?
  private var pathMonitor: PathMonitor?

  /// Watches for nodes that appear, or whose permissions change, if the source is the kernel's devices.
  init(_ source: Daemon.Source, loop: EventLoop, nodeAppeared: @escaping (String) -> Void) {
    self.source = source
    guard case .devices(let only) = source else { return }
    monitor = DeviceMonitor(loop: loop, onNode: nodeAppeared)
    // The path given on the command line may be a symbolic link to any node.
    pathMonitor = only.map { node in
      PathMonitor(loop: loop, path: node) { nodeAppeared(node) }
    }
  }

  /// Records that a device is ignored.
  func ignore(_ device: DeviceID, at node: String) {
    ignoredNames[node] = device
  }

  /// Records that a node is served.
  func noteServed(_ node: String) {
    ignoredNames[node] = nil
    lastErrors[node] = nil
  }

  /// Records an error; returns false if it is the last one of the same node again.
  func noteError(_ error: DeviceError, at node: String) -> Bool {
    lastErrors.updateValue(error.sentence, forKey: node) != error.sentence
  }

  /// The names of ignored devices at other nodes that still exist.
  func ignoredNames(exceptAt node: String) -> [DeviceID] {
    ignoredNames = ignoredNames.filter { access($0.key, F_OK) == 0 }
    return ignoredNames.filter { $0.key != node }.map(\.value)
  }
}
