/// Something that the engine has to say, and when.
public struct Event: Hashable, Sendable {
  /// The kernel's stamp of the frame, or the time of the deadline that spoke.
  public let time: Timestamp
  public let kind: Kind

  package init(time: Timestamp, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// Everything the engine can say.
  public enum Kind: Hashable, Sendable {
    /// A contact begins, ends or is cancelled.
    case contact(Contact)
    /// How hard each contact presses, in a frame in which one of them changed.
    case weight(WeightReport)
    /// A contact has reached the effective maximum, or has left it.
    case maximumForce(Contact, MaximumForce.State, target: Target?)
    /// A force gesture begins, goes on or ends.
    case press(Press)
    /// Another contact is the heaviest, or there is none.
    case heaviest(Contact?, previous: TrackingID?)
    /// The state of weighing is another one, or the reading is; news where it is a stable one.
    case scale(ScaleReading, isNewStable: Bool)
    /// An action is performed that is bound to a press.
    case action(Action)
    /// The device turned out to feel pressure otherwise than it said, is configured otherwise, or
    /// weighs by another law.
    case capability(Surface.Capability)
  }
}

/// All that is down in one frame.
public struct WeightReport: Hashable, Sendable {
  /// Where the contacts stand in the buffer that the report came in.
  public let contacts: Range<Int>

  /// All that lies on the surface, gross; nil where the device gives nothing to weigh by.
  public let total: Weight?

  /// The force-weighted middle of the contacts, or nil where there are none.
  public let center: Location?

  public let heaviest: TrackingID?

  /// Whether several contacts divide the total of one sensor.
  public let sharesSensor: Bool
}

/// What the engine says, in order, in memory that is used again.
public struct EventBuffer: Sendable {
  public private(set) var events: [Event] = []

  /// The contacts of all weight reports, one behind another.
  public private(set) var contacts: [Contact] = []

  public init() {}

  @inlinable public var isEmpty: Bool { events.isEmpty }

  /// Forgets what was said, and keeps the memory.
  public mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    contacts.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  package mutating func emit(_ kind: Event.Kind, at time: Timestamp) {
    append(Event(time: time, kind: kind))
  }

  /// One function for all, as an event is large and would be moved once more wherever one is made.
  @inline(never)
  private mutating func append(_ event: consuming Event) {
    events.append(event)
  }

  /// Keeps a frame's contacts for a report, and says where.
  package mutating func keep(_ contacts: [Contact]) -> Range<Int> {
    let start = self.contacts.count
    self.contacts.append(contentsOf: contacts)
    return start..<self.contacts.count
  }
}
