package import PressureKit

/// What a client can know of a device's contacts, held against all that an engine says.
///
/// A contact is known by the order in which it came down, as a broken driver may give one id to two.
package struct ContactInvariants {
  /// The first law that was broken, or nil.
  package private(set) var broken: String?

  /// How many contacts have begun.
  package private(set) var begun = 0

  private var down: Set<Int> = []
  private var over = 0
  private var full: Set<Int> = []
  private var isHeaviest: TrackingID?
  private var time = Timestamp(microseconds: .min)

  package init() {}

  package mutating func hear(_ buffer: EventBuffer) {
    for event in buffer.events {
      require(event.time >= time, "times never decrease", event)
      time = event.time
      hear(event, among: buffer.contacts)
    }
  }

  /// The engine is asked which contacts are down now.
  package mutating func compare(with contacts: [Contact]) {
    let known = Set(contacts.map(\.order))
    if known != down || known.count != contacts.count {
      broken = broken ?? "who is down is known to all, but \(contacts.map(\.order)) for \(down)"
    }
  }

  /// All has been said.
  package mutating func hearEnd() {
    compare(with: [])
    if !full.isEmpty { broken = broken ?? "full force was never released by \(full)" }
    if let isHeaviest { broken = broken ?? "\(isHeaviest.value) has kept the crown" }
  }

  private mutating func require(_ law: Bool, _ name: StaticString, _ event: Event) {
    if !law, broken == nil { broken = "\(name): \(event)" }
  }

  private mutating func hear(_ event: Event, among contacts: [Contact]) {
    switch event.kind {
    case .contact(let contact): hear(contact, event)
    case .weight(let report): hear(report, contacts[report.contacts], event)
    case .maximumForce(let contact, .reached, target: _):
      require(down.contains(contact.order), "who presses to the full is down", event)
      require(full.insert(contact.order).inserted, "full force is reached once", event)
    case .maximumForce(let contact, .released, target: _):
      require(full.remove(contact.order) != nil, "what is released was reached", event)
    case .heaviest(let contact, let previous):
      require(previous == isHeaviest, "the crown passes on from who had it", event)
      require(contact.map { down.contains($0.order) } ?? true, "who is crowned is down", event)
      isHeaviest = contact?.id
    case .press, .scale, .action, .capability: break
    }
  }

  private mutating func hear(_ contact: Contact, _ event: Event) {
    switch contact.phase {
    case .began:
      begun += 1
      require(contact.order > over, "a contact begins once, the older ones first", event)
      over = max(over, contact.order)
      require(down.insert(contact.order).inserted, "a contact begins once", event)
    case .ended, .cancelled:
      require(down.remove(contact.order) != nil, "what ends has begun, and ends once", event)
      require(!full.contains(contact.order), "full force is released before the end", event)
    case .moved, .stationary: require(false, "a contact only begins and ends", event)
    }
  }

  private mutating func hear(
    _ report: WeightReport, _ contacts: ArraySlice<Contact>, _ event: Event
  ) {
    for contact in contacts {
      require(down.contains(contact.order), "who weighs is down", event)
      require((0...1).contains(contact.force.ratio), "a ratio is within 0…1", event)
      require(contact.weight?.grams.isFinite ?? true, "grams are a number", event)
    }
    require(report.total?.grams.isFinite ?? true, "the total is a number", event)
    let ids = contacts.map(\.id)
    require(report.heaviest.map(ids.contains) ?? true, "who is heaviest is down", event)
  }
}
