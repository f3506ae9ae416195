/// The force at which a pad clicks and how hard a hand clicks, learned from clicks of one finger; on a sensor of contact area that has
/// not clicked, how hard the hand touches.
public struct ClickForce: Hashable, Sendable {
  static let capacity = 25

  /// How many strengths are kept: a hand makes fewer force clicks than clicks.
  static let strengthCapacity = 50

  static let required = 5

  /// Clicks outside of this range, as ratios of the effective maximum, are ignored: another object causes them.
  static let plausible = 0.03...0.8

  /// The force of the latest clicks in units of the pressure axis, the oldest first.
  package private(set) var values: [Int32] = []

  /// How hard each of the latest clicks or touches was, the oldest first; see `ForceClickRule` and `TouchRule`.
  package private(set) var strengths: [Double] = []

  /// Nothing has been learned.
  public init() {}

  /// Continues with clicks that are known already; of too many the last ones count.
  package init(_ values: [Int32], strengths: [Double] = []) {
    self.values = values.suffix(ClickForce.capacity)
    self.strengths = strengths.suffix(ClickForce.strengthCapacity)
  }

  /// The median in units of the pressure axis; nil until there were enough clicks.
  public var raw: Int32? {
    guard values.count >= ClickForce.required else { return nil }
    return values.sorted()[values.count / 2]
  }

  mutating func note(_ contact: Contact) {
    guard let raw = contact.raw, contact.isFinger,
      ClickForce.plausible.contains(contact.force.ratio)
    else { return }
    // Those so far are of touches.
    if values.isEmpty { strengths = [] }
    if values.count == ClickForce.capacity { values.removeFirst() }
    values.append(raw)
  }

  mutating func note(strength: Double) {
    if strengths.count == ClickForce.strengthCapacity { strengths.removeFirst() }
    // Shorter in the file in which they are kept.
    strengths.append((strength * 1000).rounded() / 1000)
  }

  /// Whether stages follow from it.
  var isKnown: Bool {
    values.count >= ClickForce.required || strengths.count >= ClickForce.required
  }

  /// Whether the same stages follow from both, but for a twentieth.
  package func concludes(as other: ClickForce) -> Bool {
    let points = [strengths, other.strengths].map { ForceClickRule.force.point($0)?.deep }
    guard let mine = points[0], let its = points[1] else {
      return raw == other.raw && points == [nil, nil]
    }
    return raw == other.raw && abs(mine - its) <= its / 20
  }
}

/// Distinguishes force clicks from clicks by the strengths of the hand's latest ones.
///
/// These are two groups, around a usual click and a usual force click. A force click begins at a part of the way from the mean of the one
/// to that of the other, which in turn decides which clicks are in which group. Until there are many force clicks, an expected one counts
/// among them.
struct ForceClickRule {
  /// The part of the way from a click to a force click.
  let between: Double

  /// An expected force click as a multiple of a click, and as how many force clicks it counts.
  let expected: Double
  let weight: Double

  /// The least and the greatest multiple of a usual click.
  let bounds: ClosedRange<Double>

  /// The multiple of the value at the click itself that is a force click before enough clicks are known.
  let first: Double

  static let force = ForceClickRule(
    between: 0.47, expected: 1.8, weight: 4, bounds: 1.3...1.9, first: 2.175)

  /// For contact area, which grows little with the force.
  static let area = ForceClickRule(
    between: 0.6, expected: 1.25, weight: 2, bounds: 1.06...1.27, first: 1.23)

  /// The least distance of a force click from the value at the click, in units of the axis: on an axis of few levels less is noise.
  static let leastUnits = 0.85

  /// How often the groups are divided again; they hardly change after that.
  static let rounds = 6

  /// The strength of a usual click, and that of the least force click; nil until there were enough clicks.
  func point(_ strengths: [Double]) -> (usual: Double, deep: Double)? {
    guard strengths.count >= ClickForce.required else { return nil }
    let sorted = strengths.sorted()
    // Not the median, as many of them may be force clicks.
    let usual = sorted[sorted.count / 4]
    let (least, greatest) = (usual * bounds.lowerBound, usual * bounds.upperBound)
    var deep = (least + greatest) / 2
    for _ in 0..<ForceClickRule.rounds {
      let clicks = sorted.prefix { $0 < deep }
      let harder = sorted[clicks.count...]
      let click = clicks.reduce(0, +) / Double(max(clicks.count, 1))
      let forceClick =
        (harder.reduce(0, +) + weight * expected * click) / (Double(harder.count) + weight)
      deep = min(max(click + (forceClick - click) * between, least), greatest)
    }
    return (usual, deep)
  }
}

/// Distinguishes presses from touches on a sensor of contact area that has not clicked, by the peaks of the hand's latest touches.
///
/// A hard press is a multiple of the usual touch, and a light one half way to it. Of touches that are hard presses only one of some
/// is learned: so a hand that presses hard time and again still can, and one whose touches exceed the first values becomes known.
struct TouchRule {
  /// The median of the peaks, in units of the pressure axis above its minimum; nil until enough touches are known.
  let usual: Double?

  /// The effective maximum in these units.
  let top: Double

  /// Whether that is the end of a declared range, and not the greatest value so far.
  let isDeclared: Bool

  private static let multiple = 1.75

  /// The least distance of a hard press from the usual touch, in units of the axis: less is noise.
  private static let leastUnits = 2.0

  /// The middle between a normal and a very heavy finger in the scale of the manufacturer of most such pads, 80 and 110 of 255.
  private static let first = 95.0 / 255

  private static let firstLight = 0.3

  /// Of how many hard presses one is learned.
  static let learnedPart = 8

  /// Whether a touch with this peak is a hard press; unknown, and so false, without a range or known touches.
  func isHard(_ peak: Double) -> Bool { (usual != nil || isDeclared) && peak >= hard }

  private var hard: Double {
    usual.map { max($0 * TouchRule.multiple, $0 + TouchRule.leastUnits) } ?? top * TouchRule.first
  }

  /// The stages as ratios, of which the last one is within a declared range; with another feel presses are this factor as large.
  func stages(_ names: [String], factor: Double) -> [PressStage] {
    let reachable = isDeclared ? PressLadder.reachable : .infinity
    let hard = min(hard * factor / top, reachable)
    let light = usual.map { ($0 / top + hard) / 2 } ?? TouchRule.firstLight * factor
    return zip(names, [min(light, hard * ClickedPress.releaseOfArea), hard]).map {
      PressStage($0, knownPress: $1, release: $1 * ClickedPress.releaseOfArea, in: .ratio)
    }
  }
}

extension Surface {
  /// What distinguishes presses from touches, if there is no click to compare them with.
  func touchRule(_ touches: ClickForce) -> TouchRule? {
    guard capability == .size, touches.values.isEmpty, description.quirk?.clickPressure == nil,
      let pressure
    else { return nil }
    let peaks = touches.strengths.sorted()
    return TouchRule(
      usual: peaks.count >= ClickForce.required ? peaks[peaks.count / 2] : nil,
      top: Double(pressure.effectiveMaximum) - Double(pressure.axis.minimum),
      isDeclared: !pressure.isInferred && evidence.usedMaximum == nil)
  }

  /// The force of a click in grams, if the device states units per gram but has not clicked.
  private static let assumedClickGrams = 130.0

  /// The force of a click as a ratio, if nothing else is known: the default press point of the first stage.
  private static let assumedClickRatio = 0.3

  /// If the last one would be out of reach, all are lowered in proportion.
  func measuredStages(_ press: PressConfiguration, _ clicks: ClickForce) -> [PressStage] {
    let ladder = press.stages(gramsAreTrue: gramsAreTrue)
    guard ladder.stages.first?.unit == .click else { return ladder.stages }
    if press.followsClicks, let feel = press.feel, let rule = touchRule(clicks) {
      return rule.stages(
        ladder.stages.map(\.name), factor: feel.deepFactor(ofArea: false).squareRoot())
    }
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

  private func click(in unit: PressStage.Unit, _ clicks: ClickForce) -> Double {
    let isGrams = unit == .grams
    guard let pressure, let raw = description.quirk?.clickPressure ?? clicks.raw else {
      guard isGrams else { return Surface.assumedClickRatio }
      // The middle of the forces to which the pad's click can be set, or else that of a usual click.
      return description.descriptor?.clickGrams.map { ($0.lowerBound + $0.upperBound) / 2 }
        ?? Surface.assumedClickGrams
    }
    let value = isGrams ? grams(of: raw) ?? 0 : pressure.force(of: raw).ratio
    return max(value, .leastNormalMagnitude)
  }
}

extension PressStage {
  func mapped(in unit: Unit, by function: (Double) -> Double) -> PressStage {
    PressStage(name: name, threshold: threshold.mapped(by: function), unit: unit)
  }
}
