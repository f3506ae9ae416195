package import PressureKit

/// Checks the events of an engine against what a client may assume about contacts.
///
/// Contacts are identified by `order`, as a broken driver may give two of them the same ID.
package struct ContactInvariants {
  /// The first invariant that was violated; nil if none was.
  package private(set) var broken: String?

  package private(set) var begun = 0

  private var down: Set<Int> = []
  private var over = 0
  private var full: Set<Int> = []
  private var heaviest: TrackingID?
  private var time = Timestamp(microseconds: .min)

  package init() {}

  package mutating func check(_ buffer: EventBuffer) {
    for event in buffer.events {
      require(event.time >= time, "times never decrease", event)
      time = event.time
      check(event)
    }
  }

  /// Compares the engine's current contacts.
  package mutating func compare(with contacts: [Contact]) {
    let known = Set(contacts.map(\.order))
    if known != down || known.count != contacts.count {
      broken =
        broken
        ?? "engine and events disagree on current contacts: \(contacts.map(\.order)) for \(down)"
    }
  }

  package mutating func checkEnd() {
    compare(with: [])
    if !full.isEmpty { broken = broken ?? "the maximum force was never released by \(full)" }
    if let heaviest { broken = broken ?? "\(heaviest.value) is still the heaviest at the end" }
  }

  private mutating func require(_ condition: Bool, _ name: StaticString, _ event: Event) {
    if !condition, broken == nil { broken = "\(name): \(event)" }
  }

  private mutating func check(_ event: Event) {
    switch event.kind {
    case .contact(let contact): check(contact, event)
    case .weight(let report): check(report, event)
    case .maximumForce(let contact, .reached, target: _):
      require(down.contains(contact.order), "a contact at the maximum force is down", event)
      require(full.insert(contact.order).inserted, "the maximum force is reached once", event)
    case .maximumForce(let contact, .released, target: _):
      require(full.remove(contact.order) != nil, "a release follows a reached maximum", event)
    case .heaviest(let contact, let previous):
      require(previous == heaviest, "`previous` is the previous heaviest contact", event)
      require(
        contact.map { down.contains($0.order) } ?? true, "the heaviest contact is down", event)
      heaviest = contact?.id
    case .press, .scale, .action, .capability: break
    }
  }

  private mutating func check(_ contact: Contact, _ event: Event) {
    switch contact.phase {
    case .began:
      begun += 1
      require(contact.order > over, "contacts begin once, in order", event)
      over = max(over, contact.order)
      require(down.insert(contact.order).inserted, "a contact begins once", event)
    case .ended, .cancelled:
      require(
        down.remove(contact.order) != nil, "a contact that ends has begun, and ends once", event)
      require(
        !full.contains(contact.order), "the maximum force is released before the contact ends",
        event)
    case .moved, .stationary: require(false, "a contact only begins and ends", event)
    }
  }

  private mutating func check(
    _ report: WeightReport, _ event: Event
  ) {
    for contact in report.contacts {
      require(down.contains(contact.order), "a contact with a weight is down", event)
      require((0...1).contains(contact.force.ratio), "a ratio is within 0…1", event)
      require(contact.weight?.grams.isFinite ?? true, "grams are finite", event)
    }
    require(report.total?.grams.isFinite ?? true, "the total is finite", event)
    let ids = report.contacts.map(\.id)
    require(
      report.heaviest.map(ids.contains) ?? true, "the heaviest contact of a report is down", event)
  }
}
