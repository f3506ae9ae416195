public import PressureKit

/// The events and devices that a client receives, and how often.
public struct Subscription: Hashable, Sendable {
  /// The default maximum rate in readings per second for each device.
  package static let defaultRate = 100.0

  /// The events; nil for all, empty for none.
  public let events: [EventName]?

  /// The names of the devices; nil for all.
  public let devices: [String]?

  /// The maximum rate in readings per second for each device; 0 for each frame.
  public let maximumRate: Double

  /// The minimum change of the total in grams; readings that differ less from the last one are omitted.
  public let minimumChange: Double

  /// The minimum interval between two readings in microseconds.
  package let interval: Int64

  /// Whether no reading is delayed or omitted.
  package let isEveryFrame: Bool

  /// The bits of all selected events; see `EventName.bit`.
  public let eventMask: UInt16

  /// Thirty years in microseconds: practically never, and adding it to a time does not overflow.
  private static let maxInterval = 1e15

  /// The default subscription: all events of all devices at the default rate.
  package init() {
    self.init(events: nil, devices: nil, maximumRate: Subscription.defaultRate, minimumChange: 0)
  }

  private init(
    events: [EventName]?, devices: [String]?, maximumRate: Double, minimumChange: Double
  ) {
    self.events = events
    self.devices = devices
    self.maximumRate = maximumRate
    self.minimumChange = minimumChange
    interval = maximumRate > 0 ? Int64(min(1_000_000 / maximumRate, Subscription.maxInterval)) : 0
    isEveryFrame = interval == 0 && minimumChange == 0
    eventMask = events.map { $0.reduce(0) { $0 | $1.bit } } ?? .max
  }

  init(_ arguments: Arguments) {
    self.init(
      events: arguments.texts("events")?.compactMap { EventName(rawValue: $0) },
      devices: arguments.texts("devices"),
      maximumRate: arguments.number("max_hz") ?? Subscription.defaultRate,
      minimumChange: arguments.number("min_change_grams") ?? 0)
  }

  // Inlinable: a call from another module would copy the whole subscription.

  /// Whether the client receives events of this name.
  @inlinable public func includes(_ name: EventName) -> Bool { eventMask & name.bit != 0 }

  /// Whether the client receives events of this device.
  @inlinable public func includes(_ device: DeviceID) -> Bool {
    devices?.contains { $0.hasSameBytes(as: device.text) } ?? true
  }
}

extension JSONLinesWriter {
  /// Appends a subscription, as in the reply to `subscribe`.
  package mutating func append(_ subscription: Subscription) {
    append("{\"events\":", quoted: (subscription.events ?? EventName.allCases).map(\.rawValue))
    append(",\"devices\":", quoted: subscription.devices)
    append(",\"max_hz\":", subscription.maximumRate, decimals: 3)
    append(",\"min_change_grams\":", subscription.minimumChange, decimals: 3)
    append("}")
  }
}
