internal import PressureKit

extension Configuration {
  /// What a device can do, as it is configured.
  ///
  /// - Parameter description: what the device says of itself.
  /// - Returns: its surface.
  /// - Throws: why it is not read.
  func surface(of description: DeviceDescription) throws(DeviceFault) -> Surface {
    let settings = settings(for: DeviceID(description).text)
    guard !settings.ignored else { throw .ignored(name: description.name) }
    let known = description.corrected(by: ShippedQuirks.quirks + quirks)
    do throws(Refusal) {
      return try Surface(known, settings: settings)
    } catch {
      throw .refused(name: description.name, error)
    }
  }
}
