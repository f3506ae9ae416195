/// Lets what several fingers do together count once, though each of them is a press.
///
///             the first press that fits fires
///     free ──────────────────────────────────▶ taken ──▶ free again, when the last of its presses ends
///                                               │  ▲
///                                               └──┘ others that fit only join
public struct FireOncePerGroup<Key: Hashable, PressID: Hashable> {
  private var joined: [(key: Key, press: PressID)] = []

  public init() {}

  /// Whether a press fires what a trigger is for; where one finger or any number will do, each does.
  public mutating func admits(_ press: PressID, to key: Key, fingers: Fingers) -> Bool {
    guard fingers.areSeveral else { return true }
    let isFree = !joined.contains { $0.key == key }
    joined.append((key, press))
    return isFree
  }

  /// A press has ended.
  public mutating func release(_ press: PressID) {
    guard !joined.isEmpty else { return }
    joined.removeAll { $0.press == press }
  }
}

extension Fingers {
  /// Whether more than one finger is asked for.
  fileprivate var areSeveral: Bool {
    switch self {
    case .any: false
    case .exactly(let number): number > 1
    }
  }
}
