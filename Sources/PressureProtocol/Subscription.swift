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

  /// Makes a subscription; by default to all events of all devices at the default rate.
  package init(
    events: [EventName]? = nil, devices: [String]? = nil,
    maximumRate: Double = Subscription.defaultRate, minimumChange: Double = 0
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

/// The names of the events of the protocol, in the order of the manual page.
public enum EventName: String, CaseIterable, Sendable {
  /// The first line of each connection.
  case hello
  /// A device is present, was added, was removed or has changed.
  case device
  /// A contact began, ended or was cancelled.
  case contact
  /// The pressure of each contact.
  case weight
  /// A contact reached the maximum force, or was released from it.
  case maximumForce = "max_force"
  /// The heaviest contact changed.
  case heaviest
  /// A press, a gesture of force, started, changed or ended.
  case press
  /// The reading or the status of the scale changed.
  case scale
  /// A quick action was performed.
  case action
  /// The client's access to the devices of a seat was suspended or resumed.
  case access
  /// Lines were dropped because the client's buffer was full.
  case missed
  /// The reply to a request.
  case reply

  /// The bit of this name in a mask, which is tested for each line and client.
  @inlinable public var bit: UInt16 {
    switch self {
    case .hello: 1 << 0
    case .device: 1 << 1
    case .contact: 1 << 2
    case .weight: 1 << 3
    case .maximumForce: 1 << 4
    case .heaviest: 1 << 5
    case .missed: 1 << 6
    case .reply: 1 << 7
    case .press: 1 << 8
    case .action: 1 << 9
    case .scale: 1 << 10
    case .access: 1 << 11
    }
  }
}

extension Event {
  // Inlinable: a call from another module would copy the whole event.

  /// The name of the line that reports the event.
  @inlinable public var name: EventName {
    switch kind {
    case .contact: .contact
    case .weight: .weight
    case .maximumForce: .maximumForce
    case .heaviest: .heaviest
    case .press: .press
    case .scale: .scale
    case .action: .action
    case .capability: .device
    }
  }

  /// Whether a newer line of the same name, device and contact replaces it.
  ///
  /// All others are lossless, including a press that enters another stage and a new stable reading.
  @inlinable public var isCoalescible: Bool {
    switch kind {
    case .weight: true
    case .press(let press):
      switch press.state {
      case .changed: press.crossing == nil
      case .started, .maximumReached, .ended, .cancelled: false
      }
    case .scale(_, let isNewStable): !isNewStable
    case .contact, .maximumForce, .heaviest, .action, .capability: false
    }
  }
}
