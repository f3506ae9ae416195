import Glibc
import PressureClient
import PressureProtocol
import Testing

@Suite(.timeLimit(.minutes(1))) struct DaemonClientTests {
  private static let hello = """
    {"event":"hello","protocol":1,"version":"0.2.0","clock":"monotonic","commands":[],"events":[]}
    """

  private static func missed(_ count: Int) -> String { #"{"event":"missed","count":\#(count)}"# }

  private static func reply(_ verb: String, id: Int, _ rest: String = #""ok":true,"result":null"#)
    -> String
  {
    #"{"event":"reply","do":"\#(verb)","id":\#(id),\#(rest)}"#
  }

  /// A client, and the end of its connection at a server that has greeted it and accepts no other.
  private func connect() async throws -> (client: DaemonClient, peer: TestServer.Peer) {
    let server = try TestServer()
    let client = DaemonClient(paths: [server.path])
    let peer = await server.accept()
    peer.send(Self.hello)
    return (client, peer)
  }

  /// The identifier that a client gave its request.
  private static func identifier(of line: String?) throws -> Int {
    let line = try #require(line)
    let rest = try #require(line.split(separator: "\"id\":").last)
    return try #require(Int(rest.prefix { $0.isNumber }))
  }

  @Test func `events arrive in order after the subscription was sent`() async throws {
    let server = try TestServer()
    let client = DaemonClient(paths: [server.path], subscription: .subscribe(events: [.press]))
    let peer = await server.accept()
    #expect(await peer.line() == #"{"do":"subscribe","events":["press"]}"#)
    peer.send(Self.hello, Self.missed(1), Self.missed(2))
    var counts: [Int] = []
    for try await event in client.events {
      if case .missed(let count) = event { counts.append(count) }
      if counts.count == 2 { break }
    }
    #expect(counts == [1, 2])
  }

  @Test func `replies find their requests in any order`() async throws {
    let (client, peer) = try await connect()
    let state = Task { try await client.result(of: .state(), as: [String].self) }
    let history = Task { try await client.result(of: Request("history"), as: Int.self) }
    var requests: [String: Int] = [:]
    for _ in 0..<2 {
      let line = try #require(await peer.line())
      requests[line.contains("state") ? "state" : "history"] = try Self.identifier(of: line)
    }
    peer.send(Self.missed(1))
    peer.send(
      Self.reply("history", id: try #require(requests["history"]), #""ok":true,"result":7"#))
    peer.send(
      Self.reply("state", id: try #require(requests["state"]), #""ok":true,"result":["a"]"#))
    #expect(try await state.value == ["a"])
    #expect(try await history.value == 7)
  }

  @Test func `a refusal is thrown with its code and message`() async throws {
    let (client, peer) = try await connect()
    let tare = Task { try await client.send(.tare()) }
    let id = try Self.identifier(of: await peer.line())
    peer.send(
      Self.reply("tare", id: id, #""ok":false,"error":{"code":"not_permitted","message":"no"}"#))
    do {
      try await tare.value
      Issue.record("it was not refused")
    } catch DaemonError.refused(let error) {
      #expect(error?.code == .known(.notPermitted))
      #expect(error?.message == "no")
    }
  }

  @Test func `a refused subscription ends the client`() async throws {
    let server = try TestServer()
    let client = DaemonClient(paths: [server.path], subscription: .subscribe(maximumRate: -1))
    let peer = await server.accept()
    _ = await peer.line()
    peer.send(
      #"{"event":"reply","do":"subscribe","ok":false,"error":{"code":"bad_argument","message":"no"}}"#
    )
    await #expect(throws: DaemonError.self) { for try await _ in client.events {} }
  }

  @Test func `a result of another form is an error of its own`() async throws {
    let (client, peer) = try await connect()
    let state = Task { try await client.result(of: .state(), as: Int.self) }
    peer.send(
      Self.reply("state", id: try Self.identifier(of: await peer.line()), #""ok":true,"result":[]"#)
    )
    do {
      _ = try await state.value
      Issue.record("it was decoded")
    } catch DaemonError.unexpectedResult {}
  }

  @Test func `a lost connection is established again, with the same subscription`() async throws {
    let server = try TestServer()
    let client = DaemonClient(paths: [server.path], subscription: .subscribe(events: []))
    var peer: TestServer.Peer? = await server.accept()
    _ = await peer?.line()
    peer?.send(Self.hello)
    let events = client.events.makeAsyncIterator()
    guard case .hello = try await events.next() else { return #expect(Bool(false)) }
    peer = nil
    let second = await server.accept()
    #expect(await second.line() == #"{"do":"subscribe","events":[]}"#)
    second.send(Self.hello)
    guard case .hello = try await events.next() else { return #expect(Bool(false)) }
  }

  @Test func `a request fails if the connection is lost before its reply`() async throws {
    let server = try TestServer()
    let client = DaemonClient(paths: [server.path])
    let tare = Task { try await client.send(.tare()) }
    var peer: TestServer.Peer? = await server.accept()
    peer?.send(Self.hello)
    _ = await peer?.line()
    peer = nil
    await #expect(throws: DaemonError.disconnected) { try await tare.value }
  }

  @Test func `without reconnecting, a missing daemon is an error that names the path`() async throws
  {
    let client = DaemonClient(paths: ["/nonexistent/socket"], reconnects: false)
    do {
      for try await _ in client.events {}
      Issue.record("there was a daemon")
    } catch {
      #expect("\(error)".contains("/nonexistent/socket"))
    }
    await #expect(throws: DaemonError.self) { try await client.send(.tare()) }
  }

  @Test func `a canceled task waits neither for events nor for replies`() async throws {
    let (client, peer) = try await connect()
    let events = Task { try await client.events.first { _ in true } }
    let reply = Task { try await client.send(.tare()) }
    _ = try await events.value
    let next = Task { try await client.events.first { _ in true } }
    _ = await peer.line()
    next.cancel()
    reply.cancel()
    #expect(try await next.value == nil)
    await #expect(throws: CancellationError.self) { try await reply.value }
  }

  @Test func `a request that is cancelled while there is no daemon is not sent to a later one`()
    async throws
  {
    let path = try TestServer().path
    let client = DaemonClient(paths: [path])
    let cancelled = Task { try await client.send(Request("tare")) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let server = try TestServer(at: path)
    let zero = Task { try await client.send(Request("zero")) }
    let peer = await server.accept()
    peer.send(Self.hello)
    let line = try #require(await peer.line())
    #expect(line.contains("zero"))
    peer.send(Self.reply("zero", id: try Self.identifier(of: line)))
    try await zero.value
  }

  @Test(arguments: [#""id":null,"#, ""])
  func `an error that names no request ends those that were sent`(
    _ id: String
  ) async throws {
    let (client, peer) = try await connect()
    let tare = Task { try await client.send(.tare()) }
    _ = await peer.line()
    peer.send(
      #"{"event":"reply",\#(id)"ok":false,"error":{"code":"bad_json","message":"no JSON"}}"#)
    do {
      try await tare.value
      Issue.record("it was granted")
    } catch DaemonError.refused(let error) {
      #expect(error?.message == "no JSON")
    }
    // The client goes on.
    peer.send(Self.missed(1))
    #expect(try await client.events.first { $0 == .missed(count: 1) } != nil)
  }

  @Test func `a variable that is not UTF-8 does not end the program`() async {
    await #expect(processExitsWith: .success) {
      setenv("PRESSURED_SOCKET", "/tmp/\u{1}", 1)
      getenv("PRESSURED_SOCKET")?.advanced(by: 5).pointee = CChar(bitPattern: 0xff)
      #expect(DaemonClient.defaultPaths == [])
      await #expect(throws: DaemonError.self) { try await DaemonClient().send(.tare()) }
    }
  }

  @Test func `without a free descriptor a client reports it`() async {
    await #expect(processExitsWith: .success) {
      var none = rlimit()
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
      let client = DaemonClient(paths: ["/nonexistent/socket"])
      await #expect(
        throws: DaemonError.unavailable(
          description: "cannot create an event descriptor: Too many open files")
      ) { try await client.send(.tare()) }
    }
  }

  @Test func `a consumer that does not read stops the client from reading`() async throws {
    let (client, peer) = try await connect()
    let sent = await peer.fill(with: Self.missed(1))
    // The queue, a read's worth, and the socket's buffers.
    #expect(sent < 100_000)
    // It reads on once there is room.
    var count = 0
    for try await event in client.events {
      if case .missed = event { count += 1 }
      if count == sent { break }
    }
    #expect(count == sent)
  }

  @Test func `a reply arrives while the queue of events is full`() async throws {
    let (client, peer) = try await connect()
    peer.send((0..<1000).map(Self.missed).joined(separator: "\n"))
    let tare = Task { try await client.send(.tare()) }
    peer.send(Self.reply("tare", id: try Self.identifier(of: await peer.line())))
    try await tare.value
  }

  @Test func `closing ends events and requests, and the connection`() async throws {
    let (client, peer) = try await connect()
    let tare = Task { try await client.send(.tare()) }
    _ = await peer.line()
    client.close()
    await #expect(throws: DaemonError.closed) { try await tare.value }
    for try await _ in client.events { Issue.record("an event of a closed client") }
    #expect(await peer.line() == nil)
  }

  @Test func `a released client closes its connection`() async throws {
    let server = try TestServer()
    var client: DaemonClient? = DaemonClient(paths: [server.path])
    let peer = await server.accept()
    #expect(client != nil)
    client = nil
    #expect(await peer.line() == nil)
  }
}
