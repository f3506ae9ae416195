import PressureKit

/// What must hold for the events of every recording, whatever its format.
struct EventCheck {
  /// Far more than any device sends, and little enough to be kept by whoever gathers a frame.
  static let longestFrame = 65_536

  private let lastSlot: Int32?
  private var latest = Timestamp(microseconds: .min)
  private var eventsInFrame = 0

  init(_ description: DeviceDescription) {
    lastSlot = description.axis(.slot)?.maximum
  }

  /// Why the event cannot follow those before it, nil where it can.
  mutating func objection(to event: InputEvent) -> String? {
    if event.time < latest { return "the time runs backwards" }
    latest = event.time
    eventsInFrame = event.code == .report ? 0 : eventsInFrame + 1
    if eventsInFrame > EventCheck.longestFrame {
      return "\(EventCheck.longestFrame) events came without a SYN_REPORT"
    }
    if event.code == .slot { return objection(toSlot: event.value) }
    return nil
  }

  /// Why there cannot be such a slot, nil where there can.
  func objection(toSlot slot: Int32) -> String? {
    guard let lastSlot, slot < 0 || slot > lastSlot else { return nil }
    return "the slot \(slot) is not within 0 to \(lastSlot)"
  }
}
