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
  private var isHeaviest: (id: TrackingID, order: Int)?

  /// Who wears the crown.
  var holder: TrackingID? { isHeaviest?.id }

  init(margin: HeaviestConfiguration) {
    self.margin = margin
  }

  /// Decides anew; nil where the crown stays.
  mutating func decide(_ frame: Frame) -> Change? {
    let candidate = candidate(among: frame.contacts.span)
    guard candidate.map({ frame.contacts[$0].order }) != isHeaviest?.order else { return nil }
    let previous = holder
    isHeaviest = candidate.map { (frame.contacts[$0].id, frame.contacts[$0].order) }
    return Change(holder: candidate.map { frame.contacts[$0] }, previous: previous)
  }

  /// The place of who is to wear the crown; places are compared, as contacts would be copied.
  private func candidate(among contacts: borrowing Span<Contact>) -> Int? {
    var holding: (place: Int, grams: Double)?
    var heaviest: (place: Int, grams: Double)?
    for place in contacts.indices {
      guard let grams = contacts[place].weight?.grams else { continue }
      if contacts[place].order == isHeaviest?.order { holding = (place, grams) }
      if let best = heaviest, grams <= best.grams {
        // Where only what is known of their errors differs, neither is the heavier one.
        guard contacts[place].weight == contacts[best.place].weight,
          contacts[place].order < contacts[best.place].order
        else { continue }
      }
      heaviest = (place, grams)
    }
    guard let holding, let heaviest else { return heaviest?.place }
    let lead = max(margin.marginRatio * holding.grams, margin.marginGrams)
    return heaviest.grams > holding.grams + lead ? heaviest.place : holding.place
  }
}
