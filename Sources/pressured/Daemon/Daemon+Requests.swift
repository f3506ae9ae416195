internal import FoundationEssentials
internal import PressureKit

extension Daemon {
  /// Does what a line asks for, and answers it; a bad line costs its sender an answer and no more.
  func answer(_ line: Inbox.Line, for client: Client) {
    answers.removeAll()
    switch line {
    case .tooLong:
      let limit = Request.maximumLength
      answers.appendFault(
        RequestFault(.lineTooLong, "a request is at most \(limit) bytes long"))
      client.leave()
    case .whole(let bytes):
      // Who presses return at a prompt has asked for nothing.
      guard bytes.contains(where: { $0 > 0x20 }) else { return }
      answer(bytes, for: client)
    }
    client.send(answers)
  }

  private func answer(_ bytes: [UInt8], for client: Client) {
    var asked: Request?
    do throws(RequestFault) {
      let request = try Request(line: bytes)
      asked = request
      let command = try Command(request)
      client.noteRequest(command)
      try answer(command, to: request, for: client)
    } catch {
      client.noteRequest(nil)
      answers.removeAll()
      answers.appendFault(error, to: asked)
    }
  }

  private func answer(_ command: Command, to request: Request, for client: Client)
    throws(RequestFault)
  {
    answers.beginReply(to: request)
    switch command {
    case .help: answers.append(quoted: Command.helpText)
    case .ping: answers.append("{}")
    case .version: answers.appendVersions(Version.current)
    case .devices: append(devices) { $0.append($1.device) }
    case .state(let name):
      let asked = try name.map(device) ?? devices
      append(asked) { $0.append(stateOf: $1.engine, device: $1.device) }
    case .actions: append(configuration.actions) { $0.append($1) }
    case .perform(let type, let name):
      let named = try name.map(device)?.first
      let isHandled = perform(type, on: named ?? (devices.count == 1 ? devices.first : nil))
      answers.append("{\"handled\":")
      answers.append(isHandled)
      answers.append("}")
    case .subscribe(let subscription):
      subscribe(client, to: subscription)
      answers.append(subscription)
    }
    answers.endReply()
  }

  /// A reading that waits is judged anew: it may be due by now, or wanted no longer.
  private func subscribe(_ client: Client, to subscription: Subscription) {
    client.subscribe(to: subscription)
    for served in devices where !subscription.wants(served.id) { client.forget(served.number) }
    sendDueReadings()
  }

  private func append<Element>(_ list: [Element], _ body: (inout JSONLines, Element) -> Void) {
    answers.append("[")
    for (index, element) in list.enumerated() {
      if index > 0 { answers.append(",") }
      body(&answers, element)
    }
    answers.append("]")
  }

  private func device(named name: String) throws(RequestFault) -> [ServedDevice] {
    let named = devices.filter { $0.id.text == name }
    if named.isEmpty { throw RequestFault(.noDevice, "there is no device \(name); try devices") }
    return named
  }
}

extension Request {
  /// Reads a line: a JSON object, or words.
  fileprivate init(line bytes: [UInt8]) throws(RequestFault) {
    guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      try self.init(words: String(decoding: bytes, as: UTF8.self)[...])
      return
    }
    let members: [String: RequestValue]
    do {
      members = try JSONDecoder().decode([String: RequestValue].self, from: Data(bytes))
    } catch {
      throw RequestFault(.badJSON, "the line is no JSON object")
    }
    try self.init(members: members)
  }
}
