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
/// greater for long enough that the excess, as a part of the usual area, adds up to a time.
struct ClickedPress {
  private struct Click {
    let order: Int
    /// All that have clicked.
    let orders: [Int]
    let rules: TouchRules
    let ladder: PressLadder
    let region: Int?
    let start: Location
    /// A value that no finger reaches.
    let palm: Double
    /// The greatest value so far, in units of the pressure axis.
    var peak: Double
    var value: Double
    var time: Timestamp
    /// The sum of the excess over time, in microseconds.
    var excess = 0.0
    var isDeep = false
    var hasReachedMaximum = false
    var hasMoved = false
    var isDragged = false

    /// Whether a finger has moved and still presses: where the pad needs more force than at the start it releases its button.
    var isDraggedPress: Bool { isDragged && value >= ladder.threshold(of: 1).release }
  }

  private var click: Click?

  /// The excess that begins the second stage on a sensor of contact area, in microseconds.
  static let excess = 15_000.0

  /// The greatest excess that counts at a time: more is another part of the finger.
  static let greatestExcess = 0.3

  /// The distance in millimeters after which the area of a finger changes because it moves.
  private static let drag = 4.0

  /// On a sensor of contact area, an area beyond this multiple of that of a usual click is a palm.
  static let palm = 1.7

  private let size: SurfaceSize
  private let isArea: Bool
  private let sums: Bool

  /// A stage ends below this part of its press point.
  private let release: Double

  private let minimum: Double
  private let top: Double

  init(on surface: Surface) {
    size = surface.size
    isArea = surface.capability == .size
    sums = !isArea && surface.isPerContact
    release = isArea ? 0.9 : 0.8
    minimum = Double(surface.pressure?.axis.minimum ?? 0)
    top = Double(surface.pressure?.axis.maximum ?? 1) - minimum
  }

  /// When the second stage begins although the device sends nothing, as nothing changes; nil if it does not.
  var deadline: Timestamp? {
    guard isArea, let click, !click.isDeep, !click.hasMoved else { return nil }
    let rate = rate(of: click)
    guard rate > 0 else { return nil }
    let rest = (ClickedPress.excess - click.excess) / rate
    return click.time.advanced(byMicroseconds: Int64(max(rest, 0).rounded(.up)))
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
    guard let order = click?.order,
      let contact = frame.contacts.first(where: { $0.order == order })
    else { return click = nil }
    advance(contact.atRest, in: frame, at: time, &output)
  }

  mutating func cancel(in frame: Frame, at time: Timestamp, into output: inout EventBuffer) {
    guard let order = click?.order else { return }
    if let contact = frame.contacts.first(where: { $0.order == order }) {
      emit(.cancelled, contact, in: frame, at: time, &output)
    }
    click = nil
  }

  func current(in frame: Frame) -> Press? {
    guard let click, let contact = frame.contacts.first(where: { $0.order == click.order }) else {
      return nil
    }
    return press(.started, contact, click, nil)
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

extension ClickedPress {
  private mutating func begin(
    _ clicking: ClickingContacts, in frame: Frame, _ rules: TouchRules, _ clicks: ClickForce,
    _ output: inout EventBuffer
  ) {
    let (lead, orders) = (clicking.lead, clicking.orders)
    guard rules.press.fingers.allows(orders.count), let feel = rules.press.feel else { return }
    let value = value(of: lead, orders, in: frame)
    guard value > 0 else { return }
    var usual = clicks.usualPeak.map { Double($0) - minimum }
    let palm = isArea ? usual.map { $0 * ClickedPress.palm } ?? .infinity : .infinity
    guard value <= palm else { return }
    if isArea, orders.count == 1, let peak = usual, let force = clicks.raw {
      // A finger of which less touches clicks with less area, in part because it also presses less.
      usual = peak * (value / max(Double(force) - minimum, 1)).squareRoot()
    }
    let multiple = feel.deepMultiple(ofArea: isArea)
    let deep = max(usual ?? value * feel.usualMultiple(ofArea: isArea), value) * multiple
    let names = rules.press.stages.stages.map(\.name)
    let ladder = PressLadder(
      [
        (names[0], Threshold(knownPress: value, release: value * release)),
        (names[1], Threshold(knownPress: deep, release: deep * release)),
      ], top: max(top, deep + 1))
    click = Click(
      order: lead.order, orders: orders, rules: rules, ladder: ladder,
      region: rules.region(at: lead.location), start: lead.location, palm: palm, peak: value,
      value: value, time: frame.time)
    emit(.started, lead, in: frame, at: frame.time, &output, crossing: .up)
  }

  private mutating func follow(
    _ frame: Frame, _ clicks: inout ClickForce, _ output: inout EventBuffer
  ) {
    guard let click else { return }
    if let contact = frame.ended.first(where: { $0.order == click.order }) {
      let state = contact.phase == .cancelled ? Press.State.cancelled : .ended
      emit(state, contact, in: frame, at: frame.time, &output)
      return end(clicks: &clicks, isFinger: state == .ended)
    }
    guard let contact = frame.contacts.first(where: { $0.order == click.order }) else {
      return self.click = nil
    }
    guard contact.isFinger else {
      emit(contact.isHovering ? .ended : .cancelled, contact, in: frame, at: frame.time, &output)
      return end(clicks: &clicks, isFinger: contact.isHovering)
    }
    // The button may have been released and pressed again between two frames.
    guard !frame.hasClicked, frame.isClicked || click.isDraggedPress else {
      emit(.ended, contact, in: frame, at: frame.time, &output)
      return end(clicks: &clicks, isFinger: true)
    }
    advance(contact, in: frame, at: frame.time, &output)
  }

  /// Moves on to a time and to the values of a frame, and emits what follows.
  private mutating func advance(
    _ contact: Contact, in frame: Frame, at time: Timestamp, _ output: inout EventBuffer
  ) {
    guard var click else { return }
    click.excess += rate(of: click) * Double(time.microseconds(since: click.time))
    click.time = time
    click.value = value(of: contact, click.orders, in: frame)
    click.peak = max(click.peak, click.value)
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
    if crossing != nil {
      emit(.changed, contact, in: frame, at: time, &output, crossing: crossing)
    }
    if reachesMaximum {
      emit(.maximumReached, contact, in: frame, at: time, &output)
    } else if crossing == nil, contact.phase == .moved, output.wantsPressChanges {
      emit(.changed, contact, in: frame, at: time, &output)
    }
  }

  private mutating func end(clicks: inout ClickForce, isFinger: Bool) {
    defer { click = nil }
    guard let click, isFinger, click.orders.count == 1, click.peak <= click.palm else { return }
    clicks.notePeak(Int32(clamping: Int64(click.peak + minimum)))
  }

  /// The excess of the last value, as a part of the press point of the second stage.
  private func rate(of click: Click) -> Double {
    let excess = click.value / click.ladder.threshold(of: 2).press - 1
    return min(max(excess, 0), ClickedPress.greatestExcess)
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
    _ state: Press.State, _ contact: Contact, in frame: Frame, at time: Timestamp,
    _ output: inout EventBuffer, crossing: Press.Crossing? = nil
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
