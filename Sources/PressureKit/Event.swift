/// An output event of the engine and its time.
public struct Event: Hashable, Sendable {
  /// The kernel's timestamp of the frame, or the time of the deadline or request that caused the event.
  public let time: Timestamp

  /// What happened.
  public let kind: Kind

  package init(time: Timestamp, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// The kinds of events.
  public enum Kind: Hashable, Sendable {
    /// A contact began, ended or was cancelled.
    case contact(Contact)
    /// The force of each contact; emitted for each frame in which a contact changed.
    case weight(WeightReport)
    /// A contact reached the maximum force, or was released from it.
    case maximumForce(Contact, MaximumForce.State, target: Target?)
    /// A press (force gesture) started, changed or ended.
    case press(Press)
    /// Another contact is the heaviest, or none is.
    case heaviest(Contact?, previous: TrackingID?)
    /// The scale's status or reading changed; `isNewStable` if it is a new stable reading.
    case scale(ScaleReading, isNewStable: Bool)
    /// An action bound to a press is performed.
    case action(Action)
    /// The device's abilities changed: its axis turned out to be stuck or not, or its settings or its calibration changed.
    case capability(Surface.Capability)
  }
}

/// The contacts and the total weight of one frame.
public struct WeightReport: Hashable, Sendable {
  /// The contacts on the surface, ordered by slot; empty once the last one was lifted.
  ///
  /// The engine shares its own array, so a report costs no copy if it is released before the next frame.
  public let contacts: [Contact]

  /// The gross weight of everything on the surface; nil if the device has no weight source.
  public let total: Weight?

  /// The force-weighted center of the contacts; nil if there are none.
  public let center: Location?

  /// The heaviest contact; nil if there is none.
  public let heaviest: TrackingID?

  /// Whether several contacts share the total of one sensor.
  public let sharesSensor: Bool
}

/// The events of the engine in order, in reusable memory.
public struct EventBuffer: Sendable {
  /// The events, in order.
  public private(set) var events: [Event] = []

  /// It changes only when contacts begin or end, or with a `capability` event.
  package private(set) var mayChangeSurface = false

  /// Changes of presses within a stage occur for each contact of each frame; their recognition does not depend on them.
  package var wantsPressChanges = true

  /// Creates an empty buffer.
  public init() {}

  /// Whether there are no events.
  @inlinable public var isEmpty: Bool { events.isEmpty }

  /// Removes all events and keeps the memory.
  public mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    mayChangeSurface = false
  }

  /// Exchanges the events for an empty list, whose memory is reused.
  package mutating func swap(with other: inout [Event]) {
    Swift.swap(&events, &other)
    // Usually there is nothing to remove, and `removeAll` is not free.
    if events.isEmpty { mayChangeSurface = false } else { removeAll() }
  }

  mutating func moveToEnd(_ index: Int) { events.append(events.remove(at: index)) }

  @inline(__always)
  package mutating func emit(_ kind: Event.Kind, at time: Timestamp) {
    switch kind {
    case .contact, .capability: mayChangeSurface = true
    case .weight, .maximumForce, .heaviest, .press, .scale, .action: break
    }
    append(Event(time: time, kind: kind))
  }

  /// Not inlined: an event is large and would be moved once more at each call site.
  @inline(never)
  private mutating func append(_ event: consuming Event) { events.append(event) }
}

/// An event of a press (force gesture).
public struct Press: Hashable, Sendable {
  /// The state of a press.
  public enum State: String, CaseIterable, Sendable {
    /// It reached the press point of the first stage or, if simulated, the finger was held long enough.
    case started
    /// Its force or location changed, or it entered another stage.
    case changed
    /// It reached the effective maximum; at most once per press.
    case maximumReached = "fixed"
    /// It fell below the release point of the first stage, or the contact was lifted.
    case ended
    /// It turned out not to be a press: another number of fingers, a palm, or a removed device.
    case cancelled
  }

  /// The contact as of this event.
  public internal(set) var contact: Contact

  /// The event's kind.
  public internal(set) var state: State

  /// The number of fingers on the surface, or of those that have clicked the pad; if the contact was lifted, the number before.
  public internal(set) var fingers: Int

  /// The name of the stage.
  public internal(set) var stage: String

  /// The position between this stage and the next, −1…1, in linear segments.
  ///
  /// 0 at the press point of the stage; 1 at that of the next stage or, in the last stage, at the effective maximum; −1 at
  /// the stage's own release point, where the press returns to the previous stage or ends. A simulated press is at 0 when
  /// it starts and never decreases.
  public internal(set) var transition: Double

  /// The force of the press, measured or simulated; 0 if the pressure has become unknown, see `Contact.raw`.
  public internal(set) var force: Force

  /// Whether the force is simulated from the time that the finger rests.
  public internal(set) var isSimulated: Bool

  /// Whether the pad's own button is down, or has been since the press started; nil if the surface is not a button.
  public internal(set) var hasClicked: Bool?

  /// The direction in which another stage was entered; nil if the stage is unchanged.
  public internal(set) var crossing: Crossing?

  /// The direction in which a press enters a stage.
  public enum Crossing: Sendable {
    /// From the stage below, by increasing force.
    case up
    /// From the stage above, or below the first stage, by decreasing force.
    case down
  }

  /// The region in which the press started, and the contact's location in it; nil outside all regions.
  public internal(set) var target: Target?

  /// The contact's gross weight; nil if the pressure is unknown, without a weight source, and for a simulated press.
  public var weight: Weight? { isSimulated ? nil : contact.weight }

  /// Whether it entered its stage by increasing force, which triggers actions.
  public var entersStage: Bool { crossing == .up }

  /// Whether this is the last event of the press.
  public var hasEnded: Bool {
    switch state {
    case .ended, .cancelled: true
    case .started, .changed, .maximumReached: false
    }
  }

  /// The completed fraction of the stage, 0…1: `transition` clamped at 0.
  public var progress: Double { max(transition, 0) }
}
