/// The stages of a press on one surface: thresholds, and the position of a value between them.
struct PressLadder {
  private let stages: [PressStage]
  private let unit: PressStage.Unit

  /// The value at which the first stage begins; infinite without stages.
  private let bottom: Double

  /// The effective maximum, in the unit of the stages.
  private let top: Double

  /// The highest peak that counts for the release, in the unit of the stages.
  let peakLimit: Double

  /// The value below which no motion holds a press.
  ///
  /// It is that of an average touch or, on a sensor of contact area, half the force at the release point: the area of a light touch
  /// differs less from that of a press.
  let leastDragged: Double

  /// Maps the ratio; nil for the identity, and for stages relative to the pad's click, which is a measured force.
  private let curve: ResponseCurve?

  /// The fraction of the maximum within which every stage relative to the pad's click must begin.
  static let reachable = 0.95

  /// The maximum of a simulated press as a multiple of the last stage relative to the pad's click.
  static let simulatedMaximum = 1 / 0.7

  /// Stages of known values in units of the pressure axis, above its minimum.
  init(_ stages: [PressStage], top: Double) {
    (self.stages, unit, self.top) = (stages, .ratio, top)
    bottom = stages.first?.threshold.press ?? .infinity
    (peakLimit, leastDragged, curve) = (0, 0, nil)
  }

  init(_ press: PressConfiguration, on surface: Surface, clicks: ClickForce = ClickForce()) {
    let configured = press.stages(gramsAreTrue: surface.gramsAreTrue)
    stages = surface.measuredStages(press, clicks)
    unit = stages.first?.unit ?? .ratio
    bottom = stages.first?.threshold.press ?? .infinity
    top = surface.maximum(in: unit)
    let full = surface.maximum(in: .grams)
    let limit =
      press.rules.peakLimitGrams
      / (full > 0 ? full : Force.referenceMaximum * Force.referenceGrams)
    let greatest = surface.maximum(in: .force)
    let touch = 1 / (greatest > 0 ? greatest : Force.referenceMaximum)
    let isPlacedByClick = configured.stages.first?.unit == .click
    let usesCurve = !press.curve.points.isEmpty && unit != .grams && !isPlacedByClick
    curve = usesCurve ? press.curve : nil
    peakLimit = top * (limit < 1 ? curve?.output(of: limit) ?? limit : limit)
    let averageTouch = top * (curve?.output(of: touch) ?? touch)
    let release = stages.first?.threshold.release ?? 0
    leastDragged =
      surface.capability == .size ? max(averageTouch, release * 0.5.squareRoot()) : averageTouch
  }

  /// The stages for a simulated press, whose first stage begins with the ramp.
  ///
  /// Stages in grams are taken as those of the phone that defines the unit of force. A stage above its maximum is
  /// entered at the maximum nevertheless: no stage may require a force sensor.
  init(simulated press: PressConfiguration) {
    var stages = press.stages.stages
    unit = stages.first?.unit ?? .ratio
    let full: Double =
      switch unit {
      case .ratio: 1
      case .force: Force.referenceMaximum
      case .grams: Force.referenceMaximum * Force.referenceGrams
      case .click: (stages.last?.threshold.press ?? 1) * PressLadder.simulatedMaximum
      }
    top = max(full, stages.last?.threshold.press ?? full)
    bottom = stages.isEmpty ? .infinity : HoldRamp.firstRatio * top
    if !stages.isEmpty { stages[0].threshold = Threshold(knownPress: bottom, release: 0) }
    self.stages = stages
    // No force is released before the contact is; the curve applies to measured ratios only.
    (peakLimit, leastDragged, curve) = (0, 0, nil)
  }

  var stageCount: Int { stages.count }

  /// The thresholds of a stage; the first is 1.
  func threshold(of level: Int) -> Threshold { stages[level - 1].threshold }

  func name(of level: Int) -> String { stages[level - 1].name }

  func isReached(by value: Double) -> Bool { value >= bottom }

  /// The position of a value between stages, −1…1; see `Press.transition`.
  func transition(of value: Double, in level: Int) -> Double {
    let start = level == 1 ? bottom : threshold(of: level).press
    let next = level < stageCount ? threshold(of: level + 1).press : top
    if value >= start { return value < next ? (value - start) / (next - start) : 1 }
    let release = threshold(of: level).release
    return value > release ? (value - start) / (start - release) : -1
  }

  /// If several contacts share a sensor, the pressing contact has the whole weight.
  func value(of contact: Contact, in frame: Frame) -> Double {
    switch unit {
    case .ratio, .click: curve?.output(of: contact.force.ratio) ?? contact.force.ratio
    case .force:
      curve.map { $0.output(of: contact.force.ratio) * contact.force.maximumPossible }
        ?? contact.force.value
    case .grams: (frame.sharesSensor ? frame.total : contact.weight)?.grams ?? 0
    }
  }

  func value(ofSimulated ratio: Double) -> Double { ratio * top }
}

extension Surface {
  /// Whether the device states units per gram; a calibration improves them but does not change the stages.
  ///
  /// A touchpad with only a calibration keeps stages in ratios: 400 g may exceed the range of its sensor.
  package var gramsAreTrue: Bool {
    switch weightSource {
    case .kernel, .descriptor: true
    case .calibrated: pressure?.unitsPerGram != nil
    case .nominal, .none: false
    }
  }

  /// The effective maximum in a unit; 0 if the device does not measure pressure.
  func maximum(in unit: PressStage.Unit) -> Double {
    guard let pressure else { return 0 }
    switch unit {
    case .ratio, .click: return 1
    case .force: return pressure.maximumPossibleForce
    case .grams: return calibration?.weight(raw: pressure.effectiveMaximum, ratio: 1).grams ?? 0
    }
  }
}
