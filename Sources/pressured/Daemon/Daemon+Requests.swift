internal import PressureKit

extension Daemon {
  /// Does what a line asks for, and answers it; a bad line costs its sender an answer and no more.
  func answer(_ line: Inbox.Line, for client: Client) {
    guard let errand = Errand(line) else { return }
    let command = try? errand.command.get()
    client.noteRequest(command)
    // A client that has closed its connection cannot receive replies.
    if client.hasHungUp, command.map({ $0.right == .read }) ?? true { return answers.removeAll() }
    run(errand, for: client)
  }

  /// Does what a client has asked for, whose turn it is, or lets it wait for a reading.
  func run(_ errand: Errand, for client: Client) {
    do throws(RequestFault) {
      if let command = try? errand.command.get() { try admit(command, of: client) }
      if !waitsForReadings(errand, of: client) { perform(errand, for: client) }
    } catch {
      answers.removeAll()
      answers.appendFault(error, to: errand.request)
      client.counts.faults += 1
      client.send(answers)
    }
  }

  /// Does what a client has asked for, by what is known now.
  func perform(_ errand: Errand, for client: Client) {
    answers.removeAll()
    do throws(RequestFault) {
      let command = try errand.command.get()
      if let request = errand.request { try answer(command, to: request, for: client) }
    } catch {
      answers.removeAll()
      answers.appendFault(error, to: errand.request)
      client.counts.faults += 1
    }
    client.send(answers)
    if errand.isLast { client.leaveAfterHearing() }
    adoptNewFits()
  }

  private func answer(_ command: Command, to request: Request, for client: Client)
    throws(RequestFault)
  {
    let origin = RequestOrigin(userID: client.userID, verb: request.verb)
    var next: Int?
    answers.beginReply(to: request)
    switch command {
    case .help: answers.append(quoted: Command.helpText)
    case .ping: answers.append("{}")
    case .version: answers.appendVersions(Version.current)
    case .devices(let start): next = append(devices, from: start) { $0.append($1.device) }
    case .state(let name, let start):
      let asked = try name.map(device) ?? devices
      for served in asked { bringUpToDate(served) }
      next = append(asked, from: start) { $0.append(stateOf: $1.engine, device: $1.device) }
    case .actions(let start): next = appendActions(from: start)
    case .addAction(let action): try add(action, for: client)
    case .removeAction(let type): try removeAction(type, for: client)
    case .perform(let type, let name):
      answers.append(try perform(type, on: name, for: client, by: origin))
    case .subscribe(let subscription):
      subscribe(client, to: subscription)
      answers.append(subscription)
    case .weigh(let name, let timeout):
      let served = try sole(named: name)
      let reading = try weigh(served, for: client, request, timeoutMilliseconds: timeout)
      guard let reading else { return answers.removeAll() }
      answers.append(reading, of: served.id)
    case .scale(let request, let name):
      let served = try sole(named: name)
      try ask(served, request, by: origin)
      answers.append(served.engine.scale)
    case .target(let target, let name):
      let served = try sole(named: name)
      bringUpToDate(served)
      if let target { try ask(served, .aim(target.grams == 0 ? nil : target), by: origin) }
      answers.appendTarget(of: served.engine.scale)
    case .count(let sample, let name):
      let served = try sole(named: name)
      let pieces = try count(sample, on: served, by: origin)
      answers.append(pieces: pieces, of: served.engine)
    case .history(let last, let name):
      let served = try sole(named: name)
      append(served.engine.scaleMemory.history.suffix(last)) { $0.append($1, of: served.id) }
    case .calibrate(let name, let step): try calibrate(name, step, for: client)
    case .stats(let start): next = appendStatistics(for: client, from: start)
    case .reload:
      // Reading the file takes as long as many requests.
      spend(Daemon.turnCost)
      try reload(for: client)
    case .grab(let name, let isOn): try grab(name, isOn, for: client)
    }
    answers.endReply(next: next)
  }

  /// A reading that waits is judged anew: it may be due by now, or wanted no longer.
  private func subscribe(_ client: Client, to subscription: Subscription) {
    client.subscribe(to: subscription)
    for served in devices where !subscription.wants(served.id) { client.forget(served.number) }
    sendDueReadings()
  }

  /// Adds a list, as much of it as goes into one answer.
  ///
  /// - Returns: the place of the first element that was left out, or nil where all are in.
  @discardableResult
  func append<Element>(
    _ list: some Collection<Element>, from start: Int = 0,
    _ body: (inout JSONLines, Element) -> Void
  ) -> Int? {
    answers.append("[")
    defer { answers.append("]") }
    let limit = answers.count + JSONLines.longestList
    for (index, element) in list.enumerated().dropFirst(start) {
      if answers.count >= limit { return index }
      if index > start { answers.append(",") }
      body(&answers, element)
    }
    return nil
  }

  /// The one device that a request is about; it may be left unnamed if no other can weigh.
  ///
  /// - Parameters:
  ///   - name: the device's identifier, or nil for the only one.
  ///   - needsScale: whether the request needs grams: of several devices, the only one that can weigh is meant then.
  /// - Returns: the device.
  /// - Throws: `no_device`, with the devices that could be named.
  func sole(named name: String?, needsScale: Bool = true) throws(RequestFault) -> ServedDevice {
    if let name { return try device(named: name)[0] }
    guard let first = devices.first else {
      throw RequestFault(.noDevice, "there is no device; try devices")
    }
    if devices.count == 1 { return first }
    let scales = needsScale ? devices.filter(\.canWeigh) : []
    guard scales.count != 1 else { return scales[0] }
    let choice = scales.isEmpty ? devices : scales
    let names = choice.prefix(Daemon.namesInAFault).map { "device=\($0.id.text)" }
    let more = choice.count > names.count ? ", \(choice.count - names.count) more" : ""
    throw RequestFault(
      .noDevice,
      Daemon.sentence(choice.count, needsScale: needsScale, canWeigh: !scales.isEmpty)
        + names.joined(separator: ", ") + more)
  }

  private static func sentence(_ count: Int, needsScale: Bool, canWeigh: Bool) -> String {
    guard needsScale else { return "there are \(count) devices; name one: " }
    return canWeigh
      ? "\(count) devices can weigh; name one: "
      : "none of the \(count) devices can weigh; name one: "
  }

  /// How many devices are listed where one has to be named.
  private static let namesInAFault = 16

  func device(named name: String) throws(RequestFault) -> [ServedDevice] {
    let named = devices.filter { $0.id.text.hasSameBytes(as: name) }
    guard !named.isEmpty else {
      throw RequestFault(.noDevice, "there is no device \(name.glance); try devices")
    }
    return named
  }
}
