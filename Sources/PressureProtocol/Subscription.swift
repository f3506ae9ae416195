public import PressureKit

/// What a client wants to hear.
public struct Subscription: Hashable, Sendable {
  /// Readings a second for each device that nobody has to ask for.
  public static let defaultRate = 100.0

  /// Names of devices that one client may give.
  public static let mostDevices = 64

  /// Names of events; nil for all, an empty list for silence.
  public let events: [EventName]?

  /// Names of devices; nil for all.
  public let devices: [String]?

  /// Readings a second for each device; 0 for every frame.
  public let maximumRate: Double

  /// Readings whose total differs less from the last one, in grams, are left out.
  public let minimumChange: Double

  /// Microseconds between two readings.
  public let interval: Int64

  /// Whether no reading is held back or left out.
  public let isEveryFrame: Bool

  /// The bits of all names that are wanted.
  public let bits: UInt16

  /// Thirty years in microseconds: never, and yet a time that can be added to.
  private static let longestInterval = 1e15

  /// What a client hears that has not asked for anything.
  public init() {
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
      maximumRate > 0 ? Int64(min(1_000_000 / maximumRate, Subscription.longestInterval)) : 0
    isEveryFrame = interval == 0 && minimumChange == 0
    bits = events.map { $0.reduce(0) { $0 | $1.bit } } ?? .max
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
        throw .badArgument("\(text.glance) is no event; there are \(known)")
      }
      if !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// Each name once; so many are compared for each line and client.
  private static func devices(_ texts: [String]) throws(RequestError) -> [String] {
    guard texts.count <= Subscription.mostDevices else {
      throw .badArgument("devices must be at most \(Subscription.mostDevices) names")
    }
    var seen: Set<RequestKey> = []
    return texts.filter { seen.insert(RequestKey($0)).inserted }
  }

  // Inlined: called in another module, they would have the whole subscription copied each time.

  /// Whether lines of this name are wanted.
  @inlinable public func wants(_ name: EventName) -> Bool { bits & name.bit != 0 }

  /// Whether lines of this device are wanted.
  @inlinable public func wants(_ device: DeviceID) -> Bool {
    devices?.contains { $0.hasSameBytes(as: device.text) } ?? true
  }
}

extension JSONLinesWriter {
  /// Adds a subscription, as the answer to `subscribe` has it.
  public mutating func append(_ subscription: Subscription) {
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
