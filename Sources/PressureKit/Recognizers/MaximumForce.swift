/// Notices who presses to the full: once, and again only after a release.
///
///             ratio ≥ 1                 ratio < release point, or the contact goes
///     below ─────────────▶ reached ─────────────────────────────────────────────▶ below
///                          (released is said)
///
/// Where one sensor stands for all contacts, the oldest alone reports.
public struct MaximumForce: Sendable {
  /// What has happened to a contact.
  public enum State: String, Sendable {
    /// It presses to the full.
    case reached
    /// It no longer does.
    case released
  }

  fileprivate struct Touch {
    let order: Int
    let rules: TouchRules
    var isReached = false

    /// The region where it reached the maximum; the release is of the same target, wherever it happens.
    var region: Int?
  }

  /// By slot: who has it now.
  private var touches: [Touch?]

  package init(slotCount: Int) {
    touches = Array(repeating: nil, count: slotCount)
  }

  package mutating func see(
    _ frame: Frame, isPerContact: Bool, rules: TouchRules, into output: inout EventBuffer
  ) {
    for contact in frame.gone { part(with: contact, at: frame.time, into: &output) }
    if frame.hasBeginning {
      for contact in frame.contacts where contact.phase == .began {
        touches[contact.slot] = Touch(order: contact.order, rules: rules)
      }
    }
    if isPerContact {
      followAll(frame, into: &output)
    } else if let oldest = frame.contacts.min(by: { $0.order < $1.order }) {
      if touches[oldest.slot]?.isCrossed(by: oldest.force.ratio) == true {
        touches[oldest.slot]?.cross(with: oldest, at: frame.time, into: &output)
      }
    }
  }

  private mutating func followAll(_ frame: Frame, into output: inout EventBuffer) {
    let contacts = frame.contacts.span
    var touches = touches.mutableSpan
    for place in contacts.indices {
      let slot = contacts[place].slot
      guard touches[slot]?.isCrossed(by: contacts[place].force.ratio) == true else { continue }
      touches[slot]?.cross(with: contacts[place], at: frame.time, into: &output)
    }
  }

  private mutating func part(
    with contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    guard let touch = touches[contact.slot], touch.order == contact.order else { return }
    touches[contact.slot] = nil
    if touch.isReached { touch.say(.released, of: contact, at: time, into: &output) }
  }
}

fileprivate extension MaximumForce.Touch {
  /// Whether such a ratio takes it to the maximum, or from it.
  func isCrossed(by ratio: Double) -> Bool {
    isReached ? ratio < rules.maximum.release : ratio >= rules.maximum.press
  }

  mutating func cross(
    with contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    isReached.toggle()
    if isReached { region = rules.region(at: contact.location) }
    say(isReached ? .reached : .released, of: contact, at: time, into: &output)
  }

  func say(
    _ state: MaximumForce.State, of contact: Contact, at time: Timestamp,
    into output: inout EventBuffer
  ) {
    let target = rules.target(in: region, at: contact.location)
    output.say(.maximumForce(contact, state, target: target), at: time)
  }
}
