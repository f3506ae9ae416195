/// Watches how much of its range a pressure axis uses.
///
/// An axis that has stayed at its minimum through five whole contacts is stuck, until the first value
/// above. One that has not come above an eighth of what counts as full through twenty declares more
/// than it can say: among real pads there is one of 0 to 255 that uses 1 to 16.
///
/// An axis whose minimum is negative is never taken for stuck.
struct RangeMonitor {
  private static let enoughToBeStuck = 5
  private static let enoughToBeNarrow = 20
  private static let narrowPart = 8.0

  private let minimum: Int32

  private let watches: Bool
  private var greatest: Int32
  private var wholeContacts = 0

  /// Watches nothing where there is no axis, or one without a range; what was found stuck stays so.
  init(_ pressure: PressureAxis?, isStuck: Bool = false) {
    watches = !(pressure?.isBroken ?? true)
    minimum = pressure?.axis.minimum ?? 0
    // What the kernel has not told is 0, which is a pressure where the minimum lies below.
    greatest = max(minimum, 0)
    if isStuck { wholeContacts = RangeMonitor.enoughToBeStuck }
  }

  var isStuck: Bool {
    watches && greatest <= minimum && wholeContacts >= RangeMonitor.enoughToBeStuck
  }

  /// The greatest value so far, where that is far below what counts as full.
  ///
  /// Where units are stated a range is no promise: nobody presses a pad with 6 kg.
  func narrowMaximum(of pressure: PressureAxis?) -> Int32? {
    guard watches, wholeContacts >= RangeMonitor.enoughToBeNarrow, greatest > minimum,
      let pressure, pressure.axis.resolution <= 0
    else { return nil }
    let full = Double(pressure.effectiveMaximum) - Double(minimum)
    let used = Double(greatest) - Double(minimum)
    return used * RangeMonitor.narrowPart < full ? greatest : nil
  }

  mutating func see(_ raw: Int32) {
    greatest = max(greatest, raw)
  }

  mutating func countWhole() {
    wholeContacts += 1
  }
}
