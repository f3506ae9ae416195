/// What is configured for the touches of one device; each touch keeps what held when it began.
struct TouchRules {
  let press: PressConfiguration

  /// When a contact counts as pressed to the full, as ratios.
  let maximum: Threshold

  private let regions: [Region]

  init(_ configuration: Configuration, device: DeviceID) {
    press = configuration.settings(for: device.text).press
    maximum = configuration.maximumForce.threshold
    regions = configuration.regions.filter { $0.device.matches(device.text) }
  }

  /// The first region that contains a place, or nil.
  func region(at location: Location) -> Region? {
    regions.first { $0.contains(x: location.x, y: location.y) }
  }
}
