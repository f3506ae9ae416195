internal import ArgumentParser
internal import PressureDevices
internal import PressureKit
internal import PressureSystem

/// The node of the verbs that read a device themselves.
struct NodeOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The device node; by default the first that measures pressure.", valueName: "node"),
    completion: .pressureDevice)
  var node: String?

  /// Opens the node, or the first device that measures pressure.
  func open(_ configuration: Configuration) throws(ExitError) -> EvdevDevice {
    guard let node else {
      if let device = EvdevDevice.firstWithPressure(configuration) { return device }
      if let node = DeviceFolder.nodes().first(where: EvdevDevice.isDenied) {
        throw ExitError(denied: node, CommandLine.arguments)
      }
      throw ExitError("no readable touch device measures pressure; name a node", .noInput)
    }
    do throws(DeviceError) {
      let device = try EvdevDevice(opening: node)
      _ = try configuration.surface(of: device.description)
      return device
    } catch {
      guard !error.isPermissionDenied else { throw ExitError(denied: node, CommandLine.arguments) }
      throw ExitError(error, node)
    }
  }
}

extension ExitError {
  /// Creates the error for a node without read permission, with the command line that has it.
  fileprivate init(denied node: String, _ arguments: [String]) {
    self.init(
      "no permission to read \(node); only root and the service have it", .permissionDenied)
    sentences.append(
      "run: " + (["sudo"] + arguments).map(\.quotedForShell).joined(separator: " "))
  }

  fileprivate init(_ error: DeviceError, _ node: String) {
    switch error {
    case .unreadable: self.init(error.sentence, .noInput)
    case .unsupported, .ignored: self.init("\(node): \(error.sentence)", .badData)
    }
  }
}

extension String {
  /// The text, quoted for a POSIX shell if necessary.
  fileprivate var quotedForShell: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-_./:=@%+,".utf8.contains(byte)
        }
      }
    guard !isPlain else { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
