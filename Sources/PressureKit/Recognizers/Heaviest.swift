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
  private var current: (id: TrackingID, order: Int)?

  /// Who wears the crown.
  var holder: TrackingID? { current?.id }

  init(margin: HeaviestConfiguration) {
    self.margin = margin
  }

  /// Decides anew; nil where the crown stays.
  mutating func update(with frame: Frame) -> Change? {
    let candidate = candidate(among: frame.contacts.span)
    guard candidate.map({ frame.contacts[$0].order }) != current?.order else { return nil }
    let previous = holder
    current = candidate.map { (frame.contacts[$0].id, frame.contacts[$0].order) }
    return Change(holder: candidate.map { frame.contacts[$0] }, previous: previous)
  }

  /// The place of who is to wear the crown; places are compared, as contacts would be copied.
  private func candidate(among contacts: borrowing Span<Contact>) -> Int? {
    var holding: (index: Int, grams: Double)?
    var heaviest: (index: Int, grams: Double)?
    for index in contacts.indices {
      guard let grams = contacts[index].weight?.grams else { continue }
      if contacts[index].order == current?.order { holding = (index, grams) }
      if let best = heaviest, grams <= best.grams {
        // Where only what is known of their errors differs, neither is the heavier one.
        guard contacts[index].weight == contacts[best.index].weight,
          contacts[index].order < contacts[best.index].order
        else { continue }
      }
      heaviest = (index, grams)
    }
    guard let holding, let heaviest else { return heaviest?.index }
    let lead = max(margin.marginRatio * holding.grams, margin.marginGrams)
    return heaviest.grams > holding.grams + lead ? heaviest.index : holding.index
  }
}
