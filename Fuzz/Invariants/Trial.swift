@testable import PressureKit
@testable import PressureProtocol
import PressureTestSupport

/// An engine all of whose output is checked against the invariants.
struct Trial: ~Copyable {
  private(set) var engine: Engine
  private var buffer = EventBuffer()
  private var contacts = ContactInvariants()
  private var presses: PressInvariants
  private var lines = JSONLinesWriter()
  private var device: Device
  private var now = Timestamp(microseconds: .min)

  /// More events than any frame or deadline can emit: more of them are an endless loop.
  private static let mostEvents = 1_000_000

  init(_ surface: Surface, _ configuration: Configuration = Configuration()) {
    engine = Engine(surface: surface, configuration: configuration)
    presses = PressInvariants(
      configuration.settings(for: DeviceID(surface.description).text).press, on: surface)
    device = Device(id: DeviceID(surface.description), node: "/dev/input/event5", surface: surface)
  }

  mutating func receive(_ event: InputEvent) {
    presses.receive(event)
    engine.receive(event, into: &buffer)
    now = max(now, event.time)
    settle()
  }

  mutating func advance(to time: Timestamp) {
    presses.advance(to: time)
    engine.advance(to: time, into: &buffer)
    settle()
    now = max(now, time)
    require(engine.deadline.map { $0 > time } ?? true, "due events are emitted")
  }

  mutating func perform(_ request: ScaleRequest, at time: Timestamp) {
    presses.advance(to: time)
    try? engine.perform(request, at: time, into: &buffer)
    settle()
  }

  mutating func calibrate(by fit: CalibrationFit, at time: Timestamp) {
    presses.advance(to: time)
    engine.calibrate(by: fit, at: time, into: &buffer)
    settle()
  }

  mutating func configure(_ configuration: Configuration, at time: Timestamp) {
    presses.advance(to: time)
    engine.configure(configuration, at: time, into: &buffer)
    settle()
    presses.configure(configuration.settings(for: device.id.text).press)
  }

  /// The device is lost; it can return.
  mutating func cancelAll(at time: Timestamp) {
    presses.advance(to: time)
    engine.cancelAll(at: time, into: &buffer)
    settle()
    contacts.checkEnd()
    presses.checkEnd()
    require(unbroken: contacts.broken ?? presses.broken)
  }

  /// Checks the emitted events, and the state that clients can request at any time.
  private mutating func settle() {
    guard !buffer.isEmpty else { return }
    require(buffer.events.count < Trial.mostEvents, "an engine emits a bounded number of events")
    contacts.check(buffer)
    contacts.compare(with: engine.contacts)
    presses.check(buffer, engine.frame, on: engine.surface)
    require(unbroken: contacts.broken ?? presses.broken)
    device.surface = engine.surface
    lines.removeAll()
    for event in buffer.events {
      lines.append(event, of: device.id, device: device)
    }
    lines.append("{\"event\":\"state\",\"result\":")
    lines.append(stateOf: engine, device: device)
    lines.append("}\n")
    lines.append(device, .changed, at: now)
    JSONValidator.hold(lines.bytes)
    buffer.removeAll()
  }
}
