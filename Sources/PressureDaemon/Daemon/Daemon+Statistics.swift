internal import PressureKit
internal import PressureLoop
internal import PressureProtocol

// What a client may learn of the past. A client that is served by its seat alone learns nothing of what happened before
// the user's present access to the seat began: others may have touched the devices then.

extension Daemon {
  /// The stable readings that a client may know, the oldest first.
  func history(of served: ServedDevice, for client: Client) -> [ScaleReading] {
    let history = served.engine.scaleMemory.history
    guard client.grant == .seat else { return history }
    let began = access.presenceBegan(at: served.seat)
    return history.filter { $0.time.microseconds > began }
  }

  /// Whether a device has sent frames that a client may know of; without one, the rate of change is that of an earlier
  /// user's touch.
  func hasReceivedFrames(_ served: ServedDevice, for client: Client) -> Bool {
    client.grant == .always || served.counts.frames > served.countsBefore.frames
  }

  /// The cost of the counters of a device or a client, besides their bytes, in units of `WorkMeter`.
  private static let statisticsWork = 8

  /// Appends the statistics.
  ///
  /// The totals are summed here, so that each event is counted in only one place while it happens. For a client of a
  /// seat they include only what the client may know of: any other counter would tell who types when.
  ///
  /// - Parameters:
  ///   - asker: the requesting client.
  ///   - start: the number of the first client to include.
  /// - Returns: the number of the first client that did not fit into the reply, or nil.
  func appendStatistics(for asker: Client, from start: Int) -> Int? {
    let isRestricted = asker.grant == .seat
    var sum = isRestricted ? DaemonCounts() : statistics.counts
    let devices = visibleDevices(to: asker).map { served in
      (
        id: served.id,
        counts: isRestricted ? served.totalCounts - served.countsBefore : served.totalCounts,
        since: isRestricted
          ? max(served.since.microseconds, access.presenceBegan(at: served.seat))
          : served.since.microseconds
      )
    }
    let clients = clients.filter {
      !isRestricted || $0.grant == .seat && $0.userID == asker.userID
    }
    work.count((devices.count + clients.count) * Daemon.statisticsWork)
    for device in devices { sum.add(device.counts) }
    for client in clients { sum.add(client.totalCounts) }
    reply.append("{\"daemon\":")
    reply.append(
      sum, uptime: loop.now - statistics.since, rounds: isRestricted ? nil : loop.iterations)
    reply.append(",\"devices\":")
    append(devices) { [now = loop.now] in
      $0.append($1.counts, of: $1.id, uptime: max(now - $1.since, 0))
    }
    reply.append(",\"clients\":")
    // Clients are in the order of their numbers.
    let listed = clients.drop { $0.number < start }
    let left = append(listed) { [loop] in
      $0.append(
        $1.totalCounts, ofClient: $1.number, isYou: $1 === asker, uptime: loop.now - $1.since,
        waiting: $1.pendingByteCount)
    }
    reply.append("}")
    return left.map { listed[listed.startIndex + $0].number }
  }
}
