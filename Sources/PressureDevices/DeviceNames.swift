internal import Glibc
package import PressureKit
internal import PressureSettings
package import PressureSystem

/// The names in use, so that a second device with the same IDs gets another name.
///
/// An ignored device keeps its name: otherwise the next device with the same IDs would get it and be ignored, too.
package struct DeviceNames {
  private var namesInUse: Set<DeviceID>

  package init(_ namesInUse: some Sequence<DeviceID> = []) {
    self.namesInUse = Set(namesInUse)
  }

  package func name(for description: DeviceDescription) -> DeviceID {
    let plain = DeviceID(description)
    var id = plain
    var count = 1
    while namesInUse.contains(id) {
      count += 1
      id = plain.numbered(count)
    }
    return id
  }

  package mutating func surface(
    of description: DeviceDescription, under configuration: Configuration
  ) throws(DeviceError) -> (surface: Surface, id: DeviceID) {
    let id = name(for: description)
    do throws(DeviceError) {
      let surface = try configuration.surface(of: description, as: id)
      namesInUse.insert(id)
      return (surface, id)
    } catch {
      if case .ignored = error { namesInUse.insert(id) }
      throw error
    }
  }
}

extension Configuration {
  package func surface(
    of description: DeviceDescription, as id: DeviceID? = nil
  ) throws(DeviceError) -> Surface {
    let settings = settings(for: (id ?? DeviceID(description)).text)
    guard !settings.ignored else { throw .ignored(name: description.name) }
    let corrected = description.corrected(by: ShippedQuirks.quirks + quirks)
    do throws(UnsupportedDeviceError) {
      return try Surface(corrected, settings: settings)
    } catch {
      throw .unsupported(name: description.name, error)
    }
  }
}

package enum DeviceError: Error, Hashable {
  case unreadable(SystemError)
  case unsupported(name: String, UnsupportedDeviceError)
  case ignored(name: String)

  /// A message without the path of the node.
  package var sentence: String {
    switch self {
    case .unreadable(let error): error.sentence
    case .unsupported(let name, let error): "\(name) is not read: \(error.description)"
    case .ignored(let name): "\(name) is not read: the configuration ignores it"
    }
  }

  /// Whether permissions are missing, so that another user might be able to read it.
  package var isPermissionDenied: Bool {
    switch self {
    case .unreadable(let error): error.number == EACCES || error.number == EPERM
    case .unsupported, .ignored: false
    }
  }
}
