/// The configuration for the touches of one device; each touch keeps the one from its beginning.
///
/// Immutable, so that all touches share one object.
package final class TouchRules: Sendable {
  package let press: PressConfiguration

  /// The thresholds of the maximum force, as ratios of the effective maximum.
  package let maximum: Threshold

  private let regions: [Region]

  /// The actions bound to presses of this device.
  private let boundActions: [Action]

  init(_ configuration: Configuration, device: DeviceID) {
    press = configuration.settings(for: device.text).press
    maximum = configuration.maximumForce.threshold
    boundActions = configuration.actions.filter { $0.trigger?.device.matches(device.text) ?? false }
    regions = configuration.regions.filter { $0.device.matches(device.text) }
  }

  /// Whether any press of this device can perform an action.
  var bindsActions: Bool { !boundActions.isEmpty }

  /// The actions that a press performs by entering its stage.
  package func actions(for press: Press) -> [Action] {
    boundActions.filter { $0.trigger?.fires(for: press) ?? false }
  }

  /// The index of the first region that contains a point; nil if there is none.
  ///
  /// Touches store an index, as copying a region would retain its strings.
  package func region(at location: Location) -> Int? {
    regions.firstIndex { $0.contains(x: location.x, y: location.y) }
  }

  /// A region and the contact's location in it; nil without a region.
  package func target(in region: Int?, at location: Location) -> Target? {
    region.map { Target(regions[$0], at: location) }
  }
}

/// A named region, and a point in it.
public struct Target: Hashable, Sendable {
  /// The region's name.
  public let name: String

  /// The distance from the region's left edge as a fraction of its width, clamped to 0…1.
  public let x: Double

  /// The distance from the region's upper edge as a fraction of its height, clamped to 0…1.
  public let y: Double

  package init(_ region: Region, at location: Location) {
    name = region.name
    x = min(max((location.x - region.x) / region.width, 0), 1)
    y = min(max((location.y - region.y) / region.height, 0), 1)
  }
}
