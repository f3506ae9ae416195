import Testing

@testable import PressureKit
@testable import PressureProtocol

struct CommandTests {
  private func command(_ line: String) throws(RequestError) -> Command {
    try Command(Request(line: line))
  }

  @Test(arguments: [
    ("help", Command.help), ("ping", .ping), ("version", .version), ("devices", .devices(from: 0)),
    ("state", .state(device: nil, from: 0)), ("actions from=7", .actions(from: 7)),
    ("state device=0018-06cb-cd41", .state(device: "0018-06cb-cd41", from: 0)),
    ("weigh", .weigh(device: nil, timeoutMilliseconds: 10_000)),
    ("weigh device=a timeout_ms=500", .weigh(device: "a", timeoutMilliseconds: 500)),
    ("tare", .scale(.tare, device: nil)), ("untare device=a", .scale(.clearTare, device: "a")),
    ("zero", .scale(.zero, device: nil)), ("hold", .scale(.hold, device: nil)),
    ("release", .scale(.release, device: nil)), ("target", .target(nil, device: nil)),
    (
      "target grams=100 tolerance=0.5 device=a",
      .target(ScaleTarget(grams: 100, tolerance: 0.5), device: "a")
    ),
    ("target grams=-8", .target(ScaleTarget(grams: -8, tolerance: 1), device: nil)),
    ("count", .count(sample: nil, device: nil)),
    ("count sample=10 device=a", .count(sample: 10, device: "a")),
    ("history", .history(last: 100, device: nil)),
    ("history last=3 device=a", .history(last: 3, device: "a")),
    ("stats", .stats(from: 0)), ("reload", .reload),
    ("grab on=true", .grab(device: nil, isOn: true)),
    ("grab on=false device=a", .grab(device: "a", isOn: false)),
    (#"{"do":"grab","on":true}"#, .grab(device: nil, isOn: true)),
    ("subscribe", .subscribe(Subscription())),
    (#"{"do":"subscribe","events":null}"#, .subscribe(Subscription())),
    ("calibrate step=begin", .calibrate(device: nil, .begin(tolerance: nil))),
    (
      "calibrate device=x step=point grams=5.67",
      .calibrate(device: "x", .point(grams: 5.67, tolerance: nil))
    ),
    (
      "calibrate step=point grams=0", .calibrate(device: nil, .point(grams: 0, tolerance: nil))
    ),
    (
      "calibrate step=check grams=200 weights_percent=1",
      .calibrate(device: nil, .check(grams: 200, tolerance: 0.01))
    ),
    ("calibrate step=drop", .calibrate(device: nil, .drop(grams: nil))),
    ("calibrate step=drop grams=5", .calibrate(device: nil, .drop(grams: 5))),
    ("calibrate step=finish", .calibrate(device: nil, .finish)),
    ("calibrate step=cancel", .calibrate(device: nil, .cancel)),
  ])
  func `a request is understood`(line: String, expected: Command) throws {
    #expect(try command(line) == expected)
  }

  @Test func `every name is a command and is in the help text`() throws {
    for name in RequestDefinition.verbs {
      do throws(RequestError) {
        _ = try command(name)
      } catch {
        #expect(error.code == .badArgument, "\(name) is listed and not known")
      }
      #expect(RequestDefinition.helpText.contains("\(name) "))
    }
  }

  @Test func `every example is a valid request, and has every argument once`() throws {
    for request in RequestDefinition.all {
      var given: Set<RequestKey> = []
      for example in request.examples {
        let parsed = try Request(line: example)
        _ = try request.command(for: parsed)
        given.formUnion(parsed.arguments.keys)
      }
      // These are described once for all requests.
      let known = Set(request.arguments.map(\.key)).subtracting(["device", "from"])
      #expect(known.isSubset(of: given), "\(request.verb)")
    }
  }

  @Test func `these requests need more than the right to read`() {
    #expect(
      RequestDefinition.namesNeedingUse
        == "weigh, tare, untare, zero, hold, release, target with grams, count with sample, perform"
    )
    let control = RequestDefinition.all.filter {
      if case .control = $0.permission { true } else { false }
    }
    #expect(
      control.map(\.verb) == ["calibrate", "grab", "add_action", "remove_action", "reload"])
  }

  @Test(arguments: [
    ("target", RequestPermission.read), ("target grams=5", .use), ("count", .read),
    ("count sample=2", .use), ("tare", .use), ("grab on=true", .control(.device)),
    ("reload", .control(.daemon)),
  ])
  func `the right depends on the request and its argument`(
    line: String, permission: RequestPermission
  ) throws {
    let request = try Request(line: line)
    #expect(try RequestDefinition.of(request).permissionNeeded(for: request) == permission)
  }

  private func subscription(_ line: String) throws -> Subscription? {
    if case .subscribe(let subscription) = try command(line) { subscription } else { nil }
  }

  @Test func `a subscription is the same by hand and by object, and has nothing twice`() throws {
    let byHand = try #require(
      try subscription(
        "subscribe events=scale,scale devices=a,b,a max_hz=10 min_change_grams=0.5"))
    let byObject = try subscription(
      #"{"do":"subscribe","events":["scale"],"max_hz":10,"devices":["a","b"],"min_change_grams":0.5}"#
    )
    #expect(byHand == byObject)
    #expect(byHand.events == [.scale])
    #expect(byHand.devices == ["a", "b"])
    #expect(byHand.maximumRate == 10)
    #expect(byHand.minimumChange == 0.5)
  }

  @Test func `no events are silence`() throws {
    let silence = try #require(try subscription("subscribe events="))
    #expect(silence.events == [])
    #expect(EventName.allCases.allSatisfy { !silence.includes($0) })
  }

  @Test(arguments: [
    ("weight", ErrorCode.unknownCommand, "weight is not a command; try help"),
    ("STATE", .unknownCommand, "STATE is not a command; try help"),
    ("ping loud=1", .badArgument, "ping takes no argument loud"),
    ("state device=a,b", .badArgument, "device must be a string of at most 256 bytes"),
    ("tare grams=3", .badArgument, "tare takes no argument grams"),
    ("weigh timeout_ms=-1", .badArgument, "timeout_ms must be a number from 0 to 3600000"),
    ("grab", .badArgument, "grab needs on, as in grab on=true"),
    ("grab on=maybe", .badArgument, "on must be true or false"),
    ("grab on=1", .badArgument, "on must be true or false"),
    ("count sample=0", .badArgument, "sample must be an integer from 1 to 1000000"),
    ("count sample=2.5", .badArgument, "sample must be an integer from 1 to 1000000"),
    ("history last=101", .badArgument, "last must be an integer from 0 to 100"),
    (
      "target tolerance=2", .badArgument, "tolerance needs grams"
    ),
    (#"{"do":"subscribe","events":[1]}"#, .badArgument, "events must be a list of strings"),
    (#"{"do":"subscribe","events":{}}"#, .badArgument, "events must be a list of strings"),
    ("subscribe max_hz=fast", .badArgument, "max_hz must be a number from 0 to 100000"),
    ("subscribe max_hz=-1", .badArgument, "max_hz must be a number from 0 to 100000"),
    ("subscribe max_hz=nan", .badArgument, "max_hz must be a number from 0 to 100000"),
    ("subscribe max_hz=inf", .badArgument, "max_hz must be a number from 0 to 100000"),
    (
      "subscribe min_change_grams=1e9", .badArgument,
      "min_change_grams must be a number from 0 to 1000000"
    ),
    (
      "calibrate", .badArgument,
      "calibrate needs step, as in calibrate step=begin weights_percent=1"
    ),
    (
      "calibrate step=go", .badArgument,
      "step must be one of begin, point, check, drop, finish, cancel, not go"
    ),
    (
      "calibrate step=point", .badArgument,
      "step=point needs grams, as in calibrate step=point grams=20 device=a"
    ),
    (
      "calibrate step=begin grams=5", .badArgument,
      "grams is only valid with step=point and step=check and step=drop"
    ),
    (
      "calibrate step=check grams=0", .badArgument,
      "step=check needs grams above 0, as in calibrate step=check grams=20"
    ),
    (
      "calibrate step=point grams=5 condition=corner", .badArgument,
      "calibrate takes no argument condition any more; use step=check"
    ),
    (
      "calibrate step=point grams=-1", .badArgument,
      "grams must be a number from 0 to 100000"
    ),
    (
      "subscribe events=wieght", .badArgument,
      "each of events must be one of \(EventName.allCases.map(\.rawValue).joined(separator: ", ")), not wieght"
    ),
  ])
  func `an error states the cause`(line: String, code: ErrorCode, message: String) {
    #expect(throws: RequestError(code, message)) { try command(line) }
  }
}
