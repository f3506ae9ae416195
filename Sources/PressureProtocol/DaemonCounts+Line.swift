public import PressureKit

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
