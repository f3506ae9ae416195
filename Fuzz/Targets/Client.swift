import Glibc
import PressureSystem

@testable import PressureClient
@testable import PressureDaemon
@testable import PressureKit
@testable import PressureProtocol

/// A client on a socket: fragmented requests, reads of any size, disconnects at any time.
///
/// Lines are complete, every loss is counted, and memory is bounded.
func fuzzClient(_ bytes: UnsafeBufferPointer<UInt8>) {
  var feed = Feed(bytes)
  var trial = ClientTrial(limit: 1024 << feed.below(7))
  while !feed.isEmpty, !trial.isOver {
    let step = feed.byte()
    let size = Int(step >> 3)
    switch step & 7 {
    case 0, 1: trial.touch(device: size & 1, slot: size >> 1 & 3, pressure: feed.byte())
    case 2: trial.take(Int(feed.byte()) << (size & 7), notifies: size & 8 == 0)
    case 3: trial.ask(Int(feed.byte()), wholly: size & 3 > 0, upTo: size)
    case 4: trial.attend()
    case 5: trial.pass(Int64(feed.byte()) << (size & 15))
    case 6: trial.touch(device: size & 1, slots: feed.byte(), pressure: feed.byte())
    default: trial.disturb(size, feed.byte())
    }
  }
  trial.end()
}

/// A device as the daemon keeps it, with as much of the daemon as a client needs.
private final class SmallPad {
  let number: Int
  let batch: Batch

  /// The same lines, each of them encoded.
  let reference: Batch
  private var engine: Engine
  private var output = EventBuffer()
  private var down: Set<Int32> = []
  private var touches: Int32 = 0

  private static let description: DeviceDescription = {
    var description = DeviceDescription()
    (description.name, description.bus) = ("Pad", 0x18)
    let axes: [(EventCode, Int32)] = [
      (.slot, 3), (.trackingID, 65_535), (.positionX, 999), (.positionY, 599), (.pressure, 255),
    ]
    for (code, most) in axes { description.axes[code.code] = Axis(minimum: 0, maximum: most) }
    return description
  }()

  init(number: Int) {
    self.number = number
    var description = SmallPad.description
    description.product = UInt16(number)
    guard let surface = try? Surface(description) else { fatalError("this is a pad") }
    engine = Engine(surface: surface)
    let device = Device(id: DeviceID(description), node: "/dev/input/event5", surface: surface)
    (batch, reference) = (Batch(device, number: number), Batch(device, number: number))
  }

  var device: Device { batch.device }

  /// Presses, begins, or with a pressure of 0 ends a contact.
  func touch(_ slot: Int32, _ pressure: UInt8, at time: Timestamp) {
    receive(.slot, slot, at: time)
    if pressure == 0 {
      if down.remove(slot) != nil { receive(.trackingID, -1, at: time) }
    } else if down.insert(slot).inserted {
      touches += 1
      receive(.trackingID, touches & 0xffff, at: time)
    }
    if pressure > 0 { receive(.pressure, Int32(pressure), at: time) }
  }

  func receive(_ code: EventCode, _ value: Int32, at time: Timestamp) {
    engine.receive(InputEvent(time: time, code: code, value: value), into: &output)
  }

  /// The time of the last event.
  var time: Timestamp { engine.time ?? Timestamp(microseconds: 0) }

  func state(of subject: Subject) -> Event? { engine.state(of: subject, at: time) }

  func line(ofStateOf subject: Subject) -> [UInt8]? {
    guard let event = state(of: subject) else { return nil }
    var line = JSONLinesWriter()
    line.append(event, of: device.id, device: device)
    return Array(line.bytes)
  }

  func advance(to time: Timestamp) {
    if engine.deadline.map({ $0 <= time }) ?? false { engine.advance(to: time, into: &output) }
  }

  func cancelAll(at time: Timestamp) {
    engine.cancelAll(at: time, into: &output)
    down = []
  }

  /// Passes the emitted events to the batch; false if there are none.
  func fillBatch(wanted: UInt16) -> Bool {
    guard !output.isEmpty else { return false }
    var copy = output
    reference.take(&copy, wanted: wanted)
    batch.take(&output, wanted: wanted)
    return !batch.lines.isEmpty
  }
}

/// Both ends of a socket: the daemon's side, and the expectations of the peer.
private struct ClientTrial: ~Copyable {
  private let client: Client
  private let peer: Int32
  private let limit: Int
  private let pads = [SmallPad(number: 1), SmallPad(number: 2)]
  private var ledger = Ledger()
  private var gatherWrite = GatherWrite()
  private var now: Int64 = 1_000_000
  private var dueAt: Int64?

  // The daemon's side.
  private var counted = true
  private var given = 0
  private var hasSeenEnd = false

  // The peer's side.
  private var unsent: [UInt8] = []
  private var line: [UInt8] = []
  private var asked = 0
  private var hasRequested = false
  private var hasSubscribed = false
  private var isTooLong = false
  private var isInputEnded = false
  private var isGone = false

  /// The minimum size of a socket's send buffer in the kernel.
  private static let kernelRoom: Int32 = 4608

  init(limit: Int) {
    var ends: [Int32] = [0, 0]
    require(
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0,
      "a socket pair is created")
    var room = ClientTrial.kernelRoom
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    self.limit = limit
    client = Client(number: 7, file: Descriptor(ends[0]), bufferLimit: limit)
    peer = ends[1]
  }

  deinit {
    if !isGone { close(peer) }
  }

  /// Whether the connection has ended.
  var isOver: Bool { isGone || client.isDone }

  private var time: Timestamp { Timestamp(microseconds: now) }
}

// MARK: - Actions of devices

extension ClientTrial {
  mutating func touch(device: Int, slot: Int, pressure: UInt8) {
    touch(device: device, slots: 1 << slot, pressure: pressure)
  }

  /// A frame in which several slots change.
  mutating func touch(device: Int, slots: UInt8, pressure: UInt8) {
    let pad = pads[device]
    for slot in 0..<4 where slots >> slot & 1 == 1 {
      // The forces differ, so that the heaviest contact changes.
      pad.touch(Int32(slot), pressure == 0 ? 0 : max(1, pressure ^ UInt8(slot)), at: time)
    }
    pad.receive(.report, 0, at: time)
    publish(pad)
    now += 100
  }

  /// Follows `Daemon.publish` and `Daemon.deliver`.
  private mutating func publish(_ pad: SmallPad) {
    guard pad.fillBatch(wanted: client.subscription.eventMask) else { return }
    let subscription = client.subscription
    if !client.isClosing, !client.isBroken, subscription.includes(pad.device.id) {
      for index in pad.reference.lines.indices {
        let line = pad.reference.lines[index]
        guard subscription.includes(line.subject.name) else { continue }
        let range = pad.reference.range(of: index)
        ledger.say(
          Ledger.Entry(
            bytes: Array(pad.reference.bytes[range]),
            key: line.key, device: pad.number,
            time: line.time, isOfEveryFrame: subscription.isEveryFrame && held == 0))
      }
    }
    let due = client.deliver(
      pad.batch, of: pad.device.id, at: now, gatherWrite: &gatherWrite)
    pad.batch.finish()
    if let due { dueAt = min(dueAt ?? due, due) }
    settle()
  }

  /// Advances the time and emits due events.
  mutating func pass(_ microseconds: Int64) {
    now += microseconds
    for pad in pads {
      pad.advance(to: time)
      publish(pad)
    }
    if let dueAt, dueAt <= now { sendDue() }
  }

  private mutating func sendDue() {
    dueAt = nil
    for pad in pads {
      if client.due(of: pad.number).map({ $0 <= now }) ?? false { sendHeld(pad) }
      if let due = client.due(of: pad.number) { dueAt = min(dueAt ?? due, due) }
    }
    settle()
  }

  /// A device is lost.
  private mutating func lose(_ pad: SmallPad) {
    pad.cancelAll(at: time)
    publish(pad)
    sendHeld(pad)
    client.forget(pad.number)
    settle()
  }

  /// Sends the held readings, each with the present state of its subject.
  private mutating func sendHeld(_ pad: SmallPad) {
    for limiter in client.rateLimiters where limiter.device == pad.number {
      for subject in limiter.held {
        guard let line = pad.line(ofStateOf: subject) else { continue }
        ledger.restate(subject, line, at: pad.time)
      }
    }
    client.sendHeld(pad.batch, at: now) { pad.state(of: $0) }
  }

  private var held: Int { client.rateLimiters.reduce(0) { $0 + $1.held.count } }

  /// Invariants that hold at any time.
  private func settle() {
    let waiting = client.framer.pendingByteCount
    require(waiting <= Client.maximumWaiting, "requests are bounded: \(waiting)")
    require(client.pendingByteCount <= limit, "no more waits than may: \(client.pendingByteCount)")
    require(held <= 16, "no more is held than there are subjects: \(held)")
    guard client.hasOverflowed else { return }
    // Anything else is a coalescible event that is partly sent, one that does not fit, as the newest is never
    // dropped, and `missed` lines: one partly sent, one queued, and the last.
    let (bytes, longest) = ledger.unreceived
    require(bytes + 2 * longest + 3 * 48 > limit, "only lossless events fill a buffer: \(bytes)")
  }
}

// MARK: - Actions of the peer

extension ClientTrial {
  private static let requests = [
    "ping id=#", "{\"do\":\"ping\",\"id\":#}", "subscribe", "subscribe max_hz=0 id=#", "", "\r",
    "subscribe max_hz=7", "subscribe events=weight max_hz=0", "subscribe events=", "nonsense",
    "subscribe events=contact,heaviest max_hz=0", "subscribe max_hz=50 min_change_grams=5", "{",
    "subscribe devices=0018-0000-0002 max_hz=0 id=#", "weigh id=#", "weigh", "help", "a=b",
    "{\"do\":\"subscribe\",\"id\":\"#\",\"max_hz\":1000,\"events\":[\"weight\",\"press\",\"contact\"]}",
  ]

  /// Sends one of many requests; its bytes may be fragmented anywhere.
  mutating func ask(_ what: Int, wholly: Bool, upTo size: Int) {
    asked += 1
    let text = ClientTrial.requests[what % ClientTrial.requests.count]
    unsent += Array((text + "\n").utf8).flatMap { byte -> [UInt8] in
      byte == UInt8(ascii: "#") ? Array(String(asked).utf8) : [byte]
    }
    write(wholly ? unsent.count : size)
  }

  private mutating func write(_ most: Int) {
    guard !isInputEnded, !isGone else { return }
    let count = Glibc.send(peer, unsent, min(most, unsent.count), Int32(MSG_NOSIGNAL))
    guard count > 0 else { return }
    for byte in unsent.prefix(count) { note(byte) }
    unsent.removeFirst(count)
  }

  /// Records the expected effect of what was written.
  private mutating func note(_ byte: UInt8) {
    guard !isTooLong else { return }
    if byte != UInt8(ascii: "\n"), line.count < Request.maximumLength { return line.append(byte) }
    if byte == UInt8(ascii: "\n") {
      noteLine()
    } else {
      isTooLong = true
      note(PendingRequest(.tooLong))
    }
  }

  private mutating func noteLine() {
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    note(PendingRequest(.whole(line)))
    line = []
  }

  private mutating func note(_ parsed: PendingRequest?) {
    guard let parsed else { return }
    hasRequested = true
    if case .success(.subscribe) = parsed.command { hasSubscribed = true }
    ledger.expect(ClientTrial.reply(to: parsed))
  }

  private static func reply(to parsed: PendingRequest) -> [UInt8] {
    var line = JSONLinesWriter()
    switch parsed.command {
    case .failure(let error): line.appendError(error, to: parsed.request)
    case .success:
      guard let request = parsed.request else { fatalError("a command without a request") }
      line.beginReply(to: request)
      line.append("{}")
      line.endReply()
    }
    return Array(line.bytes)
  }

  /// Reads that many bytes; the daemon may be notified of the free space at once.
  mutating func take(_ most: Int, notifies: Bool) {
    var left = most
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      while left > 0 {
        let count = recv(peer, buffer.baseAddress, min(left, buffer.count), 0)
        guard count > 0 else { break }
        ledger.hear(buffer.prefix(count))
        left -= count
      }
    }
    if notifies { flush() }
  }

  private mutating func flush() {
    guard !client.isBroken else { return }
    if client.pendingByteCount > 0 {
      client.flush()
      // It may have waited for space for the replies.
      serve()
    }
    settle()
  }

  /// Rare actions.
  mutating func disturb(_ what: Int, _ size: UInt8) {
    switch what {
    case 0, 1:
      guard unsent.isEmpty, !isInputEnded else { return }
      shutdown(peer, Int32(SHUT_WR))
      if !line.isEmpty, !isTooLong { noteLine() }
      isInputEnded = true
    case 2:
      close(peer)
      isGone = true
    case 3...5: answerPending()
    case 6:
      unsent += [UInt8](repeating: UInt8(ascii: "a"), count: Int(size) * 100)
      write(unsent.count)
    case 7, 8: lose(pads[Int(size) & 1])
    case 9...12: write(Int(size))
    default: flush()
    }
  }
}

// MARK: - Actions of the daemon

extension ClientTrial {
  /// Follows `Daemon.attend`.
  mutating func attend() {
    guard client.framer.pendingByteCount <= Request.maximumLength else { return }
    if unread == 0 { hasSeenEnd = true }
    client.read()
    serve()
    settle()
  }

  /// Follows `Daemon.serveNextClient`, with a turn for all pending requests.
  private mutating func serve() {
    while let line = client.nextLine() {
      guard let parsed = PendingRequest(line) else { continue }
      client.noteRequest(try? parsed.command.get())
      run(parsed)
    }
    client.applyHalfCloseRule()
  }

  private mutating func run(_ parsed: PendingRequest) {
    switch parsed.command {
    case .success(.weigh):
      guard let request = parsed.request else { fatalError("a command without a request") }
      client.pending = PendingWeigh(
        request: request, condition: .stable(device: 1, count: 0, timeoutMilliseconds: 0), due: 0)
      return
    case .success(.subscribe(let subscription)): subscribe(subscription)
    case .success, .failure: break
    }
    send(ClientTrial.reply(to: parsed))
    if parsed.isLast { client.closeAfterDrainingInput() }
  }

  private mutating func subscribe(_ subscription: Subscription) {
    let before = held
    client.subscribe(to: subscription)
    for pad in pads where !subscription.includes(pad.device.id) { client.forget(pad.number) }
    given += before - held
    if subscription.minimumChange > 0 { counted = false }
    sendDue()
  }

  private func send(_ bytes: [UInt8]) {
    var lines = JSONLinesWriter()
    bytes.withUnsafeBufferPointer { lines.append(raw: $0) }
    client.send(lines)
  }

  /// Replies to a pending request, then to those behind it.
  private mutating func answerPending() {
    guard let pending = client.pending else { return }
    var parsed = PendingRequest(command: .success(.ping))
    parsed.request = pending.request
    send(ClientTrial.reply(to: parsed))
    client.pending = nil
    serve()
    settle()
  }

  /// Runs until nothing is due and everything is read.
  mutating func end() {
    guard !isGone else {
      client.abort()
      return require(client.isDone, "a closed connection is done")
    }
    var last = Int.min
    while !client.isBroken, last != progress {
      last = progress
      if !isInputEnded { write(unsent.count) }
      attend()
      answerPending()
      pass(Int64(2_000_000_000))
      take(.max, notifies: true)
    }
    take(.max, notifies: false)
    guard !client.isBroken else { return }
    require(unread <= 0 && (!isInputEnded || hasSeenEnd), "every request is read")
    hold()
  }

  /// The result of peeking: 0 at the end of the connection, and -1 if there is nothing to read yet.
  private var unread: Int {
    var byte: UInt8 = 0
    return recv(client.descriptor, &byte, 1, Int32(MSG_PEEK))
  }

  /// Increases with any progress: requests move from the peer to the socket to the framer.
  private var progress: Int {
    var inSocket: Int32 = 0
    require(ioctl(client.descriptor, UInt(FIONREAD), &inSocket) == 0, "FIONREAD must succeed")
    let unasked = 3 * unsent.count + 2 * Int(inSocket) + client.framer.pendingByteCount
    return client.totalCounts.bytes + client.totalCounts.requests - unasked + (hasSeenEnd ? 1 : 0)
  }

  private func hold() {
    require(client.pendingByteCount == 0, "everything is sent: \(client.pendingByteCount)")
    require(
      client.isClosing == (isTooLong || isInputEnded && hasRequested && !hasSubscribed),
      "half-close")
    ledger.close()
    let counts = client.totalCounts
    require(ledger.missed == counts.missed, "\(ledger.missed) reported, \(counts.missed) missed")
    guard !client.isClosing else {
      return require(client.isDone || isTooLong, "a half-closed client is done")
    }
    let known = counts.missed + counts.replaced + given
    require(
      counted ? known == ledger.unreceivedCoalescible : known <= ledger.unreceivedCoalescible,
      "\(ledger.unreceivedCoalescible) coalescible events not received, \(known) counted")
  }
}
