package import PressureKit

// `ResultTable.swift` states what each of them counts.

/// Counters of a device since it was opened.
package struct DeviceCounts: Hashable, Sendable {
  package var frames = 0
  package var events = 0
  package var dropped = 0
  package var lines = 0
  package var bytes = 0

  package init() {}

  /// The counters by their names, in the order in which they are written.
  fileprivate static var table: [Counter<DeviceCounts>] {
    [
      (",\"frames\":", \.frames), (",\"events\":", \.events), (",\"dropped\":", \.dropped),
      (",\"lines\":", \.lines), (",\"bytes\":", \.bytes),
    ]
  }

  package static func - (now: DeviceCounts, before: DeviceCounts) -> DeviceCounts {
    var counts = now
    for (_, counter) in table { counts[keyPath: counter] -= before[keyPath: counter] }
    return counts
  }
}

private typealias Counter<Counts> = (name: StaticString, counter: WritableKeyPath<Counts, Int>)

/// Counters of a client since it connected.
package struct ClientCounts: Hashable, Sendable {
  package var lines = 0
  package var bytes = 0
  package var missed = 0
  package var replaced = 0
  package var requests = 0
  package var failedRequests = 0

  package init() {}

  fileprivate static var table: [Counter<ClientCounts>] {
    [
      (",\"requests\":", \.requests), (",\"faults\":", \.failedRequests), (",\"lines\":", \.lines),
      (",\"bytes\":", \.bytes), (",\"missed\":", \.missed), (",\"replaced\":", \.replaced),
    ]
  }
}

/// Counters of the daemon since it started.
package struct DaemonCounts: Hashable, Sendable {
  package var accepted = 0
  package var refused = 0
  package var stuck = 0
  package private(set) var devices = DeviceCounts()
  package private(set) var clients = ClientCounts()

  package init() {}

  package mutating func add(_ more: DeviceCounts) {
    for (_, counter) in DeviceCounts.table { devices[keyPath: counter] += more[keyPath: counter] }
  }

  package mutating func add(_ more: ClientCounts) {
    for (_, counter) in ClientCounts.table { clients[keyPath: counter] += more[keyPath: counter] }
  }
}

/// The reply to `stats`: an object of counters for the daemon, one for each device and one for each client.
///
/// All counters are integers and monotonic during the lifetime of what they count, except `waiting`.
///
///     {"daemon":{…},"devices":[{…}…],"clients":[{…}…]}
extension JSONLinesWriter {
  /// Appends the counters of the daemon, `uptime` microseconds after its start.
  ///
  /// `rounds`, how often the event loop woke up, is nil for a client that may know only about itself.
  package mutating func append(_ counts: DaemonCounts, uptime: Int64, rounds: Int?) {
    append("{\"uptime\":", uptime)
    if let rounds {
      append(",\"wake_ups\":", Int64(rounds))
      append(",\"accepted\":", Int64(counts.accepted))
      append(",\"refused\":", Int64(counts.refused))
      append(",\"stuck\":", Int64(counts.stuck))
    } else {
      append(",\"wake_ups\":null,\"accepted\":null,\"refused\":null,\"stuck\":null")
    }
    append(counts.devices, DeviceCounts.table.prefix(3))
    append(counts.clients, ClientCounts.table[...])
    append("}")
  }

  /// Appends the counters of a device, `uptime` microseconds after it was opened.
  package mutating func append(_ counts: DeviceCounts, of device: DeviceID, uptime: Int64) {
    append("{\"device\":", quoted: device.text)
    append(",\"uptime\":", uptime)
    append(counts, DeviceCounts.table[...])
    append("}")
  }

  /// Appends the counters of a client, `uptime` microseconds after it connected; `waiting` bytes are in its queue.
  package mutating func append(
    _ counts: ClientCounts, ofClient number: Int, isYou: Bool, uptime: Int64, waiting: Int
  ) {
    append("{\"client\":", Int64(number))
    append(",\"you\":", isYou)
    append(",\"uptime\":", uptime)
    append(counts, ClientCounts.table[...])
    append(",\"waiting\":", Int64(waiting))
    append("}")
  }

  private mutating func append<Counts>(_ counts: Counts, _ table: ArraySlice<Counter<Counts>>) {
    for (name, counter) in table { append(name, Int64(counts[keyPath: counter])) }
  }
}
