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
  /// The lead of another holder: the greater of a fraction of the holder's weight and of these grams.
  static let marginRatio = 0.03
  static let marginGrams = 2.0

  private var current: (id: TrackingID, order: Int)?
  var holder: TrackingID? { current?.id }

  /// Evaluates a frame; returns nil if the heaviest contact stays the same.
  mutating func update(with frame: Frame) -> (holder: Contact?, previous: TrackingID?)? {
    let candidate = candidate(among: frame.contacts.span)
    guard candidate.map({ frame.contacts[$0].order }) != current?.order else { return nil }
    let previous = holder
    current = candidate.map { (frame.contacts[$0].id, frame.contacts[$0].order) }
    return (candidate.map { frame.contacts[$0] }, previous)
  }

  /// The index of the new heaviest contact; indices are compared, as contacts would be copied.
  private func candidate(among contacts: borrowing Span<Contact>) -> Int? {
    var (holding, heaviest) = (Int?.none, Int?.none)
    var (held, most) = (0.0, -Double.infinity)
    for index in contacts.indices {
      guard let grams = contacts[index].weight?.grams else { continue }
      if contacts[index].order == current?.order { (holding, held) = (index, grams) }
      if grams < most { continue }
      // Equal grams whose errors differ are not a tie.
      if let best = heaviest, grams == most,
        contacts[index].weight != contacts[best].weight
          || contacts[index].order > contacts[best].order
      {
        continue
      }
      (heaviest, most) = (index, grams)
    }
    guard let holding else { return heaviest }
    let lead = max(Heaviest.marginRatio * held, Heaviest.marginGrams)
    return most > held + lead ? heaviest : holding
  }
}
