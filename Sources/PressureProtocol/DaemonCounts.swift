public import PressureKit

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

/// The answer to `stats`: three objects, whose numbers are all whole and never fall while what they are of
/// is there, `waiting` excepted.
///
///     {"daemon":{…},"devices":[{…}…],"clients":[{…}…]}
extension JSONLinesWriter {
  /// Adds what the daemon has done in all.
  ///
  /// - Parameters:
  ///   - counts: the sum.
  ///   - uptime: since when it runs, in microseconds.
  ///   - rounds: how often something has woken it.
  public mutating func append(_ counts: DaemonCounts, uptime: Int64, rounds: Int) {
    append("{\"uptime\":")
    append(uptime)
    append([
      ("wake_ups", rounds), ("accepted", counts.accepted), ("refused", counts.refused),
      ("stuck", counts.stuck), ("frames", counts.devices.frames),
      ("events", counts.devices.events), ("dropped", counts.devices.dropped),
    ])
    append(counts.clients)
    append("}")
  }

  /// Adds what came of one device, and how long it has been open, in microseconds.
  public mutating func append(_ counts: DeviceCounts, of device: DeviceID, uptime: Int64) {
    append("{\"device\":")
    append(quoted: device.text)
    append(",\"uptime\":")
    append(uptime)
    append([
      ("frames", counts.frames), ("events", counts.events), ("dropped", counts.dropped),
      ("lines", counts.lines), ("bytes", counts.bytes),
    ])
    append("}")
  }

  /// Adds what one client was given.
  ///
  /// - Parameters:
  ///   - counts: all of it.
  ///   - number: tells it from other clients, also from those that are gone.
  ///   - isYou: whether it is the one that asks.
  ///   - uptime: how long it has been there, in microseconds.
  ///   - waiting: bytes that it has not taken yet.
  public mutating func append(
    _ counts: ClientCounts, ofClient number: Int, isYou: Bool, uptime: Int64, waiting: Int
  ) {
    append("{\"client\":")
    append(Int64(number))
    append(",\"you\":")
    append(isYou)
    append(",\"uptime\":")
    append(uptime)
    append(counts)
    append([("waiting", waiting)])
    append("}")
  }

  private mutating func append(_ counts: ClientCounts) {
    append([
      ("requests", counts.requests), ("faults", counts.faults), ("lines", counts.lines),
      ("bytes", counts.bytes), ("missed", counts.missed), ("replaced", counts.replaced),
    ])
  }

  private mutating func append(_ fields: [(name: StaticString, value: Int)]) {
    for field in fields {
      append(",\"")
      append(field.name)
      append("\":")
      append(Int64(field.value))
    }
  }
}
