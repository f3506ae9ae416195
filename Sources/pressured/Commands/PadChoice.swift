internal import PressureClient
internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// Chooses the pad that a pen uses among the devices that the daemon reads.
enum PadChoice {
  /// The pad with a name, or the only one that measures pressure.
  ///
  /// - Parameters:
  ///   - name: the ID of the device; nil if there is only one.
  ///   - paths: the paths of the daemon's socket.
  /// - Returns: the pad.
  /// - Throws: why none can be chosen, with the pads that there are.
  static func pad(named name: String?, at paths: [String]) throws(ExitError) -> ReceivedDevice {
    let devices = try devices(at: paths)
    if let name {
      guard let device = devices.first(where: { $0.device == name }) else {
        throw ExitError("there is no device \(name.quoted); \(list(devices))", .noInput)
      }
      guard device.measuresPressure else {
        throw ExitError("\(device.text) does not measure pressure", .badData)
      }
      return device
    }
    let pads = devices.filter(\.measuresPressure)
    guard let pad = pads.first else {
      throw ExitError("no device measures pressure; \(list(devices))", .noInput)
    }
    guard pads.count == 1 else {
      throw ExitError("there are several pads; choose one with --device: \(list(pads))", .usage)
    }
    return pad
  }

  private static func devices(at paths: [String]) throws(ExitError) -> [ReceivedDevice] {
    do throws(ConnectionError) {
      let deadline = Deadline(seconds: Connection.defaultTimeout)
      let reply = try Connection.open(at: paths, before: deadline)
        .ask(Request("devices"), before: deadline)
      guard reply.reply.isSuccess else { throw .refused(reply.reply.error) }
      let result = try? LineDecoder.decode(
        ReceivedResult<[ReceivedDevice]>.self, from: reply.line
      ).result
      return result ?? []
    } catch {
      throw ExitError(error)
    }
  }

  private static func list(_ devices: [ReceivedDevice]) -> String {
    devices.isEmpty
      ? "the daemon reads no device" : devices.map(\.text).joined(separator: ", ")
  }
}

extension ReceivedDevice {
  fileprivate var measuresPressure: Bool { capability == .force || capability == .size }

  fileprivate var text: String { "\(device) (\(name))" }
}
