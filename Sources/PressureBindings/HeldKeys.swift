internal import PressureKit

/// Who holds which key: two presses may hold one, and it goes up with the last of them.
struct HeldKeys {
  private var holders: [EventCode: Int] = [:]

  /// The keys that are down.
  var down: Set<EventCode> { Set(holders.keys) }

  /// One more holds a key; true where it was up.
  mutating func press(_ key: EventCode) -> Bool {
    holders[key, default: 0] += 1
    return holders[key] == 1
  }

  /// One less holds a key; true where that was the last.
  mutating func release(_ key: EventCode) -> Bool {
    guard let count = holders[key] else { return false }
    holders[key] = count > 1 ? count - 1 : nil
    return count == 1
  }
}
