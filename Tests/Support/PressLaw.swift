internal import PressureKit

/// What the documentation promises of the presses of one contact, computed without the recognizer's code.
struct PressLaw {
  /// How long after a finger has stopped its drag still holds a press, in microseconds.
  private static let dragPause: Int64 = 500_000

  let fingers: Fingers
  let rules: PressRules

  /// The names of the stages, in order.
  let names: [String]

  let isSimulated: Bool

  /// The age of a contact from which it may press, in microseconds.
  let settling: Int64

  /// The value below which no motion holds a press, and the highest peak that counts.
  let leastDragged: Double
  private let peakLimit: Double

  private let stages: [PressStage]
  private let unit: PressStage.Unit

  /// Whether values are those of the events: not mapped by a curve, and not relative to a click.
  private let isKnown: Bool

  /// Whether all contacts share a sensor, so that an event has only a part of the value in grams.
  private let isShared: Bool

  init(_ press: PressConfiguration, on surface: Surface) {
    (fingers, rules) = (press.fingers, press.rules)
    stages = press.stages(gramsAreTrue: surface.gramsAreTrue).stages
    names = stages.map(\.name)
    (isSimulated, isShared) = (surface.simulatesPress, !surface.isPerContact)
    let isOfArea = surface.capability == .size
    settling =
      isOfArea && surface.description.has(.toolType) ? rules.settling : 0
    let first = stages.first
    isKnown = first.map { $0.unit != .click } ?? false && press.curve.points.isEmpty
    let greatest = surface.pressure?.maximumPossibleForce ?? 0
    let grams = surface.grams(ofForce: greatest) ?? 0
    let known = first?.unit ?? .ratio
    unit = known == .click ? (surface.gramsAreTrue ? .grams : .ratio) : known
    let top: Double =
      switch unit {
      case .ratio, .click: 1
      case .force: greatest
      case .grams: grams
      }
    peakLimit =
      top * rules.peakLimitGrams
      / (grams > 0 ? grams : Force.referenceMaximum * Force.referenceGrams)
    let touch = top / (greatest > 0 ? greatest : Force.referenceMaximum)
    let release = first?.threshold.release ?? 0
    leastDragged = isOfArea ? max(touch, release * 0.5.squareRoot()) : touch
  }

  /// The thresholds of the first stage; nil if they are unknown.
  var first: Threshold? { threshold(of: 0) }

  /// The thresholds of a stage, of which the first is 0; nil if they are unknown.
  func threshold(of stage: Int) -> Threshold? {
    isKnown && stages.indices.contains(stage) ? stages[stage].threshold : nil
  }

  /// Whether a finger alone with a value presses.
  func mustStart(_ value: Double) -> Bool {
    fingers.allows(1) && first.map { value >= $0.press } ?? false
  }

  /// The value in the unit of the stages; nil if it is unknown.
  func value(of press: Press) -> Double? {
    isKnown && !(isShared && unit == .grams) ? value(press.force, press.contact.weight) : nil
  }

  func value(of contact: Contact, in report: WeightReport) -> Double? {
    isKnown ? value(contact.force, report.sharesSensor ? report.total : contact.weight) : nil
  }

  func value(of contact: Contact, in frame: Frame) -> Double? {
    isKnown ? value(contact.force, frame.sharesSensor ? frame.total : contact.weight) : nil
  }

  private func value(_ force: Force, _ weight: Weight?) -> Double? {
    switch unit {
    case .ratio, .click: force.ratio
    case .force: force.value
    case .grams: weight?.grams
    }
  }

  /// The release point of a press with a peak; 0 if it is unknown.
  func point(afterPeak peak: Double) -> Double {
    max(first?.release ?? 0, min(peak, peakLimit) * rules.peakRelease)
  }

  /// A value below this releases at any speed.
  var certainRelease: Double { min(leastDragged, first?.release ?? 0) }

  func releaseFactor(at speed: Double) -> Double {
    guard rules.dragMillimetersPerSecond > 0 else { return 1 }
    let part = speed / rules.dragMillimetersPerSecond
    return max(1 - part * part, 0.1)
  }

  /// Whether a drag still holds a press.
  func isHeld(_ drag: Timestamp, at time: Timestamp) -> Bool {
    time.microseconds(since: drag) < PressLaw.dragPause
  }

  func quietEnd(after gesture: Timestamp) -> Timestamp {
    gesture.advanced(byMicroseconds: rules.quiet)
  }
}
