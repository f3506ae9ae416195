internal import Glibc
package import PressureKit
internal import PressureSettings
package import PressureSystem

/// The names that devices have by now, so that the second one of its kind gets another.
///
/// A device that the configuration says to ignore keeps its name: otherwise the next one of its kind would
/// take it over, and be ignored, too.
package struct DeviceNames {
  private var taken: Set<DeviceID>

  package init(_ taken: some Sequence<DeviceID> = []) {
    self.taken = Set(taken)
  }

  /// The name that a device gets.
  package func name(for description: DeviceDescription) -> DeviceID {
    let plain = DeviceID(description)
    var id = plain
    var count = 1
    while taken.contains(id) {
      count += 1
      id = plain.numbered(count)
    }
    return id
  }

  /// Names one device after the other, and says what each can do as it is configured.
  ///
  /// - Parameters:
  ///   - description: what the device says of itself.
  ///   - configuration: what is configured for devices.
  /// - Returns: its surface, and its name.
  /// - Throws: why it is not read.
  package mutating func surface(
    of description: DeviceDescription, under configuration: Configuration
  ) throws(DeviceError) -> (surface: Surface, id: DeviceID) {
    let id = name(for: description)
    do throws(DeviceError) {
      let surface = try configuration.surface(of: description, as: id)
      taken.insert(id)
      return (surface, id)
    } catch {
      if case .ignored = error { taken.insert(id) }
      throw error
    }
  }
}

extension Configuration {
  /// What a device can do, as it is configured.
  ///
  /// - Parameters:
  ///   - description: what the device says of itself.
  ///   - id: its name where it is another one than its description makes.
  /// - Returns: its surface.
  /// - Throws: why it is not read.
  package func surface(
    of description: DeviceDescription, as id: DeviceID? = nil
  ) throws(DeviceError) -> Surface {
    let settings = settings(for: (id ?? DeviceID(description)).text)
    guard !settings.ignored else { throw .ignored(name: description.name) }
    let known = description.corrected(by: ShippedQuirks.quirks + quirks)
    do throws(UnsupportedDeviceError) {
      return try Surface(known, settings: settings)
    } catch {
      throw .refused(name: description.name, error)
    }
  }
}

/// Why a node is not read.
package enum DeviceError: Error, Hashable {
  /// The kernel refuses to open it or to answer.
  case unreadable(SystemError)
  /// It is not what pressured reads.
  case refused(name: String, UnsupportedDeviceError)
  /// The configuration says to leave it alone.
  case ignored(name: String)

  /// One sentence for people, without the node.
  package var sentence: String {
    switch self {
    case .unreadable(let fault): fault.sentence
    case .refused(let name, let refusal): "\(name) is not read: \(refusal.description)"
    case .ignored(let name): "\(name) is not read: the configuration says to ignore it"
    }
  }

  /// Whether another user might read it.
  package var isLackOfRights: Bool {
    switch self {
    case .unreadable(let fault): fault.number == EACCES || fault.number == EPERM
    case .refused, .ignored: false
    }
  }
}
