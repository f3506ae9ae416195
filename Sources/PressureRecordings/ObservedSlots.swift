internal import PressureKit

/// Which slots have contacts, as far as the events show.
struct ObservedSlots {
  var current: Int32 = 0

  /// Slots with any value, with an ID or the end of one, and with a contact that began before the recording.
  private(set) var used: Set<Int32> = []
  private var known: Set<Int32> = []
  private(set) var down: Set<Int32> = []

  /// Slots of which the first frame contains the end of a contact.
  private(set) var endedAtFirst: Set<Int32> = []
  private var isFirstFrame = true

  /// Slots with values in this frame, for which no ID was reported before.
  private var suspects: Set<Int32> = []

  private var hasLost = false
  private var lowestID: Int32?
  private var highestID: Int32 = 0

  /// Whether any contact begins.
  var hasContact: Bool { lowestID != nil }

  mutating func observe(_ event: InputEvent) {
    switch event.code {
    case .slot: current = event.value
    case .dropped: hasLost = true
    case .report:
      isFirstFrame = false
      if !suspects.isEmpty {
        down.formUnion(suspects)
        known.formUnion(suspects)
        suspects = []
      }
    case .trackingID: observe(id: event.value)
    default:
      guard EventCode.isMultitouch(event.code), isInRange else { return }
      used.insert(current)
      if !known.contains(current), !hasLost { suspects.insert(current) }
    }
  }

  private mutating func observe(id: Int32) {
    guard isInRange else { return }
    if id < 0, !known.contains(current), !hasLost {
      if isFirstFrame { endedAtFirst.insert(current) } else { down.insert(current) }
    }
    used.insert(current)
    known.insert(current)
    suspects.remove(current)
    guard id >= 0 else { return }
    lowestID = min(lowestID ?? id, id)
    highestID = max(highestID, id)
  }

  private var isInRange: Bool { (0..<ObservedDevice.mostSlots).contains(current) }

  /// IDs for the contacts that were down already: those before the first, as the kernel counts upwards.
  var unusedIDs: UnusedIDs {
    UnusedIDs(next: (lowestID ?? 1) - 1, above: highestID)
  }
}

/// Tracking IDs that no contact of a recording has.
struct UnusedIDs {
  private var below: Int32
  private var above: Int32

  init(next: Int32, above: Int32) {
    (below, self.above) = (next, above)
  }

  mutating func next() -> Int32 {
    if below >= 0 {
      defer { below -= 1 }
      return below
    }
    above = above == .max ? 0 : above + 1
    return above
  }
}
