public import PressureKit

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
    case .press(let press): press.isCoalescible
    case .scale(_, let isNewStable): !isNewStable
    case .contact, .maximumForce, .heaviest, .action, .capability: false
    }
  }
}

extension Press {
  @usableFromInline var isCoalescible: Bool {
    switch state {
    case .changed: crossing == nil
    case .started, .maximumReached, .ended, .cancelled: false
    }
  }
}
