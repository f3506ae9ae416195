/// Makes of a device's events what there is to say of how hard it is pressed.
///
///     InputEvent ──▶ SlotTable ──Frame──▶ recognizers ──▶ EventBuffer
///                                           │     ▲
///                                           ▼     │
///                                   deadline ──▶ advance
///
/// It has no clock: time comes with the events, and with whoever keeps the deadline.
public struct Engine {
  /// The name that settings and regions are for.
  private let device: DeviceID

  private var slots: SlotTable
  private var heaviest: Heaviest
  private var maximumForce: MaximumForce
  private var presses: Presses
  private var weighing: Weighing
  private var rules: TouchRules
  private var together = FireOncePerGroup<String, Int>()

  /// The latest time of anything; what is stamped earlier counts as of then.
  private var lastTime = Timestamp(microseconds: .min)

  /// The time of the last whole frame, or of the deadline that spoke last; nil before the first.
  public private(set) var time: Timestamp?

  /// What the next touch will be taken by, where it is not what holds.
  private var nextConfiguration: Configuration?

  /// What an empty surface will be read by, where it is not what holds.
  private var nextSettings: DeviceSettings?

  /// Whether what the surface can do is another thing since this was last told.
  private var isSurfaceNew = false

  /// Known weights to weigh by as soon as nothing lies on the surface.
  private var nextFit: CalibrationFit?

  /// Reads a surface from now on, with nothing on it.
  ///
  /// - Parameters:
  ///   - surface: what the device can do.
  ///   - configuration: all that is configured.
  ///   - device: the device's name where it is another one than its description makes.
  ///   - scale: what the device's scale is to remember.
  public init(
    surface: Surface, configuration: Configuration = Configuration(), device: DeviceID? = nil,
    scale: ScaleMemory = ScaleMemory()
  ) {
    self.device = device ?? DeviceID(surface.description)
    slots = SlotTable(surface: surface)
    heaviest = Heaviest(margin: configuration.heaviest)
    maximumForce = MaximumForce(slotCount: surface.slotCount)
    presses = Presses(slotCount: surface.slotCount)
    rules = TouchRules(configuration, device: self.device)
    weighing = Weighing(configuration.scale, on: surface, memory: scale)
    _ = slots.simulate(rules.press.simulation)
  }

  /// Takes one event and adds to the buffer what it brings about, after what was due before it.
  public mutating func receive(_ event: InputEvent, into output: inout EventBuffer) {
    // Within a frame nothing becomes due, and a value is but kept.
    if event.time <= lastTime, !event.code.isSynchronization { return slots.stage(event) }
    advance(with: event, into: &output)
  }

  /// Takes an event that comes later than all before, or that ends a frame.
  @inline(never)
  private mutating func advance(with event: InputEvent, into output: inout EventBuffer) {
    var event = event
    if event.time > lastTime {
      lastTime = event.time
      advance(to: event.time, into: &output)
    } else {
      event.time = lastTime
    }
    if event.code == .report { time = event.time }
    if slots.receive(event) { recognize(into: &output) }
  }

  /// Cancels all contacts: the device is gone, or the recording is over.
  ///
  /// What has come of a frame that is not whole does not count, nor does its time.
  public mutating func cancelAll(at time: Timestamp, into output: inout EventBuffer) {
    let time = say(at: max(time, self.time ?? time), into: &output)
    if slots.cancelAll(at: time) { recognize(into: &output) }
  }

  /// The order within a frame is the protocol's: endings are said after the crown has passed on, and
  /// the scale speaks last.
  private mutating func recognize(into output: inout EventBuffer) {
    let frame = slots.frame
    if frame.hasBeginning { adoptConfiguration(at: frame.time) }
    let (crown, surface) = (heaviest.decide(frame), slots.surface)
    if frame.isCapabilityChanged || isSurfaceNew {
      output.say(.capability(surface.capability), at: frame.time)
      isSurfaceNew = false
    }
    sayBeginnings(of: frame, into: &output)
    if frame.isChanged { sayWeight(of: frame, into: &output) }
    maximumForce.see(frame, isPerContact: surface.isPerContact, rules: rules, into: &output)
    let said = output.events.count
    presses.see(frame, on: surface, rules: rules, into: &output)
    performActions(boundSince: said, into: &output)
    if let crown {
      output.say(.heaviest(crown.holder, previous: crown.previous), at: frame.time)
    }
    for contact in frame.gone { output.say(.contact(contact), at: frame.time) }
    weighing.see(frame, on: surface, into: &output)
    if frame.contacts.isEmpty { adopt(at: frame.time, into: &output) }
  }

  /// Takes what was not to be taken while anything lay on the surface.
  private mutating func adopt(at time: Timestamp, into output: inout EventBuffer) {
    adoptSettings(at: time, into: &output)
    adoptFit(at: time, into: &output)
  }
}

// MARK: - The time

extension Engine {
  /// When something is to be said although the device is silent, or nil.
  public var deadline: Timestamp? {
    guard let press = presses.deadline, let scale = weighing.deadline else {
      return presses.deadline ?? weighing.deadline
    }
    return min(press, scale)
  }

  /// Lets every deadline that is due by a time speak, the earliest first, each stamped with its own time.
  public mutating func advance(to time: Timestamp, into output: inout EventBuffer) {
    while let deadline, deadline <= time {
      let said = output.events.count
      presses.pass(deadline, into: &output)
      performActions(boundSince: said, into: &output)
      weighing.pass(deadline, into: &output)
      lastTime = max(deadline, lastTime)
      self.time = max(deadline, self.time ?? deadline)
    }
  }

  /// Comes to the time of something that is said, or stays where it is for what is late.
  ///
  /// - Parameters:
  ///   - time: when it happened.
  ///   - output: takes what was due before.
  /// - Returns: the time to say it with: none that follows is earlier.
  public mutating func come(
    to time: Timestamp, into output: inout EventBuffer
  ) -> Timestamp {
    say(at: max(time, lastTime), into: &output)
  }

  private mutating func say(at time: Timestamp, into output: inout EventBuffer) -> Timestamp {
    advance(to: time, into: &output)
    lastTime = max(time, lastTime)
    self.time = time
    return time
  }
}

// MARK: - The configuration

extension Engine {
  /// Takes another configuration from the next touch on; contacts that are down go on as they began.
  ///
  /// By what the device itself is read, its effective maximum and full scale, is the same for all
  /// contacts, so it waits until the surface is empty; it is said when it changes.
  public mutating func configure(
    _ configuration: Configuration, at time: Timestamp, into output: inout EventBuffer
  ) {
    let time = come(to: time, into: &output)
    nextConfiguration = configuration
    nextSettings = configuration.settings(for: device.text)
    adoptSettings(at: time, into: &output)
  }

  /// A touch begins.
  private mutating func adoptConfiguration(at time: Timestamp) {
    guard let configuration = nextConfiguration else { return }
    nextConfiguration = nil
    heaviest.margin = configuration.heaviest
    rules = TouchRules(configuration, device: device)
    isSurfaceNew = slots.simulate(rules.press.simulation) || isSurfaceNew
    weighing.configure(configuration.scale, on: surface, at: time)
  }

  /// The surface may be empty.
  private mutating func adoptSettings(at time: Timestamp, into output: inout EventBuffer) {
    guard let settings = nextSettings, contacts.isEmpty else { return }
    nextSettings = nil
    if slots.adopt(settings) { output.say(.capability(surface.capability), at: time) }
    weighing.adopt(surface, at: time, into: &output)
  }
}

// MARK: - The calibration

extension Engine {
  /// Weighs by known weights from the next touch on a bare surface on, and says so when it does.
  public mutating func calibrate(
    by fit: CalibrationFit, at time: Timestamp, into output: inout EventBuffer
  ) {
    let time = come(to: time, into: &output)
    nextFit = fit
    adoptFit(at: time, into: &output)
  }

  /// A contact is never weighed by two laws: its peak would mean nothing.
  private mutating func adoptFit(at time: Timestamp, into output: inout EventBuffer) {
    guard let fit = nextFit, contacts.isEmpty else { return }
    nextFit = nil
    isSurfaceNew = false
    slots.calibrate(by: fit)
    output.say(.capability(surface.capability), at: time)
    weighing.adopt(surface, at: time, into: &output)
  }
}

// MARK: - What holds

extension Engine {
  /// What the device can do.
  public var surface: Surface { slots.surface }

  /// What the last frame found.
  public var frame: Frame { slots.frame }

  /// The contacts that are down, as the last frame had them.
  public var contacts: [Contact] { slots.frame.contacts }

  /// Who wears the crown.
  public var heaviestContact: TrackingID? { heaviest.holder }
}

// MARK: - The scale

extension Engine {
  /// What the scale shows, which may be held.
  public var scale: ScaleReading { weighing.shown }

  /// The reading that is held, or else what lies there at rest, be it nothing net; nil if neither.
  public var stableReading: ScaleReading? { weighing.stable }

  /// From when on readings of the scale may be relied on, as its filter has seen the device for its
  /// whole length; nil before the first frame.
  public var scaleSettledAt: Timestamp? { weighing.settledAt }

  /// How many stable readings there have been.
  public var stableCount: Int { weighing.memory.stableCount }

  /// What the scale remembers.
  public var scaleMemory: ScaleMemory { weighing.memory }

  /// How many pieces lie there, of which a sample was counted before; nil without one.
  public var pieces: Int? { weighing.pieces }

  /// Does what is asked of the scale, at once and from what is so then.
  ///
  /// - Throws: why it does not; nothing is another then.
  public mutating func perform(
    _ request: ScaleRequest, at time: Timestamp, into output: inout EventBuffer
  ) throws(ScaleError) {
    let time = come(to: time, into: &output)
    try weighing.perform(request, at: time, into: &output)
  }
}

// MARK: - What a frame brings

extension Engine {
  /// Performs what is bound to the stages that presses have come into, once for each time.
  private mutating func performActions(
    boundSince said: Int, into output: inout EventBuffer
  ) {
    guard rules.bindsActions else { return }
    for place in said..<output.events.count {
      guard case .press(let press) = output.events[place].kind else { continue }
      if press.isOver { together.release(press.contact.order) }
      for action in rules.actions(for: press) {
        let fingers = action.trigger?.fingers ?? .any
        guard together.admits(press.contact.order, to: action.type, fingers: fingers) else {
          continue
        }
        perform(action, at: output.events[place].time, into: &output)
      }
    }
  }

  /// What the scale refuses is not performed, and a press has nobody to be told why.
  private mutating func perform(
    _ action: Action, at time: Timestamp, into output: inout EventBuffer
  ) {
    if let request = action.scaleRequest {
      do throws(ScaleError) {
        try weighing.perform(request, at: time, into: &output)
      } catch {
        return
      }
    }
    output.say(.action(action), at: time)
  }

  private func sayBeginnings(of frame: Frame, into output: inout EventBuffer) {
    if frame.hasBeginning {
      for contact in frame.contacts where contact.phase == .began {
        output.say(.contact(contact), at: frame.time)
      }
    }
    guard frame.briefCount > 0 else { return }
    for contact in frame.gone.suffix(frame.briefCount) {
      output.say(.contact(contact.asBegun), at: frame.time)
    }
  }

  private func sayWeight(of frame: Frame, into output: inout EventBuffer) {
    let report = WeightReport(
      contacts: output.keep(frame.contacts), total: frame.total, center: frame.center,
      heaviest: heaviest.holder, sharesSensor: frame.sharesSensor)
    output.say(.weight(report), at: frame.time)
  }
}
