/// What a device has said, and what was made of it, since it was opened.
public struct DeviceCounts: Hashable, Sendable {
  /// Frames that came, those that found it as it was among them.
  public var frames = 0

  /// Values that came, reports among them.
  public var events = 0

  /// How often the queue of events has run over.
  ///
  /// The corresponding kernel constant is `SYN_DROPPED`.
  public var dropped = 0

  /// Lines that were written of it, once for all clients.
  public var lines = 0

  /// Bytes of these lines.
  public var bytes = 0

  public init() {}
}

/// What a client has asked for and was given since it came.
public struct ClientCounts: Hashable, Sendable {
  /// Lines that were for it, answers among them.
  public var lines = 0

  /// Bytes that it has taken.
  public var bytes = 0

  /// Lines that did not fit into its buffer.
  public var missed = 0

  /// Readings that a newer one has replaced before `max_hz` let them go.
  public var replaced = 0

  /// Requests, those that were not understood among them.
  public var requests = 0

  /// Requests that were not done.
  public var faults = 0

  public init() {}
}

/// The sum of all that a daemon has done since it began.
public struct DaemonCounts: Hashable, Sendable {
  /// Clients that were let in.
  public var accepted = 0

  /// Clients that were turned away, as there were as many as may be.
  public var refused = 0

  /// Clients that were let go with a buffer full of happenings.
  public var stuck = 0

  /// What devices have said, also those that are gone.
  public private(set) var devices = DeviceCounts()

  /// What clients were given, also those that are gone.
  public private(set) var clients = ClientCounts()

  public init() {}

  public mutating func add(_ more: DeviceCounts) {
    devices.frames += more.frames
    devices.events += more.events
    devices.dropped += more.dropped
    devices.lines += more.lines
    devices.bytes += more.bytes
  }

  public mutating func add(_ more: ClientCounts) {
    clients.lines += more.lines
    clients.bytes += more.bytes
    clients.missed += more.missed
    clients.replaced += more.replaced
    clients.requests += more.requests
    clients.faults += more.faults
  }
}
