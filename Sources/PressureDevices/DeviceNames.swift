package import PressureKit

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
