/// A gesture that a user is asked for, to see whether it is recognized.
package enum PracticeGesture: String, CaseIterable, Sendable {
  /// A press as for a click.
  case click
  /// A press clearly harder than a click.
  case forceClick = "force click"
  /// A press during which the finger moves.
  case drag
  /// Two fingers that move together.
  case scroll
  /// A finger that lies on the surface and does not press.
  case rest
}

/// What a gesture was recognized as.
package enum PracticeOutcome: String, Hashable, Sendable {
  /// No press started.
  case nothing
  /// One press, which did not reach the last stage.
  case press = "a press"
  /// One press that ended before the finger had moved as far as it did.
  case lostPress = "a press that ended during the motion"
  /// Several presses, none of which reached the last stage.
  case presses = "several presses"
  /// One press that reached the last stage once.
  case forceClick = "a force click"
  /// The last stage was reached more than once.
  case forceClicks = "several force clicks"

  package func isRight(for gesture: PracticeGesture) -> Bool {
    switch gesture {
    case .click: self == .press || self == .lostPress
    case .drag: self == .press
    case .forceClick: self == .forceClick
    case .scroll, .rest: self == .nothing
    }
  }
}

/// An engine, and what it has recognized since the last gesture.
struct PracticeTrial {
  private(set) var engine: Engine
  private var output = EventBuffer()
  private let lastStage: String?

  private var starts = 0
  private var forceClicks = 0

  /// The first press: its contact, and how far that has moved since the start, in all and while pressing.
  private var contact: Int?
  private var isPressing = false
  private var anchor = Location(x: 0, y: 0)
  private var way = 0.0
  private var pressedWay = 0.0

  private let size: SurfaceSize

  /// The least motion that is counted, in millimeters; less is noise.
  private static let step = 1.0

  /// The least motion of a drag, in millimeters, and the part of it that the press must last.
  private static let leastDrag = 5.0
  private static let leastPart = 0.8

  init(
    _ surface: Surface, _ configuration: Configuration, _ device: DeviceID, _ clicks: ClickForce
  ) {
    engine = Engine(
      surface: surface, configuration: configuration, device: device, clicks: clicks)
    let press = configuration.settings(for: device.text).press
    lastStage = press.stages(gramsAreTrue: surface.gramsAreTrue).stages.last?.name
    size = surface.size
  }

  var isTouched: Bool { engine.contacts.contains(where: \.isFinger) }

  mutating func receive(_ event: InputEvent) {
    engine.receive(event, into: &output)
    count()
  }

  mutating func advance(to time: Timestamp) {
    engine.advance(to: time, into: &output)
    count()
  }

  mutating func finishGesture() -> PracticeOutcome {
    defer {
      (starts, forceClicks, contact, isPressing, way, pressedWay) = (0, 0, nil, false, 0, 0)
    }
    if forceClicks > 0 { return forceClicks == 1 && starts == 1 ? .forceClick : .forceClicks }
    if starts != 1 { return starts == 0 ? .nothing : .presses }
    let isLost = way >= PracticeTrial.leastDrag && pressedWay < way * PracticeTrial.leastPart
    return isLost ? .lostPress : .press
  }

  private mutating func count() {
    guard !output.isEmpty else { return }
    for event in output.events {
      switch event.kind {
      case .press(let press): count(press)
      case .weight(let report): follow(report)
      case .contact, .maximumForce, .heaviest, .scale, .action, .capability: break
      }
    }
    output.removeAll()
  }

  private mutating func count(_ press: Press) {
    if press.state == .started {
      starts += 1
      if contact == nil {
        (contact, isPressing, anchor) = (press.contact.order, true, press.contact.location)
      }
    }
    if press.entersStage, press.stage == lastStage { forceClicks += 1 }
    if press.hasEnded, press.contact.order == contact { isPressing = false }
  }

  private mutating func follow(_ report: WeightReport) {
    guard let contact,
      let location = report.contacts.first(where: { $0.order == contact })?.location
    else { return }
    let distance = size.distance(from: anchor, to: location)
    guard distance >= PracticeTrial.step else { return }
    anchor = location
    way += distance
    if isPressing { pressedWay += distance }
  }
}
