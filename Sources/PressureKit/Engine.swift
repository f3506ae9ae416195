/// Makes of a device's events what there is to say of how hard it is pressed.
///
///     InputEvent ──▶ SlotTable ──Frame──▶ recognisers ──▶ EventBuffer
///
/// It has no clock: time comes with the events.
public struct Engine {
  private var slots: SlotTable
  private var heaviest: Heaviest
  private var maximumForce: MaximumForce
  private var lastTime: Timestamp?

  /// Reads a surface from now on, with nothing on it.
  public init(surface: Surface, configuration: Configuration = Configuration()) {
    slots = SlotTable(surface: surface)
    heaviest = Heaviest(margin: configuration.heaviest)
    maximumForce = MaximumForce(releaseRatio: configuration.maximumForce.threshold.release)
  }

  /// Takes one event and adds to the buffer what it brings about.
  public mutating func receive(_ event: InputEvent, into output: inout EventBuffer) {
    var event = event
    event.time = max(event.time, lastTime ?? event.time)
    lastTime = event.time
    if slots.receive(event) { recognise(into: &output) }
  }

  /// Cancels all contacts: the device is gone, or the recording is over.
  public mutating func cancelAll(at time: Timestamp, into output: inout EventBuffer) {
    let time = max(time, lastTime ?? time)
    lastTime = time
    if slots.cancelAll(at: time) { recognise(into: &output) }
  }

  /// The order within a frame is the protocol's: endings are said after the crown has passed on.
  private mutating func recognise(into output: inout EventBuffer) {
    let frame = slots.frame
    let crown = heaviest.decide(frame)
    if frame.isCapabilityChanged { output.say(.capability(surface.capability), at: frame.time) }
    sayBeginnings(of: frame, into: &output)
    if frame.isChanged { sayWeight(of: frame, into: &output) }
    maximumForce.see(frame, isPerContact: surface.isPerContact, into: &output)
    if let crown {
      output.say(.heaviest(crown.holder, previous: crown.previous), at: frame.time)
    }
    for contact in frame.gone { output.say(.contact(contact), at: frame.time) }
  }
}

extension Engine {
  /// What the device can do.
  public var surface: Surface { slots.surface }

  /// The contacts that are down, as the last frame had them.
  public var contacts: [Contact] { slots.frame.contacts }

  /// Who wears the crown.
  public var heaviestContact: TrackingID? { heaviest.holder }

  /// The time of the last event, or nil before the first.
  public var time: Timestamp? { lastTime }
}

extension Engine {
  private func sayBeginnings(of frame: Frame, into output: inout EventBuffer) {
    for contact in frame.contacts where contact.phase == .began {
      output.say(.contact(contact), at: frame.time)
    }
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
