package import PressureKit
internal import PressureSettings

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
