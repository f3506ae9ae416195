internal import PressureKit
package import PressureProtocol

extension Batch {
  /// What a line is of: a newer state of the same subject makes an older one worthless.
  package struct Subject: Hashable {
    package var name: EventName

    /// The contact, where each has states of its own.
    package var contact: Int32 = 0

    /// What makes a waiting line of it worthless.
    package func key(of device: Int) -> SendQueue.Key {
      SendQueue.Key(name: name, device: device, contact: contact)
    }
  }
}

extension Event {
  /// What it is of.
  package var subject: Batch.Subject {
    switch kind {
    case .press(let press): Batch.Subject(name: name, contact: press.contact.id.value)
    case .contact, .weight, .maximumForce, .heaviest, .scale, .action, .capability:
      Batch.Subject(name: name)
    }
  }

  /// Whether there will be no more of its subject, which then need not be kept.
  var endsSubject: Bool {
    switch kind {
    case .press(let press):
      switch press.state {
      case .ended, .cancelled: true
      case .started, .changed, .fixed: false
      }
    case .contact, .weight, .maximumForce, .heaviest, .scale, .action, .capability: false
    }
  }
}
