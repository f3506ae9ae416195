package import PressureClient
internal import PressureKit
internal import PressureLoop
package import PressureProtocol
internal import PressureSystem

extension Daemon {
  /// Executes a request line and replies; an invalid line gets an error reply and has no other effect.
  ///
  /// A request is deferred until the scale that it needs has settled.
  package func answer(_ line: LineFramer.Line, for client: Client) {
    guard var pending = PendingRequest(line) else { return }
    client.noteRequest(try? pending.command.get())
    // The reply to a read-only request cannot be delivered.
    if client.isPeerClosed, pending.permission == .read { return reply.removeAll() }
    do throws(RequestError) {
      if case .success = pending.command { try admit(pending, of: client) }
    } catch {
      pending.command = .failure(error)
    }
    if !deferUntilSettled(pending, of: client) { perform(pending, for: client) }
  }

  package func perform(_ pending: PendingRequest, for client: Client) {
    reply.removeAll()
    do throws(RequestError) {
      let command = try pending.command.get()
      if let request = pending.request { try answer(command, to: request, for: client) }
    } catch {
      reply.removeAll()
      reply.appendError(error, to: pending.request)
      client.counts.failedRequests += 1
    }
    client.send(reply)
    if pending.isLast { client.closeAfterDrainingInput() }
    guard let (served, fit) = pendingFit else { return }
    pendingFit = nil
    served.update(at: now) { $0.calibrate(by: fit, at: $1, into: &$2) }
    publish(served)
  }

  private func answer(_ command: Command, to request: Request, for client: Client)
    throws(RequestError)
  {
    let origin = RequestOrigin(userID: client.userID, verb: request.verb)
    var next: Int?
    reply.beginReply(to: request)
    switch command {
    case .help: reply.append(quoted: RequestDefinition.helpText)
    case .ping: reply.append("{}")
    case .version: reply.appendVersions(Version.current)
    case .devices(let start):
      next = append(visibleDevices(to: client), from: start) { $0.append($1.device) }
    case .state(let name, let start):
      let asked = try devices(named: name, for: client)
      for served in asked { bringUpToDate(served) }
      next = append(asked, from: start) {
        $0.append(
          stateOf: $1.engine, device: $1.device, includesRate: hasReceivedFrames($1, for: client))
      }
    case .actions(let start):
      next = append(actions.known(at: client.seats), from: start) {
        $0.append($1.action, isDynamic: $1.client != nil)
      }
    case .addAction(let action): try add(action, for: client)
    case .removeAction(let type): try removeAction(type, for: client)
    case .perform(let type, let name):
      reply.append(try perform(type, on: name, for: client, by: origin))
    case .subscribe(let subscription):
      client.subscribe(to: subscription)
      for served in devices where !subscription.includes(served.id) { client.forget(served.number) }
      // Held readings may be due now, or no longer wanted.
      sendDueReadings()
      reply.append(subscription)
    case .weigh(let name, let timeout):
      let served = try soleDevice(named: name, for: client)
      let reading = try weigh(served, for: client, request, timeoutMilliseconds: timeout)
      guard let reading else { return reply.removeAll() }
      reply.append(reading, of: served.id)
    case .scale(let request, let name):
      let served = try soleDevice(named: name, for: client)
      try perform(served, request, by: origin)
      reply.append(served.engine.scale)
    case .target(let target, let name):
      let served = try soleDevice(named: name, for: client)
      bringUpToDate(served)
      if let target { try perform(served, .aim(target.grams == 0 ? nil : target), by: origin) }
      reply.appendTarget(of: served.engine.scale)
    case .count(let sample, let name):
      let served = try soleDevice(named: name, for: client)
      let pieces = try count(sample, on: served, by: origin)
      reply.append(pieces: pieces, of: served.engine)
    case .history(let last, let name):
      let served = try soleDevice(named: name, for: client)
      append(history(of: served, for: client).suffix(last)) { $0.append($1, of: served.id) }
    case .calibrate(let name, let step): try calibrate(name, step, for: client)
    case .stats(let start): next = appendStatistics(for: client, from: start)
    case .reload:
      // Reading the file takes as long as many requests.
      work.count(RequestQueue.maximumTurnCost)
      try reload(for: client)
    case .grab(let name, let isOn): try grab(name, isOn, for: client)
    }
    reply.endReply(next: next)
  }

  /// Appends a list, up to the size limit of a reply; returns the index of the first element that was left out, or nil.
  @discardableResult
  package func append<Element>(
    _ list: some Collection<Element>, from start: Int = 0,
    _ body: (inout JSONLinesWriter, Element) -> Void
  ) -> Int? {
    reply.append("[")
    defer { reply.append("]") }
    let limit = reply.count + JSONLinesWriter.maxListLength
    for (index, element) in list.enumerated().dropFirst(start) {
      if reply.count >= limit { return index }
      if index > start { reply.append(",") }
      body(&reply, element)
    }
    return nil
  }

  /// The device that a request applies to, the only one if it names none; throws `no_device` with the devices to choose from.
  ///
  /// Among several devices a request that needs grams means the only one that can weigh.
  func soleDevice(
    named name: String?, for client: Client, needsScale: Bool = true
  ) throws(RequestError) -> ServedDevice {
    if let name { return try device(named: name, for: client) }
    let devices = visibleDevices(to: client)
    guard let first = devices.first else {
      throw RequestError(.noDevice, "there is no device; try devices")
    }
    if devices.count == 1 { return first }
    let scales = needsScale ? devices.filter(\.canWeigh) : []
    guard scales.count != 1 else { return scales[0] }
    let choice = scales.isEmpty ? devices : scales
    let names = choice.prefix(Daemon.maximumListedNames).map { "device=\($0.id.text)" }
    let more = choice.count > names.count ? ", \(choice.count - names.count) more" : ""
    let found =
      !needsScale
      ? "there are \(choice.count) devices"
      : "\(scales.isEmpty ? "none of the " : "")\(choice.count) devices can weigh"
    throw RequestError(.noDevice, "\(found); name one: \(names.joined(separator: ", "))\(more)")
  }

  private static let maximumListedNames = 16

  func devices(named name: String?, for client: Client) throws(RequestError) -> [ServedDevice] {
    guard let name else { return visibleDevices(to: client) }
    return [try device(named: name, for: client)]
  }

  func device(named name: String, for client: Client) throws(RequestError) -> ServedDevice {
    let devices = visibleDevices(to: client)
    guard let named = devices.first(where: { $0.id.text.hasSameBytes(as: name) }) else {
      throw RequestError(.noDevice, "there is no device \(name.truncated); try devices")
    }
    return named
  }
}

/// A request line, parsed as far as possible.
package struct PendingRequest {
  package var request: Request?

  /// The command, or what is wrong with the line.
  package var command: Result<Command, RequestError>

  /// The permission that the command needs, which is not `useWith`.
  var permission = RequestPermission.read

  /// Whether a client may send it while its access is suspended, as it may send an invalid line.
  var isForSuspended = true

  var isLast = false
}

extension PendingRequest {
  /// Parses a line; nil if it is blank.
  init?(_ line: LineFramer.Line) {
    switch line {
    case .tooLong:
      let limit = Request.maximumLength
      command = .failure(RequestError(.lineTooLong, "a request is at most \(limit) bytes long"))
      isLast = true
    case .whole(let bytes):
      // An empty line, for example Return at a prompt, is not a request.
      guard bytes.contains(where: { $0 > 0x20 }) else { return nil }
      do throws(RequestError) {
        let request = try Request(line: bytes)
        self.request = request
        let definition = try RequestDefinition.of(request)
        command = .success(try definition.command(for: request))
        permission = definition.permissionNeeded(for: request)
        isForSuspended = definition.isForSuspended
      } catch {
        command = .failure(error)
      }
    }
  }
}
