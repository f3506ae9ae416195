/// Tracks the heaviest contact, with hysteresis.
///
///              heaviest of all
///     none ──────────────────▶ holder ──candidate exceeds it by the margin──▶ another holder
///      ▲                          │
///      └──the last contact ends───┘
///
/// A tie is decided in favor of the current holder, or else of the older contact. If the holder ends, its successor
/// is chosen in the same frame.
struct Heaviest {
  struct Change {
    var holder: Contact?
    var previous: TrackingID?
  }

  /// The lead of another holder: the greater of a fraction of the holder's weight and of these grams.
  static let marginRatio = 0.03
  static let marginGrams = 2.0

  private var current: (id: TrackingID, order: Int)?
  var holder: TrackingID? { current?.id }

  /// Evaluates a frame; returns nil if the heaviest contact stays the same.
  mutating func update(with frame: Frame) -> Change? {
    let candidate = candidate(among: frame.contacts.span)
    guard candidate.map({ frame.contacts[$0].order }) != current?.order else { return nil }
    let previous = holder
    current = candidate.map { (frame.contacts[$0].id, frame.contacts[$0].order) }
    return Change(holder: candidate.map { frame.contacts[$0] }, previous: previous)
  }

  /// The index of the new heaviest contact; indices are compared, as contacts would be copied.
  private func candidate(among contacts: borrowing Span<Contact>) -> Int? {
    var holding: (index: Int, grams: Double)?
    var heaviest: (index: Int, grams: Double)?
    for index in contacts.indices {
      guard let grams = contacts[index].weight?.grams else { continue }
      if contacts[index].order == current?.order { holding = (index, grams) }
      if let best = heaviest, grams <= best.grams {
        // Equal grams whose errors differ are not a tie.
        guard contacts[index].weight == contacts[best.index].weight,
          contacts[index].order < contacts[best.index].order
        else { continue }
      }
      heaviest = (index, grams)
    }
    guard let holding, let heaviest else { return heaviest?.index }
    let lead = max(Heaviest.marginRatio * holding.grams, Heaviest.marginGrams)
    return heaviest.grams > holding.grams + lead ? heaviest.index : holding.index
  }
}
