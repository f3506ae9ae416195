/// The stages of a press on one surface: their thresholds, and how far a value is between them.
struct PressLadder {
  private let stages: [PressStage]
  private let unit: PressStage.Unit

  /// Where the first stage begins.
  private let bottom: Double

  /// The effective maximum, in the unit of the stages.
  private let top: Double

  /// How a ratio counts, unless it counts as what it is.
  private let curve: ResponseCurve?

  /// The stages for what the surface itself feels.
  init(_ press: PressConfiguration, on surface: Surface) {
    stages = press.stages(gramsAreTrue: surface.gramsAreTrue).stages
    unit = stages.first?.unit ?? .ratio
    bottom = stages.first?.threshold.press ?? 0
    top = surface.maximum(in: unit)
    curve = press.curve.points.isEmpty ? nil : press.curve
  }

  /// The stages for a press that is made up: it starts at a ratio, whatever the first stage's press point.
  ///
  /// Where stages are in grams they are taken to be those of the phone that the force's unit is from. A
  /// stage that is beyond it is reached at the full all the same: nothing is to be possible by force alone.
  init(simulated press: PressConfiguration, from ratio: Double) {
    stages = press.stages.stages
    unit = stages.first?.unit ?? .ratio
    let full: Double =
      switch unit {
      case .ratio: 1
      case .force: Force.referenceMaximum
      case .grams: Force.referenceMaximum * Force.referenceGrams
      }
    top = max(full, stages.last?.threshold.press ?? full)
    bottom = ratio * top
    // A ratio that time makes is not measured.
    curve = nil
  }

  /// How many stages there are.
  var stageCount: Int { stages.count }

  /// The thresholds of a stage, 1 for the first.
  func threshold(of level: Int) -> Threshold { stages[level - 1].threshold }

  /// The name of a stage, 1 for the first.
  func name(of level: Int) -> String { stages[level - 1].name }

  /// Whether a value is enough to start a press.
  func isReached(by value: Double) -> Bool {
    stages.first.map { value >= $0.threshold.press } ?? false
  }

  /// How far a value is from one stage to the next, −1…1, as `Press.transition` has it.
  func transition(of value: Double, in level: Int) -> Double {
    let start = level == 1 ? bottom : threshold(of: level).press
    let next = level < stageCount ? threshold(of: level + 1).press : top
    if value >= start { return value < next ? (value - start) / (next - start) : 1 }
    let release = threshold(of: level).release
    return value > release ? (value - start) / (start - release) : -1
  }
}

extension PressLadder {
  /// What a contact presses with, in the unit of the stages.
  ///
  /// On a sensor that several contacts share, the one that presses does so with all of its grams.
  func value(of contact: Contact, in frame: Frame) -> Double {
    switch unit {
    case .ratio: curve?.output(of: contact.force.ratio) ?? contact.force.ratio
    case .force:
      curve.map { $0.output(of: contact.force.ratio) * contact.force.maximumPossible }
        ?? contact.force.value
    case .grams: (frame.sharesSensor ? frame.total : contact.weight)?.grams ?? 0
    }
  }

  /// What a ratio that is made up comes to, in the unit of the stages.
  func value(ofSimulated ratio: Double) -> Double { ratio * top }
}

extension Surface {
  /// Whether it states its grams itself; known weights make them better, and no other stages.
  ///
  /// A pad that was only calibrated keeps its ratios: 400 g may be more than its sensor can say.
  var gramsAreTrue: Bool {
    switch weightSource {
    case .kernel: true
    case .calibrated: (pressure?.axis.resolution ?? 0) > 0
    case .nominal, .none: false
    }
  }

  /// Its effective maximum; 0 where it feels no pressure.
  fileprivate func maximum(in unit: PressStage.Unit) -> Double {
    guard let pressure else { return 0 }
    switch unit {
    case .ratio: return 1
    case .force: return pressure.maximumPossibleForce
    case .grams: return calibration?.weight(raw: pressure.effectiveMaximum, ratio: 1).grams ?? 0
    }
  }
}

/// On which stage a press stands, and how it gets to another: one at a time, none skipped.
///
///              v ≥ press of 1             v ≥ press of 2
///     ground ──────started────▶ stage 1 ──────changed────▶ stage 2 ──▶ …
///        ▲                      │     ▲                        │
///        └─ended: v < release 1─┘     └─changed: v < release 2─┘
///
/// As each stage's press point lies above its release point, and no stage's points lie below those of
/// the stage under it, one value moves a press in one direction only.
struct StageTracker {
  /// 0 on the ground, 1 on the first stage.
  private(set) var level = 0

  /// The stage that there is to speak of: what has fallen to the ground has left the first one.
  var reportedLevel: Int { max(level, 1) }

  /// Takes one step towards a value, and says what that is; nil where it stands right.
  mutating func step(towards value: Double, on ladder: PressLadder) -> Press.State? {
    if stepUp(towards: value, on: ladder) { return level == 1 ? .started : .changed }
    if stepDown(towards: value, on: ladder) { return level == 0 ? .ended : .changed }
    return nil
  }

  /// Takes one step up, if the value is enough for it.
  mutating func stepUp(towards value: Double, on ladder: PressLadder) -> Bool {
    guard level < ladder.stageCount, value >= ladder.threshold(of: level + 1).press else {
      return false
    }
    level += 1
    return true
  }

  private mutating func stepDown(towards value: Double, on ladder: PressLadder) -> Bool {
    guard level > 0, value < ladder.threshold(of: level).release else { return false }
    level -= 1
    return true
  }

  /// Stands on the first stage, whatever its press point.
  mutating func enterFirstStage() {
    level = 1
  }
}
