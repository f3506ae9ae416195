/// Monitors how much of its declared range a pressure axis uses.
///
/// An axis that stays at its minimum through five complete contacts is stuck, until the first higher value; so is one
/// whose value is the same throughout twenty-one successive contacts, until three contacts differ. An axis
/// that stays within an eighth of its effective maximum through twenty contacts declares a range that it does not
/// use: one known pad declares 0 to 255 and uses 1 to 16.
///
/// An axis with a negative minimum is never reported as stuck.
struct RangeMonitor {
  private static let stuckAfterContacts = 5
  private static let narrowAfterContacts = 20
  private static let narrowPart = 8.0
  private static let constantAfterContacts = 20
  private static let requiredDifferences = 3

  /// How far the highest value must be above the mean of contacts to be that of a hard press.
  private static let spread = 3.0

  private let minimum: Int32

  private let isEnabled: Bool
  private var greatest: Int32
  private var completedContacts = 0

  /// The lowest and the highest value above the minimum since the last contact that was completed.
  private var lowest = Int32.max
  private var highest = Int32.min

  /// The last value, how many contacts had no other one, and how many had since then.
  private var constant = Int32.min
  private var equalContacts = 0
  private var differences = 0

  /// The sum of the highest values of all contacts, from the minimum on.
  private var peaks = 0.0

  /// Whether contacts have been light and hard.
  private var isSpread = false
  private let full: Double

  /// Monitors nothing if there is no axis or its range is empty.
  init(_ pressure: PressureAxis?, isStuck: Bool = false, isConstant: Bool = false) {
    isEnabled = !(pressure?.isBroken ?? true)
    minimum = pressure?.axis.minimum ?? 0
    full = pressure?.maximumPossibleForce ?? 0
    // Values that the kernel has not sent yet are 0, which is a pressure if the minimum is negative.
    greatest = max(minimum, 0)
    if isConstant {
      equalContacts = RangeMonitor.constantAfterContacts
    } else if isStuck {
      completedContacts = RangeMonitor.stuckAfterContacts
    }
  }

  var isStuck: Bool {
    isEnabled
      && (greatest <= minimum && completedContacts >= RangeMonitor.stuckAfterContacts || isConstant)
  }

  var isConstant: Bool { equalContacts >= RangeMonitor.constantAfterContacts }

  /// If units per gram are stated, an unused range proves nothing: no finger presses with 6 kg.
  func narrowMaximum(of pressure: PressureAxis?) -> Int32? {
    guard isEnabled, completedContacts >= RangeMonitor.narrowAfterContacts, greatest > minimum,
      let pressure, pressure.unitsPerGram == nil, pressure.hasOwnRange
    else { return nil }
    let full = Double(pressure.effectiveMaximum) - Double(minimum)
    let used = Double(greatest) - Double(minimum)
    return used * RangeMonitor.narrowPart < full ? greatest : nil
  }

  /// If all contacts were light, it is at least an eighth of the declared range, so that they do not count as hard presses.
  func usedMaximum(of pressure: PressureAxis?) -> Int32? {
    guard isEnabled, completedContacts >= RangeMonitor.narrowAfterContacts, greatest > minimum,
      let pressure, !pressure.hasOwnRange
    else { return nil }
    guard !isSpread else { return greatest }
    let part = Int32(clamping: Int64(Double(pressure.axis.span) / RangeMonitor.narrowPart))
    return max(greatest, Int32(clamping: Int64(minimum) + Int64(part)))
  }

  mutating func update(with raw: Int32) {
    greatest = max(greatest, raw)
    guard raw > minimum else { return }
    lowest = min(lowest, raw)
    highest = max(highest, raw)
  }

  /// Counts a contact that has ended, with its highest force.
  mutating func countCompletedContact(peak: Double) {
    completedContacts += 1
    // The kernel sends only changes: without a value, it is still the last one.
    let isEqual = lowest == .max || lowest == highest && lowest == constant
    if lowest != .max { constant = highest }
    (lowest, highest) = (.max, .min)
    if constant > minimum { peaks += Double(constant) - Double(minimum) }
    if Double(greatest) - Double(minimum) >= RangeMonitor.spread * peaks / Double(completedContacts)
    {
      isSpread = true
    }
    // Many contacts may reach the end of the range.
    if isEqual, peak > 0, peak < full {
      equalContacts += 1
      differences = 0
    } else {
      differences += 1
      if !isConstant || differences >= RangeMonitor.requiredDifferences { equalContacts = 0 }
    }
  }
}
