/// The press of a pad whose surface is its button: it starts when the pad clicks, and ends when the click is released.
///
///           the pad clicks       harder than the hand's usual click
///     idle ───────────────▶ first stage ───────────▶ second stage
///      ▲                     │   ▲                     │      │
///      │                     │   └─────less force──────┘      │
///      └──click released, lifted (ended), palm (cancelled)────┘
///
/// Of the contacts on the pad those have clicked whose force has grown, so that a thumb or a palm that rests does not count; the one that
/// has grown most is the contact of the press. The pad itself decides by the force of all; so does the second stage, where force is
/// measured. Contact area carries too little to decide by one value: there the second stage begins once the area has been
/// greater for long enough that the excess, as a part of the point, adds up to a time. The point grows with the square root of the area at
/// the click, as a finger of which less touches clicks with less area, in part because it also presses less.
struct ClickedPress {
  private struct Click {
    let order: Int
    /// All that have clicked.
    let orders: [Int]
    let rules: TouchRules
    /// The strength of the least force click; nil if too few clicks are known.
    let deepStrength: Double?
    var ladder: PressLadder
    let region: Int?
    let start: Location
    /// A value that no finger reaches.
    let palm: Double
    let began: Timestamp
    /// The value at the click, in units of the pressure axis; on a sensor of contact area that soon after it.
    var reference: Double
    /// The greatest value so far.
    var peak: Double
    /// On a sensor of contact area, the values of the first frames, and for how many microseconds each held.
    var samples: [(value: Double, time: Double)] = []
    var value: Double
    var time: Timestamp
    /// The sum of the excess over time, in microseconds.
    var excess = 0.0
    var isDeep = false
    var hasReachedMaximum = false
    var hasMoved = false
    var isDragged = false

    /// Notes for how long the value has held.
    mutating func sample(until end: Timestamp) {
      guard samples.count < ClickedPress.learnedFrames else { return }
      samples.append((value, Double(end.microseconds(since: time))))
    }
  }

  private var click: Click?

  /// The excess that begins the second stage on a sensor of contact area, in microseconds.
  static let excess = 6_000.0

  /// How long the area follows the force that has clicked, in microseconds: pads filter it.
  static let settling = 15_000.0

  /// How many frames of a click its strength is learned from, on a sensor of contact area.
  static let learnedFrames = 128

  /// The distance in millimeters after which the area of a finger changes because it moves.
  private static let drag = 4.0

  /// On a sensor of contact area, an area beyond this multiple of that of a usual click is a palm.
  static let palm = 1.7

  /// The part of the area at which a stage begins below which it ends.
  static let releaseOfArea = 0.9

  private let size: SurfaceSize
  private let isArea: Bool
  private let sums: Bool
  private let rule: ForceClickRule

  /// A stage ends below this part of its press point.
  private let release: Double

  /// A finger that has moved does not press below this part of the value at the click: hands hold a drag with less force.
  private let releaseOfDrag: Double

  private let minimum: Double
  private let top: Double

  init(on surface: Surface) {
    size = surface.size
    isArea = surface.capability == .size
    sums = !isArea && surface.isPerContact
    rule = isArea ? .area : .force
    release = isArea ? ClickedPress.releaseOfArea : 0.8
    releaseOfDrag = isArea ? 0.8 : 0.65
    minimum = Double(surface.pressure?.axis.minimum ?? 0)
    top = Double(surface.pressure?.axis.maximum ?? 1) - minimum
  }

  /// When the second stage begins although the device sends nothing, as nothing changes; nil if it does not.
  var deadline: Timestamp? {
    guard isArea, let click, !click.isDeep, !click.hasMoved else { return nil }
    let rate = rate(of: click)
    guard rate > 0 else { return nil }
    let rest = (ClickedPress.excess - click.excess) / rate
    // Bounded, as the least excess would take more microseconds than an integer can hold.
    return click.time.advanced(byMicroseconds: Int64(min(max(rest, 0).rounded(.up), 1e12)))
  }

  /// Updates the press with a frame in which, unless it is nil, those contacts clicked.
  mutating func update(
    with frame: Frame, _ clicking: ClickingContacts?, rules: TouchRules,
    clicks: inout ClickForce, into output: inout EventBuffer
  ) {
    if click != nil { follow(frame, &clicks, &output) }
    if let clicking, click == nil { begin(clicking, in: frame, rules, clicks, &output) }
  }

  /// Updates the press between two frames, in which nothing has changed.
  mutating func deadlineReached(
    _ time: Timestamp, in frame: Frame, into output: inout EventBuffer
  ) {
    guard let contact = contact(in: frame) else { return click = nil }
    advance(contact.with(.stationary), in: frame, at: time, &output)
  }

  mutating func cancel(in frame: Frame, at time: Timestamp, into output: inout EventBuffer) {
    if let contact = contact(in: frame) { emit(.cancelled, contact, at: time, &output) }
    click = nil
  }

  func current(in frame: Frame) -> Press? {
    guard let click, let contact = contact(in: frame) else { return nil }
    return press(.started, contact, click, nil)
  }

  /// The contact of the press; nil if it is not on the surface.
  private func contact(in frame: Frame) -> Contact? {
    guard let order = click?.order else { return nil }
    return frame.contacts.first { $0.order == order }
  }

  private mutating func begin(
    _ clicking: ClickingContacts, in frame: Frame, _ rules: TouchRules, _ clicks: ClickForce,
    _ output: inout EventBuffer
  ) {
    let (lead, orders) = (clicking.lead, clicking.orders)
    guard rules.press.fingers.allows(orders.count), let feel = rules.press.feel else { return }
    let value = value(of: lead, orders, in: frame)
    guard value > 0 else { return }
    let point = rule.point(clicks.strengths)
    // The square of a strength is about the greatest area of such a click.
    let palm = isArea ? point.map { $0.usual * $0.usual * ClickedPress.palm } : nil
    guard value <= palm ?? .infinity else { return }
    let strength = point.map { $0.deep * feel.deepFactor(ofArea: isArea) }
    click = Click(
      order: lead.order, orders: orders, rules: rules, deepStrength: strength,
      ladder: ladder(from: value, value, strength, rules.press),
      region: rules.region(at: lead.location), start: lead.location, palm: palm ?? .infinity,
      began: frame.time, reference: value, peak: value, value: value, time: frame.time)
    emit(.started, lead, at: frame.time, &output, crossing: .up)
  }

  /// By what strengths are multiplied to be values of a click with this value soon after it.
  private func scale(_ reference: Double) -> Double { isArea ? reference.squareRoot() : 1 }

  private func ladder(
    from light: Double, _ reference: Double, _ strength: Double?, _ press: PressConfiguration
  ) -> PressLadder {
    let least = max(
      max(reference, light) * rule.bounds.lowerBound, reference + ForceClickRule.leastUnits)
    let first = reference * rule.first * (press.feel?.deepFactor(ofArea: isArea) ?? 1)
    let deep = max(strength.map { $0 * scale(reference) } ?? first, least)
    let names = press.stages.stages.map(\.name)
    let stages = zip(names, [light, deep]).map {
      PressStage($0, knownPress: $1, release: $1 * release, in: .ratio)
    }
    return PressLadder(stages, top: max(top, deep + 1))
  }

  private mutating func follow(
    _ frame: Frame, _ clicks: inout ClickForce, _ output: inout EventBuffer
  ) {
    guard let click else { return }
    if let contact = frame.ended.first(where: { $0.order == click.order }) {
      let state = contact.phase == .cancelled ? Press.State.cancelled : .ended
      emit(state, contact, at: frame.time, &output)
      return end(at: frame.time, clicks: &clicks, isFinger: state == .ended)
    }
    guard let contact = contact(in: frame) else { return self.click = nil }
    guard contact.isFinger else {
      emit(contact.isHovering ? .ended : .cancelled, contact, at: frame.time, &output)
      return end(at: frame.time, clicks: &clicks, isFinger: contact.isHovering)
    }
    // The button may have been released and pressed again between two frames. In a drag the pad releases it where it needs more force
    // than at the start, and clicks again on the way back.
    let isHeld =
      click.isDragged
      && value(of: contact, click.orders, in: frame)
        >= click.ladder.threshold(of: 1).press * releaseOfDrag
    guard frame.isClicked && !frame.hasClicked || isHeld else {
      emit(.ended, contact, at: frame.time, &output)
      return end(at: frame.time, clicks: &clicks, isFinger: true)
    }
    advance(contact, in: frame, at: frame.time, &output)
  }

  /// Moves on to a time and to the values of a frame, and emits what follows.
  private mutating func advance(
    _ contact: Contact, in frame: Frame, at time: Timestamp, _ output: inout EventBuffer
  ) {
    guard var click else { return }
    click.excess += rate(of: click) * Double(time.microseconds(since: click.time))
    if isArea { click.sample(until: time) }
    click.time = time
    click.value = value(of: contact, click.orders, in: frame)
    click.peak = max(click.peak, click.value)
    if isArea, Double(time.microseconds(since: click.began)) <= ClickedPress.settling {
      click.reference = click.value
      let light = click.ladder.threshold(of: 1).press
      click.ladder = ladder(from: light, click.value, click.deepStrength, click.rules.press)
    }
    if !click.hasMoved {
      click.isDragged = size.distance(from: click.start, to: contact.location) > ClickedPress.drag
      click.hasMoved = isArea && (click.isDragged || click.value > click.palm)
    }
    let deep = click.ladder.threshold(of: 2)
    var crossing: Press.Crossing?
    if click.isDeep {
      if click.value < deep.release { (crossing, click.isDeep, click.excess) = (.down, false, 0) }
    } else if isArea
      ? click.excess >= ClickedPress.excess && !click.hasMoved
      : click.value >= deep.press
    {
      (crossing, click.isDeep) = (.up, true)
    }
    let reachesMaximum =
      !click.hasReachedMaximum && contact.force.ratio >= MaximumForce.threshold.press
    if reachesMaximum { click.hasReachedMaximum = true }
    self.click = click
    if crossing != nil { emit(.changed, contact, at: time, &output, crossing: crossing) }
    if reachesMaximum {
      emit(.maximumReached, contact, at: time, &output)
    } else if crossing == nil, contact.phase == .moved, output.wantsPressChanges {
      emit(.changed, contact, at: time, &output)
    }
  }

  private mutating func end(at time: Timestamp, clicks: inout ClickForce, isFinger: Bool) {
    defer { click = nil }
    guard var click, isFinger, click.orders.count == 1, click.peak <= click.palm else { return }
    if isArea { click.sample(until: time) }
    clicks.note(strength: strength(of: click))
  }

  /// The greatest value or, on a sensor of contact area, the highest point that the excess reaches, as a part of `scale`.
  private func strength(of click: Click) -> Double {
    guard isArea else { return click.peak }
    var (sum, time, highest) = (0.0, ClickedPress.excess, 0.0)
    for sample in click.samples.sorted(by: { $0.value > $1.value }) {
      sum += sample.value * sample.time
      time += sample.time
      highest = max(highest, sum / time)
    }
    return highest / scale(click.reference)
  }

  /// The excess of the last value, as a part of the press point of the second stage.
  private func rate(of click: Click) -> Double {
    max(click.value / click.ladder.threshold(of: 2).press - 1, 0)
  }

  /// The force of all that have clicked, above the minimum of the axis; on a sensor that does not add up, that of one.
  private func value(of contact: Contact, _ orders: [Int], in frame: Frame) -> Double {
    guard sums, orders.count > 1 else { return Double(contact.raw ?? 0) - minimum }
    return frame.contacts.reduce(0) { sum, other in
      orders.contains(other.order) ? sum + Double(other.raw ?? 0) - minimum : sum
    }
  }

  @inline(never)
  private func emit(
    _ state: Press.State, _ contact: Contact, at time: Timestamp, _ output: inout EventBuffer,
    crossing: Press.Crossing? = nil
  ) {
    guard let click else { return }
    output.emit(.press(press(state, contact, click, crossing)), at: time)
  }

  private func press(
    _ state: Press.State, _ contact: Contact, _ click: Click, _ crossing: Press.Crossing?
  ) -> Press {
    let level = click.isDeep ? 2 : 1
    return Press(
      contact: contact, state: state, fingers: click.orders.count,
      stage: click.ladder.name(of: level),
      transition: click.ladder.transition(of: click.value, in: level), force: contact.force,
      isSimulated: false, hasClicked: true, crossing: crossing,
      target: click.rules.target(in: click.region, at: contact.location))
  }
}

/// The contacts whose force had grown when the pad clicked.
struct ClickingContacts {
  /// The one that has grown most.
  let lead: Contact
  let orders: [Int]

  /// Whether it is the only one for certain, so that the pad's click is learned from it.
  let isClear: Bool
}
