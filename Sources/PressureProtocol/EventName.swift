public import PressureKit

/// The names of all events of the protocol, in the order of its manual page.
public enum EventName: String, CaseIterable, Sendable {
  /// The first line.
  case hello
  /// A device is there, comes, goes or changes.
  case device
  /// A contact begins, ends or is cancelled.
  case contact
  /// How hard each contact presses.
  case weight
  /// A contact presses to the full, or no longer.
  case maximumForce = "max_force"
  /// The heaviest contact is another one.
  case heaviest
  /// A force gesture.
  case press
  /// The state of weighing changes, or the reading does.
  case scale
  /// A quick action is performed.
  case action
  /// Something did not fit into a client's buffer.
  case missed
  /// The answer to a request.
  case reply

  /// Its bit in a set of names; asked for each line and client.
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
    }
  }
}

extension Event {
  // Inlined: called in another module, they would have the whole event copied each time.

  /// The name of the line that tells of it.
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

  /// Whether what the device can do may be another thing since: that is so only as contacts come and go, and
  /// where it is said.
  @inlinable public var mayChangeSurface: Bool {
    switch kind {
    case .contact, .capability: true
    case .weight, .maximumForce, .heaviest, .press, .scale, .action: false
    }
  }

  /// Whether a newer line of the same name, device and contact makes it worthless; all others are
  /// happenings, a press that crosses into another stage and a new stable reading among them.
  public var isState: Bool {
    switch kind {
    case .weight: true
    case .press(let press): press.isState
    case .scale(_, let isNewStable): !isNewStable
    case .contact, .maximumForce, .heaviest, .action, .capability: false
    }
  }
}

extension Press {
  fileprivate var isState: Bool {
    switch state {
    case .changed: crossing == nil
    case .started, .maximumReached, .ended, .cancelled: false
    }
  }
}
