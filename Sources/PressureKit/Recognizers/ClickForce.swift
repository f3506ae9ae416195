/// The force at which a pad clicks and the force that a hand clicks with, learned from clicks of one finger.
public struct ClickForce: Hashable, Sendable {
  static let capacity = 25

  static let required = 5

  /// How many twentieths of all clicks are below a usual one.
  static let usualTwentieths = 7

  /// Clicks outside of this range, as ratios of the effective maximum, are ignored: another object causes them.
  static let plausible = 0.03...0.8

  /// The force of the latest clicks in units of the pressure axis, the oldest first.
  package private(set) var values: [Int32] = []

  /// The greatest force of each of these clicks, in the same units.
  package private(set) var peaks: [Int32] = []

  /// Nothing has been learned.
  public init() {}

  /// Continues with clicks that are known already; of too many the last ones count.
  package init(_ values: [Int32], peaks: [Int32] = []) {
    self.values = values.suffix(ClickForce.capacity)
    self.peaks = peaks.suffix(ClickForce.capacity)
  }

  /// The median in units of the pressure axis; nil until there were enough clicks.
  public var raw: Int32? {
    guard values.count >= ClickForce.required else { return nil }
    return values.sorted()[values.count / 2]
  }

  /// The peak of a usual click in the same units; nil until there were enough clicks.
  ///
  /// A third of all are below it: clicks that were pressed harder on purpose are among them.
  var usualPeak: Int32? {
    guard peaks.count >= ClickForce.required else { return nil }
    return peaks.sorted()[peaks.count * ClickForce.usualTwentieths / 20]
  }

  mutating func note(_ contact: Contact) {
    guard let raw = contact.raw, contact.isFinger,
      ClickForce.plausible.contains(contact.force.ratio)
    else { return }
    if values.count == ClickForce.capacity { values.removeFirst() }
    values.append(raw)
  }

  mutating func notePeak(_ raw: Int32) {
    if peaks.count == ClickForce.capacity { peaks.removeFirst() }
    peaks.append(raw)
  }

  /// Whether the same stages follow from both, but for a twentieth.
  package func concludes(as other: ClickForce) -> Bool {
    guard let (mine, its) = usualPeak.flatMap({ mine in other.usualPeak.map { (mine, $0) } }) else {
      return raw == other.raw && usualPeak == other.usualPeak
    }
    return raw == other.raw && abs(Double(mine) - Double(its)) <= abs(Double(its)) / 20
  }
}

extension Surface {
  /// The force of a click in grams, if the device states units per gram but has not clicked.
  private static let assumedClickGrams = 130.0

  /// The force of a click as a ratio, if nothing else is known: the default press point of the first stage.
  private static let assumedClickRatio = 0.3

  /// If the last one would be out of reach, all are lowered in proportion.
  func stages(_ ladder: StageLadder, clicks: ClickForce) -> [PressStage] {
    guard ladder.stages.first?.unit == .click else { return ladder.stages }
    let unit = gramsAreTrue ? PressStage.Unit.grams : .ratio
    let click = click(in: unit, clicks)
    // The area of a contact grows with about the square root of the force.
    let stages =
      capability == .size
      ? ladder.stages.map { $0.mapped(in: .click) { $0.squareRoot() } } : ladder.stages
    let highest = (stages.last?.threshold.press ?? 0) * click
    let reachable = PressLadder.reachable * maximum(in: unit)
    let factor = highest > reachable && reachable > 0 ? click * reachable / highest : click
    return stages.map { $0.mapped(in: unit) { $0 * factor } }
  }

  /// The middle of the forces to which the pad's click can be set, or else the force of a usual click.
  private var assumedClickGrams: Double {
    guard let range = description.descriptor?.clickGrams else {
      return Surface.assumedClickGrams
    }
    return (range.lowerBound + range.upperBound) / 2
  }

  private func click(in unit: PressStage.Unit, _ clicks: ClickForce) -> Double {
    let isGrams = unit == .grams
    guard let pressure, let raw = description.quirk?.clickPressure ?? clicks.raw else {
      return isGrams ? assumedClickGrams : Surface.assumedClickRatio
    }
    let ratio = pressure.force(of: raw).ratio
    let value = isGrams ? calibration?.weight(raw: raw, ratio: ratio).grams ?? 0 : ratio
    return max(value, .leastNormalMagnitude)
  }
}

extension PressStage {
  func mapped(in unit: Unit, by function: (Double) -> Double) -> PressStage {
    PressStage(name: name, threshold: threshold.mapped(by: function), unit: unit)
  }
}
