/// Holds who wears the crown.
///
///              heaviest of all
///     nobody ──────────────────▶ holder ──challenger beyond the margin──▶ another holder
///        ▲                          │
///        └─────the last one goes────┘
///
/// A tie stays with the holder, and without one with the older contact. Where the holder goes, the
/// crown passes on in the same frame.
struct Heaviest {
  /// A crown that has passed on.
  struct Change {
    var holder: Contact?
    var previous: TrackingID?
  }

  var margin: HeaviestConfiguration
  private var crowned: Contact?

  /// Who wears the crown.
  var holder: TrackingID? { crowned?.id }

  init(margin: HeaviestConfiguration) {
    self.margin = margin
  }

  /// Decides anew; nil where the crown stays.
  mutating func decide(_ frame: Frame) -> Change? {
    let holding = frame.contacts.first { $0.order == crowned?.order }
    let heir = heir(of: holding, in: frame)
    guard heir?.order != crowned?.order else { return nil }
    defer { crowned = heir }
    return Change(holder: heir, previous: holder)
  }

  private func heir(of holding: Contact?, in frame: Frame) -> Contact? {
    let heaviest = frame.contacts.reduce(nil as Contact?) { best, contact in
      guard let weight = contact.weight else { return best }
      guard let best, let most = best.weight else { return contact }
      let isAhead = weight == most ? contact.order < best.order : weight > most
      return isAhead ? contact : best
    }
    guard let holding, let held = holding.weight, let challenge = heaviest?.weight else {
      return heaviest
    }
    let lead = max(margin.marginRatio * held.grams, margin.marginGrams)
    return challenge.grams > held.grams + lead ? heaviest : holding
  }
}
