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

  private let releaseRatio: Double

  /// The orders of those who press to the full, as a stranger's stream may give one id twice.
  private var reached: [Int] = []

  init(releaseRatio: Double) {
    self.releaseRatio = releaseRatio
  }

  mutating func see(_ frame: Frame, isPerContact: Bool, into output: inout EventBuffer) {
    for contact in frame.gone { release(contact, at: frame.time, into: &output) }
    if isPerContact {
      for contact in frame.contacts { follow(contact, at: frame.time, into: &output) }
    } else if let oldest = frame.contacts.min(by: { $0.order < $1.order }) {
      follow(oldest, at: frame.time, into: &output)
    }
  }

  private mutating func follow(
    _ contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    if contact.force.ratio < releaseRatio {
      release(contact, at: time, into: &output)
    } else if contact.force.ratio >= 1, !reached.contains(contact.order) {
      reached.append(contact.order)
      output.say(.maximumForce(contact, .reached), at: time)
    }
  }

  private mutating func release(
    _ contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    guard let index = reached.firstIndex(of: contact.order) else { return }
    reached.remove(at: index)
    output.say(.maximumForce(contact, .released), at: time)
  }
}
