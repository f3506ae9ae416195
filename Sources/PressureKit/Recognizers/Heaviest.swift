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
  private var crowned: (id: TrackingID, order: Int)?

  /// Who wears the crown.
  var holder: TrackingID? { crowned?.id }

  init(margin: HeaviestConfiguration) {
    self.margin = margin
  }

  /// Decides anew; nil where the crown stays.
  mutating func decide(_ frame: Frame) -> Change? {
    let heir = heir(among: frame.contacts)
    guard heir.map({ frame.contacts[$0].order }) != crowned?.order else { return nil }
    let previous = holder
    crowned = heir.map { (frame.contacts[$0].id, frame.contacts[$0].order) }
    return Change(holder: heir.map { frame.contacts[$0] }, previous: previous)
  }

  /// The place of who is to wear the crown; places are compared, as contacts would be copied.
  private func heir(among contacts: [Contact]) -> Int? {
    var holding: Int?
    var heaviest: Int?
    for place in contacts.indices {
      if contacts[place].order == crowned?.order { holding = place }
      guard let weight = contacts[place].weight else { continue }
      if let best = heaviest, let most = contacts[best].weight {
        let isOlder = contacts[place].order < contacts[best].order
        guard weight == most ? isOlder : weight > most else { continue }
      }
      heaviest = place
    }
    guard let holding, let held = contacts[holding].weight,
      let heaviest, let challenge = contacts[heaviest].weight
    else { return heaviest }
    let lead = max(margin.marginRatio * held.grams, margin.marginGrams)
    return challenge.grams > held.grams + lead ? heaviest : holding
  }
}
