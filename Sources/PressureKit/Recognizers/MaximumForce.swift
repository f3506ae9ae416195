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

  private struct Touch {
    let order: Int
    let rules: TouchRules
    var isReached = false

    /// The region where it reached the maximum; the release is of the same target, wherever it happens.
    var region: Int?
  }

  private var touches: [Touch] = []

  mutating func see(
    _ frame: Frame, isPerContact: Bool, rules: TouchRules, into output: inout EventBuffer
  ) {
    for contact in frame.gone { part(with: contact, at: frame.time, into: &output) }
    for contact in frame.contacts where contact.phase == .began {
      touches.append(Touch(order: contact.order, rules: rules))
    }
    if isPerContact {
      for contact in frame.contacts { follow(contact, at: frame.time, into: &output) }
    } else if let oldest = frame.contacts.min(by: { $0.order < $1.order }) {
      follow(oldest, at: frame.time, into: &output)
    }
  }

  private mutating func follow(
    _ contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    guard let place = touches.firstIndex(where: { $0.order == contact.order }) else { return }
    let (ratio, limit) = (contact.force.ratio, touches[place].rules.maximum)
    if touches[place].isReached, ratio < limit.release {
      touches[place].isReached = false
      say(.released, of: contact, touches[place], at: time, into: &output)
    } else if !touches[place].isReached, ratio >= limit.press {
      touches[place].isReached = true
      touches[place].region = touches[place].rules.region(at: contact.location)
      say(.reached, of: contact, touches[place], at: time, into: &output)
    }
  }

  private mutating func part(
    with contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    guard let place = touches.firstIndex(where: { $0.order == contact.order }) else { return }
    let touch = touches.remove(at: place)
    if touch.isReached { say(.released, of: contact, touch, at: time, into: &output) }
  }

  private func say(
    _ state: State, of contact: Contact, _ touch: Touch, at time: Timestamp,
    into output: inout EventBuffer
  ) {
    let target = touch.rules.target(in: touch.region, at: contact.location)
    output.say(.maximumForce(contact, state, target: target), at: time)
  }
}
