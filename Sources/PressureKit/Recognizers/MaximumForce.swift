/// Detects contacts that reach the maximum force: once, and again only after a release.
///
///             ratio ≥ 1                 ratio < release point, or the contact ends
///     below ─────────────▶ reached ──────────────────────────────────────────────▶ below
///                          (emits released)
///
/// If all contacts share one sensor, only the oldest reports. If the range of the axis is inferred from a recording, its
/// maximum is unknown, and no contact reports.
public struct MaximumForce: Sendable {
  /// A transition of a contact.
  public enum State: String, CaseIterable, Sendable {
    /// It reached the maximum force.
    case reached
    /// It was released from the maximum force.
    case released
  }

  /// Ratios of the effective maximum: reached at `press`, released below `release`.
  static let threshold = Threshold(knownPress: 1, release: 0.95)

  private struct Touch {
    let order: Int
    let rules: TouchRules
    var isReached = false

    /// The region in which it reached the maximum; the release has the same target wherever it happens.
    var region: Int?

    func event(_ state: State, of contact: Contact) -> Event.Kind {
      .maximumForce(contact, state, target: rules.target(in: region, at: contact.location))
    }
  }

  private var touches: [Touch?]

  /// The number of contacts that have reached the maximum and were not released from it.
  private var reachedCount = 0

  package init(slotCount: Int) {
    touches = Array(repeating: nil, count: slotCount)
  }

  package mutating func update(
    with frame: Frame, on surface: Surface, rules: TouchRules, into output: inout EventBuffer
  ) {
    if !frame.ended.isEmpty { end(frame.ended, at: frame.time, into: &output) }
    if frame.hasBeginning, surface.isMaximumKnown {
      for contact in frame.contacts where contact.phase == .began {
        touches[contact.slot] = Touch(order: contact.order, rules: rules)
      }
    }
    guard reachedCount > 0 || frame.greatestRatio >= MaximumForce.threshold.press else { return }
    if surface.isPerContact {
      for contact in frame.contacts { toggle(contact, at: frame.time, into: &output) }
    } else if let oldest = frame.contacts.min(by: { $0.order < $1.order }) {
      toggle(oldest, at: frame.time, into: &output)
    }
  }

  /// The events of the contacts that have reached the maximum and were not released from it.
  func reached(by contacts: [Contact]) -> [Event.Kind] {
    contacts.compactMap { contact in
      guard let touch = touches[contact.slot], touch.isReached else { return nil }
      return touch.event(.reached, of: contact)
    }
  }

  /// Emits whether the contact has reached the maximum or was released, if that has changed.
  private mutating func toggle(
    _ contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    guard var touch = touches[contact.slot] else { return }
    let (ratio, threshold) = (contact.force.ratio, MaximumForce.threshold)
    guard touch.isReached ? ratio < threshold.release : ratio >= threshold.press else { return }
    touch.isReached.toggle()
    reachedCount += touch.isReached ? 1 : -1
    if touch.isReached { touch.region = touch.rules.region(at: contact.location) }
    touches[contact.slot] = touch
    output.emit(touch.event(touch.isReached ? .reached : .released, of: contact), at: time)
  }

  /// Releases contacts, which do not report again before they are lifted.
  mutating func end(_ contacts: [Contact], at time: Timestamp, into output: inout EventBuffer) {
    for contact in contacts {
      guard let touch = touches[contact.slot], touch.order == contact.order else { continue }
      touches[contact.slot] = nil
      guard touch.isReached else { continue }
      reachedCount -= 1
      output.emit(touch.event(.released, of: contact), at: time)
    }
  }
}
