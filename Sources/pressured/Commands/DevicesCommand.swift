internal import ArgumentParser
internal import Glibc
internal import PressureKit

/// `pressured devices`: which devices are read, and why the others are not.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the input devices, what each can do, and why one is not read.",
    discussion: "Example: pressured devices --pressure")

  @Flag(help: "Print only the nodes of touch devices that feel pressure, one a line.")
  var pressure = false

  @OptionGroup var configurationOptions: ConfigurationOptions

  func run() throws {
    try ending { () throws(Failure) in
      let configuration = try configurationOptions.read()
      let nodes = DeviceFolder.nodes()
      guard !nodes.isEmpty else {
        throw Failure("there are no input devices in \(DeviceFolder.path)", .noInput)
      }
      let surfaces = nodes.filter { report(on: $0, configuration) }
      if pressure, surfaces.isEmpty {
        throw Failure("no touch device that can be read feels pressure", .noInput)
      }
    }
  }

  /// Says one sentence of a node; gives whether it feels pressure.
  private func report(on node: String, _ configuration: Configuration) -> Bool {
    do throws(DeviceFault) {
      let device = try EvdevDevice(opening: node)
      let surface = try configuration.surface(of: device.description)
      if !pressure {
        StandardOutput.print("\(node): \(surface.sentence)".onOneLine)
      } else if surface.feelsPressure {
        StandardOutput.print(node)
      }
      return surface.feelsPressure
    } catch {
      if !pressure { StandardOutput.print("\(node): \(error.sentence)".onOneLine) }
      return false
    }
  }
}

extension Surface {
  /// One sentence for people: what it is, and what its pressure means.
  fileprivate var sentence: String {
    let contacts = hasSlots ? "\(slotCount) slots" : "one contact"
    return "\(description.name) (\(DeviceID(description).text)) is read: \(contacts), \(meaning)"
  }

  private var meaning: String {
    guard let axis = pressure?.axis else { return "no pressure" }
    let range = "pressure \(axis.minimum) to \(axis.maximum)"
    let sharing = isPerContact ? "" : ", one value for all contacts"
    return switch capability {
    case .force where axis.resolution > 0: "\(range), \(axis.resolution) units a gram\(sharing)"
    case .force: "\(range), force in units of its own\(sharing)"
    case .size: "\(range), which is usually the area of contact and not force\(sharing)"
    case .broken: "\(range), an axis that says nothing"
    case .none: "no pressure"
    }
  }
}
