@testable import PressureProtocol
import Testing

@testable import PressureClient

@Suite(.timeLimit(.minutes(1))) struct ExchangeTests {
  /// Checks every state that two calls can reach, in every order of what can happen to them.
  @Test(arguments: [[Kind.request, .request], [.request, .event], [.event, .event]])
  fileprivate func `each call is answered once, whatever happens in whatever order`(_ kinds: [Kind])
  {
    var pending = [Model(kinds)]
    var known: Set = [pending[0].known]
    while let model = pending.popLast() {
      for step in model.steps {
        var next = model
        next.perform(step)
        if let violation = next.violation {
          Issue.record("\(violation): \(next.trace)")
          return
        }
        if known.insert(next.known).inserted { pending.append(next) }
      }
    }
    // The check would pass as well if it went nowhere.
    #expect(known.count > 200)
  }

  @Test func `events are kept in order and removed in constant time`() {
    var exchange = Exchange<Int, Int>()
    let count = Exchange<Int, Int>.eventLimit
    for number in 0..<count { _ = exchange.receive(.missed(count: number), []) }
    var numbers: [Int] = []
    for _ in 0..<count {
      guard
        case .event(_, .success(.missed(let number)))? = exchange.awaitEvent(exchange.makeID(), 0)
          .first
      else { break }
      numbers.append(number)
    }
    #expect(numbers == Array(0..<count))
  }

  @Test func `a request fails where its reply would be behind too many events`() {
    var exchange = Exchange<Int, Int>()
    let limit = Exchange<Int, Int>.eventLimit
    _ = exchange.receive(Model.hello, [])
    #expect(exchange.send(Request("tare"), exchange.makeID(), 1).isEmpty)
    for number in 1..<limit - 1 { #expect(exchange.receive(.missed(count: number), []).isEmpty) }
    #expect(exchange.reads)
    guard
      case .reply(1, .failure(DaemonError.eventsUnread))? = exchange.receive(
        .missed(count: limit), []
      ).first
    else { return #expect(Bool(false), "it waits for ever") }
    #expect(!exchange.reads)
    guard
      case .reply(2, .failure(DaemonError.eventsUnread))? =
        exchange.send(Request("tare"), exchange.makeID(), 2).first
    else { return #expect(Bool(false), "its reply would never be read") }
    // One event read makes room for a request.
    _ = exchange.awaitEvent(exchange.makeID(), 0)
    #expect(exchange.send(Request("tare"), exchange.makeID(), 3).isEmpty)
    #expect(exchange.reads)
  }
}

/// What a call waits for.
private enum Kind: Hashable {
  case request
  case event
}

/// What can happen to an exchange and its calls, which have the IDs 1 and 2.
private enum Step: Hashable {
  case wait(Int64)
  case cancel(Int64)
  case reply(Int64)
  case failWithoutID
  case connect
  case event
  case take
  case disconnect
  case close
}

/// An exchange and what its owner knows of it, against which its laws are checked.
private struct Model {
  /// What was done to a call, and how often it was resumed.
  struct Call: Hashable {
    let kind: Kind
    var waits = false
    var isCancelled = false
    var isSent = false
    var resumptions = 0

    var isPending: Bool { waits && resumptions == 0 }
  }

  /// All that was done to the exchange, and what it did: two exchanges of which the same is known behave alike.
  struct Known: Hashable {
    var calls: [Int64: Call] = [:]
    var order: [Int64] = []
    var eventCount = 0
    var deliveredCount = 0
    var isConnected = false
    var isClosed = false
  }

  static let hello: ReceivedEvent =
    (try? LineDecoder.decode(
      from: Array(
        #"{"event":"hello","protocol":1,"version":"0","clock":"monotonic","commands":[],"events":[]}"#
          .utf8)))
    ?? .other

  private var exchange = Exchange<Int64, Int64>()
  private(set) var known = Known()
  private(set) var trace: [Step] = []
  private(set) var violation: String?

  init(_ kinds: [Kind]) {
    for kind in kinds { calls[exchange.makeID()] = Call(kind: kind) }
  }

  private var calls: [Int64: Call] {
    get { known.calls }
    set { known.calls = newValue }
  }

  /// What can happen next; two events are enough, as there are two calls.
  var steps: [Step] {
    var steps: [Step] = [.failWithoutID, .take, .close, known.isConnected ? .disconnect : .connect]
    if known.eventCount < 2 { steps.append(.event) }
    for (id, call) in calls {
      steps.append(.reply(id))
      if !call.waits { steps.append(.wait(id)) }
      if !call.isCancelled { steps.append(.cancel(id)) }
    }
    return steps
  }

  mutating func perform(_ step: Step) {
    trace.append(step)
    let before = calls
    var resumptions: [Exchange<Int64, Int64>.Resumption] = []
    switch step {
    case .wait(let id): resumptions = wait(id)
    case .cancel(let id):
      calls[id]?.isCancelled = true
      resumptions = exchange.cancel(id)
    case .reply(let id): resumptions = receive(replyID: id, isSuccess: true)
    case .failWithoutID: resumptions = receive(replyID: nil, isSuccess: false)
    case .connect:
      known.isConnected = true
      resumptions = exchange.receive(Model.hello, [])
    case .event:
      known.eventCount += 1
      resumptions = exchange.receive(.missed(count: known.eventCount), [])
    case .take: take()
    case .disconnect:
      known.isConnected = false
      resumptions = exchange.disconnect()
    case .close:
      known.isClosed = true
      resumptions = exchange.finish(.closed)
    }
    for resumption in resumptions { note(resumption) }
    check(step, since: before)
  }

  private mutating func wait(_ id: Int64) -> [Exchange<Int64, Int64>.Resumption] {
    calls[id]?.waits = true
    known.order.append(id)
    let isCancelled = calls[id]?.isCancelled == true
    return calls[id]?.kind == .event
      ? exchange.awaitEvent(id, id, isCancelled: isCancelled)
      : exchange.send(Request("tare"), id, id, isCancelled: isCancelled)
  }

  private mutating func receive(
    replyID: Int64?, isSuccess: Bool
  ) -> [Exchange<Int64, Int64>.Resumption] {
    exchange.receive(
      .reply(ReceivedReply(id: replyID.map { .integer($0) }, isSuccess: isSuccess)), [])
  }

  private mutating func take() {
    for request in exchange.takeRequests() {
      guard case .integer(let id) = request.id else { return require(false, "a request has no ID") }
      require(known.isConnected, "a request is sent without a connection")
      require(calls[id]?.isPending == true, "a request that has ended is sent")
      require(calls[id]?.isCancelled == false, "a cancelled request is sent")
      require(calls[id]?.isSent == false, "a request is sent twice")
      calls[id]?.isSent = true
    }
  }

  private mutating func note(_ resumption: Exchange<Int64, Int64>.Resumption) {
    let id: Int64
    switch resumption {
    case .reply(let call, _): id = call
    case .event(let call, let result):
      id = call
      if case .success(.missed(let count)) = result {
        known.deliveredCount += 1
        require(count == known.deliveredCount, "events are not in order")
      }
    }
    require(calls[id]?.waits == true, "a call is resumed that does not wait")
    calls[id]?.resumptions += 1
    require(calls[id]?.resumptions == 1, "a call is resumed twice")
  }

  private mutating func check(_ step: Step, since before: [Int64: Call]) {
    for (id, call) in calls where call.isPending {
      let isRequest = call.kind == .request
      require(!call.isCancelled, "a cancelled call waits")
      require(!known.isClosed, "a call of a closed client waits")
      require(exchange.reads, "the socket is not read although a call waits")
      if step == .take, known.isConnected {
        require(!isRequest || call.isSent, "a request is not sent")
      }
      if step == .disconnect || step == .failWithoutID {
        require(!call.isSent, "a request waits that has no reply any more")
      }
      if step == .reply(id) { require(!call.isSent, "a request waits although it was answered") }
    }
    let waiting = before.values.count { $0.kind == .event && $0.isPending }
    let left = calls.values.count { $0.kind == .event && $0.isPending }
    if step == .event { require(left == max(waiting - 1, 0), "an event resumes not one call") }
    for (id, call) in before where call.isPending && calls[id]?.isPending == false {
      let isExpected =
        switch step {
        case .cancel(id), .close: true
        case .reply(id), .failWithoutID, .disconnect: call.isSent
        case .event, .connect: call.kind == .event
        default: false
        }
      require(isExpected, "a call is resumed without a reason")
    }
  }

  private mutating func require(_ condition: Bool, _ law: String) {
    if !condition, violation == nil { violation = law }
  }
}
