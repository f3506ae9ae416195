public import PressureKit

/// The events and devices that a client receives, and how often.
public struct Subscription: Hashable, Sendable {
  /// The default maximum rate in readings per second for each device.
  package static let defaultRate = 100.0

  /// The maximum number of device names.
  package static let maxDevices = 64

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
    interval =
      maximumRate > 0 ? Int64(min(1_000_000 / maximumRate, Subscription.maxInterval)) : 0
    isEveryFrame = interval == 0 && minimumChange == 0
    eventMask = events.map { $0.reduce(0) { $0 | $1.bit } } ?? .max
  }

  package init(_ arguments: inout Arguments) throws(RequestError) {
    let events = try arguments.texts("events").map(Subscription.names)
    let devices = try arguments.texts("devices").map(Subscription.devices)
    self.init(
      events: events, devices: devices,
      maximumRate: try arguments.number("max_hz", in: 0...100_000) ?? Subscription.defaultRate,
      minimumChange: try arguments.number("min_change_grams", in: 0...1_000_000) ?? 0)
  }

  private static func names(_ texts: [String]) throws(RequestError) -> [EventName] {
    var names: [EventName] = []
    for text in texts {
      guard let name = EventName.allCases.first(where: { $0.rawValue.hasSameBytes(as: text) })
      else {
        let known = EventName.allCases.map(\.rawValue).joined(separator: ", ")
        throw .badArgument("\(text.truncated) is not an event; the events are \(known)")
      }
      if !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// Removes duplicate names, which would be compared for each line and client.
  private static func devices(_ texts: [String]) throws(RequestError) -> [String] {
    guard texts.count <= Subscription.maxDevices else {
      throw .badArgument("devices must be a list of at most \(Subscription.maxDevices) names")
    }
    var seen: Set<RequestKey> = []
    return texts.filter { seen.insert(RequestKey($0)).inserted }
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
    append("{\"events\":")
    append(quoted: (subscription.events ?? EventName.allCases).map(\.rawValue))
    append(",\"devices\":")
    if let devices = subscription.devices { append(quoted: devices) } else { append("null") }
    append(",\"max_hz\":")
    append(subscription.maximumRate, decimals: 3)
    append(",\"min_change_grams\":")
    append(subscription.minimumChange, decimals: 3)
    append("}")
  }
}
