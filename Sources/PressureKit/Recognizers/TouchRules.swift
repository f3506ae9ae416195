/// What is configured for the touches of one device; each touch keeps what held when it began.
///
/// It never changes, so that all touches keep it in the memory of one.
package final class TouchRules: Sendable {
  package let press: PressConfiguration

  /// When a contact counts as pressed to the full, as ratios.
  package let maximum: Threshold

  private let regions: [Region]

  /// The actions that presses of this device perform.
  private let boundActions: [Action]

  init(_ configuration: Configuration, device: DeviceID) {
    press = configuration.settings(for: device.text).press
    maximum = configuration.maximumForce.threshold
    boundActions = configuration.actions.filter { $0.trigger?.device.matches(device.text) ?? false }
    regions = configuration.regions.filter { $0.device.matches(device.text) }
  }

  /// Whether any press of this device can perform anything.
  var bindsActions: Bool { !boundActions.isEmpty }

  /// The actions that a press performs by coming into its stage.
  package func actions(for press: Press) -> [Action] {
    boundActions.filter { $0.trigger?.fires(for: press) ?? false }
  }

  /// The place in the list of the first region that contains a point, or nil.
  ///
  /// A place is kept, as it weighs nothing; a region has names.
  package func region(at location: Location) -> Int? {
    regions.firstIndex { $0.contains(x: location.x, y: location.y) }
  }

  /// A region, and where a contact is in it; nil where it is in none.
  package func target(in region: Int?, at location: Location) -> Target? {
    region.map { Target(regions[$0], at: location) }
  }
}

/// A named region, and a point in it.
public struct Target: Hashable, Sendable {
  /// The region's name.
  public let name: String

  /// The part of the region's width, from its left edge, 0…1; what has left the region is at its edge.
  public let x: Double

  /// The part of the region's height, from its upper edge, 0…1; what has left the region is at its edge.
  public let y: Double

  package init(_ region: Region, at location: Location) {
    name = region.name
    x = min(max((location.x - region.x) / region.width, 0), 1)
    y = min(max((location.y - region.y) / region.height, 0), 1)
  }
}
