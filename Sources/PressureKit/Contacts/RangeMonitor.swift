/// Monitors how much of its declared range a pressure axis uses.
///
/// An axis that stays at its minimum through five complete contacts is stuck, until the first higher value; so is one whose
/// highest value is the same in twenty successive contacts, until the first other one. An axis
/// that stays within an eighth of its effective maximum through twenty contacts declares a range that it does not
/// use: one known pad declares 0 to 255 and uses 1 to 16.
///
/// An axis with a negative minimum is never reported as stuck.
struct RangeMonitor {
  private static let stuckAfterContacts = 5
  private static let narrowAfterContacts = 20
  private static let narrowPart = 8.0

  private let minimum: Int32

  private let isEnabled: Bool
  private var greatest: Int32
  private var completedContacts = 0

  /// The highest force of the last contact, and of how many contacts before it was the same.
  private var lastPeak = 0.0
  private var equalPeaks = 0

  /// The force at the effective maximum.
  private let full: Double

  /// Monitors nothing if there is no axis or its range is empty.
  ///
  /// A known stuck state is restored.
  init(_ pressure: PressureAxis?, isStuck: Bool = false) {
    isEnabled = !(pressure?.isBroken ?? true)
    minimum = pressure?.axis.minimum ?? 0
    full = pressure?.maximumPossibleForce ?? 0
    // Values that the kernel has not sent yet are 0, which is a pressure if the minimum is negative.
    greatest = max(minimum, 0)
    if isStuck { completedContacts = RangeMonitor.stuckAfterContacts }
  }

  var isStuck: Bool {
    isEnabled
      && (greatest <= minimum && completedContacts >= RangeMonitor.stuckAfterContacts
        || equalPeaks >= RangeMonitor.narrowAfterContacts)
  }

  /// Many contacts may reach the end of the range.
  private func isEnd(_ peak: Double) -> Bool { peak >= full }

  /// The highest value so far, if it is far below the effective maximum.
  ///
  /// If units per gram are stated, an unused range proves nothing: no finger presses with 6 kg.
  func narrowMaximum(of pressure: PressureAxis?) -> Int32? {
    guard isEnabled, completedContacts >= RangeMonitor.narrowAfterContacts, greatest > minimum,
      let pressure, pressure.unitsPerGram == nil, pressure.hasOwnRange
    else { return nil }
    let full = Double(pressure.effectiveMaximum) - Double(minimum)
    let used = Double(greatest) - Double(minimum)
    return used * RangeMonitor.narrowPart < full ? greatest : nil
  }

  /// The highest value so far, if the declared range is not believed.
  func usedMaximum(of pressure: PressureAxis?) -> Int32? {
    guard isEnabled, completedContacts >= RangeMonitor.narrowAfterContacts, greatest > minimum,
      let pressure, !pressure.hasOwnRange
    else { return nil }
    return greatest
  }

  mutating func update(with raw: Int32) {
    greatest = max(greatest, raw)
  }

  /// Counts a contact that has ended, with its highest ratio.
  mutating func countCompletedContact(peak: Double) {
    completedContacts += 1
    equalPeaks = peak == lastPeak && peak > 0 && !isEnd(peak) ? equalPeaks + 1 : 0
    lastPeak = peak
  }
}
