package import PressureKit

/// A parsed request: a command with its validated arguments.
package enum Command: Hashable, Sendable {
  case help
  case ping
  case version
  case devices(from: Int)
  case state(device: String?, from: Int)
  case actions(from: Int)
  case addAction(Action)
  case removeAction(type: String)
  case perform(type: String, device: String?)
  case subscribe(Subscription)
  case weigh(device: String?, timeoutMilliseconds: Int)
  case scale(ScaleRequest, device: String?)
  /// Nil returns the present target, and 0 g removes it.
  case target(ScaleTarget?, device: String?)
  /// `sample` is the known number of pieces that are on the scale now.
  case count(sample: Int?, device: String?)
  case history(last: Int, device: String?)
  case calibrate(device: String?, CalibrationStep)
  case grab(device: String?, isOn: Bool)
  case stats(from: Int)
  case reload

  /// Parses the arguments of a request; throws `unknown_command` or `bad_argument`.
  package init(_ request: Request) throws(RequestError) {
    self = try RequestDefinition.of(request).command(for: request)
  }

  /// The default time limit of `weigh` in milliseconds.
  package static let defaultWeighTimeoutMilliseconds = 10_000
}

extension RequestDefinition {
  /// All requests, in the order of the manual page.
  package static let all: [RequestDefinition] = [
    RequestDefinition(
      "help", .read, isForSuspended: true, "lists the requests"
    ) { _ in .help },
    RequestDefinition(
      "ping", .read, isForSuspended: true, "tests the connection"
    ) { _ in .ping },
    RequestDefinition(
      "version", .read, isForSuspended: true, "returns the versions"
    ) { _ in .version },
    RequestDefinition(
      "devices", .read, "lists the devices", [.from]
    ) { .devices(from: $0.start) },
    RequestDefinition(
      "state", .read, "returns the contacts and the reading of each device, or of one",
      [.device, .from], examples: ["state", "state device=a from=1"]
    ) { .state(device: $0.device, from: $0.start) },
    RequestDefinition(
      "subscribe", .read, isForSuspended: true, "selects the events to receive from now on",
      [
        RequestArgument(
          "events", .list(.word(EventName.allCases.map(\.rawValue))), "E,…",
          "names of events; all if omitted, none if the list is empty"),
        RequestArgument(
          "devices", .list(.name, maximum: 64), "D,…",
          "devices whose events to receive; all if omitted, none if the list is empty"),
        RequestArgument(
          "max_hz", .number(0...100_000), "N",
          "readings per second for each device; 0 is every frame", unit: "Hz",
          default: Subscription.defaultRate.shortDescription),
        RequestArgument(
          "min_change_grams", .number(0...1_000_000), "G",
          "readings whose total changes by less are omitted", unit: "g", default: "0"),
      ],
      examples: [
        "subscribe events=weight,heaviest max_hz=10",
        "subscribe events= devices=a,b min_change_grams=0.5",
      ]
    ) { .subscribe(Subscription($0)) },
    RequestDefinition(
      "weigh", .use, "waits for the next stable reading; later requests wait until then",
      [
        .device,
        RequestArgument(
          "timeout_ms", .number(0...3_600_000), "N", "how long to wait", unit: "ms",
          default: String(Command.defaultWeighTimeoutMilliseconds)),
      ],
      examples: ["weigh timeout_ms=1"]
    ) {
      .weigh(
        device: $0.device,
        timeoutMilliseconds: $0.number("timeout_ms").map { Int($0) }
          ?? Command.defaultWeighTimeoutMilliseconds)
    },
    scale("tare", .tare, "subtracts the current load from now on"),
    scale("untare", .clearTare, "clears the tare"),
    scale("zero", .zero, "makes the current reading zero; only near zero"),
    scale("hold", .hold, "freezes the reading"),
    scale("release", .release, "ends the hold"),
    RequestDefinition(
      "target", .useWith("grams"), "sets or returns the target net weight",
      [
        .device,
        RequestArgument(
          "grams",
          .number(-ScaleTarget.maximumGrams...ScaleTarget.maximumGrams), "G",
          "the target net weight; 0 removes it, and without it nothing changes", unit: "g"),
        RequestArgument(
          "tolerance", .number(0...ScaleTarget.maximumGrams), "G",
          "the tolerance, plus or minus", unit: "g",
          default: ScaleTarget.defaultTolerance.shortDescription, .with("grams")),
      ], examples: ["target grams=5 tolerance=1", "target"]
    ) { arguments in
      let tolerance = arguments.number("tolerance") ?? ScaleTarget.defaultTolerance
      let target = arguments.number("grams").map { ScaleTarget(grams: $0, tolerance: tolerance) }
      return .target(target, device: arguments.device)
    },
    RequestDefinition(
      "count", .useWith("sample"), "counts equal pieces",
      [
        .device,
        RequestArgument(
          "sample", .integer(1...1_000_000), "N",
          "the number of pieces that are on the scale now, at rest"),
      ], examples: ["count", "count sample=12"]
    ) { .count(sample: $0.integer("sample"), device: $0.device) },
    RequestDefinition(
      "history", .read, "returns the last stable readings, oldest first",
      [
        .device,
        RequestArgument(
          "last", .integer(0...ScaleMemory.historyLength), "N",
          "how many readings at most", default: String(ScaleMemory.historyLength)),
      ], examples: ["history last=5"]
    ) { .history(last: $0.integer("last") ?? ScaleMemory.historyLength, device: $0.device) },
    RequestDefinition(
      "actions", .read, isForSuspended: true, "lists the quick actions", [.from]
    ) { .actions(from: $0.start) },
    RequestDefinition(
      "perform", .use, "performs a quick action",
      [
        RequestArgument("type", .name, "T", "the name of the action", .required),
        .device,
      ], examples: ["perform type=local.next device=a"]
    ) { .perform(type: $0.text("type") ?? "", device: $0.device) },
    RequestDefinition(
      "stats", .read, "returns counters of the daemon, its devices and its clients", [.from]
    ) { .stats(from: $0.start) },
    RequestDefinition(
      "calibrate", .control(.device), "calibrates the scale with known weights",
      CalibrationStep.arguments,
      examples: [
        "calibrate step=begin weights_percent=1", "calibrate step=point grams=20 device=a",
        "calibrate step=check grams=20", "calibrate step=drop", "calibrate step=finish",
        "calibrate step=cancel",
      ], successors: ["condition": "step=check"]
    ) { arguments throws(RequestError) in
      .calibrate(device: arguments.device, try CalibrationStep(arguments))
    },
    RequestDefinition(
      "grab", .control(.device),
      "hides the touches of a device from the desktop; begins and ends while nothing touches it",
      [
        .device,
        RequestArgument(
          "on", .boolean, "true|false",
          "true grabs the device until the client disconnects, false releases it", .required),
      ], examples: ["grab on=true", "grab on=false device=a"]
    ) { .grab(device: $0.device, isOn: $0.bool("on") ?? false) },
    RequestDefinition(
      "add_action", .control(.seat), "adds a quick action until the client disconnects",
      Action.arguments,
      examples: [
        "add_action type=local.lamp title=Lamp",
        "add_action type=local.lamp title=Lamp subtitle=S icon=I icon_file=F press=deep fingers=2 region=left device=a",
        #"{"do":"add_action","type":"local.lamp","title":"Lamp","user_info":{"a":"b"}}"#,
      ]
    ) { .addAction(Action($0)) },
    RequestDefinition(
      "remove_action", .control(.seat), "removes an action that the client added",
      [RequestArgument("type", Action.name, "T", "the name of the action", .required)],
      examples: ["remove_action type=local.lamp"]
    ) { .removeAction(type: $0.text("type") ?? "") },
    RequestDefinition(
      "reload", .control(.daemon), isForSuspended: true,
      "reads the configuration again, which applies from the next touch on; an invalid file changes nothing"
    ) { _ in .reload },
  ]

  private static func scale(
    _ verb: String, _ request: ScaleRequest, _ summary: String
  ) -> RequestDefinition {
    RequestDefinition(
      verb, .use, summary, [.device]
    ) { .scale(request, device: $0.device) }
  }
}

// MARK: - Arguments of several requests

extension RequestArgument {
  fileprivate static let device = RequestArgument(
    "device", .name, "D",
    "the device; may be omitted if there is only one, or only one that can weigh")

  fileprivate static let from = RequestArgument(
    "from", .integer(0...4_294_967_295), "N",
    "the index of the first element, from *next* of a reply", default: "0")
}

extension Arguments {
  fileprivate var device: String? { text("device") }

  fileprivate var start: Int { integer("from") ?? 0 }
}

extension CalibrationStep {
  fileprivate static var arguments: [RequestArgument] {
    [
      .device,
      RequestArgument(
        "step", .word(["begin", "point", "check", "drop", "finish", "cancel"]), "S",
        "_begin_ with the surface empty, then _point_ with *grams* on it, at least twice, then _finish_; or _cancel_. _check_ "
          + "compares *grams* on the surface with the calibration; _drop_ takes back what was measured last",
        .required),
      RequestArgument(
        "grams", .number(0...ConfigurationLimits.grams.upperBound), "G",
        "the known weight on the surface, above 0 for _check_; with _drop_ the weight whose last point to remove",
        unit: "g", .when("step", in: ["point", "check", "drop"], required: "point")),
      RequestArgument(
        "weights_percent", .number(0...100), "P",
        "the tolerance of the weights, with _begin_ of all, otherwise of one", unit: "percent",
        default: "2", .when("step", in: ["begin", "point", "check"])),
    ]
  }

  fileprivate init(_ arguments: Arguments) throws(RequestError) {
    let tolerance = arguments.number("weights_percent").map { $0 / 100 }
    let grams = arguments.number("grams")
    switch arguments.text("step") {
    case "begin": self = .begin(tolerance: tolerance)
    case "point": self = .point(grams: grams ?? 0, tolerance: tolerance)
    case "check":
      guard let grams, grams > 0 else {
        throw .badArgument("step=check needs grams above 0, as in calibrate step=check grams=20")
      }
      self = .check(grams: grams, tolerance: tolerance)
    case "drop": self = .drop(grams: grams)
    case "finish": self = .finish
    default: self = .cancel
    }
  }
}

extension Action {
  package static let maxPerClient = 32
  package static let maxForAllClients = 256

  fileprivate static let name = ArgumentType.text(TextLimit(scalars: 128))
  private static let text = ArgumentType.text(TextLimit(scalars: 256))

  fileprivate static var arguments: [RequestArgument] {
    [
      RequestArgument("type", name, "T", "the unique name of the action", .required),
      RequestArgument("title", text, "T", "a text to display", .required),
      RequestArgument("subtitle", text, "S", "a second text to display"),
      RequestArgument("icon", text, "I", "the name of an icon"),
      RequestArgument("icon_file", .text(TextLimit(scalars: 4096)), "F", "the path of an icon"),
      RequestArgument(
        "user_info",
        .texts(
          maximum: 16, key: TextLimit(scalars: 128),
          value: TextLimit(scalars: 1024, mayBeEmpty: true)), "{…}",
        "strings that are passed on unchanged, with names of at most 128 characters and at most 1024 each; only in JSON"
      ),
      RequestArgument(
        "press", name, "STAGE", "the name of a stage: a press that reaches it performs the action"),
      RequestArgument(
        "fingers",
        .either(.integer(ConfigurationLimits.fingers), .word(["any"])), "N",
        "the number of fingers of that press", default: "1", .with("press")),
      RequestArgument(
        "region", name, "R", "the name of the region in which the press must begin",
        .with("press")),
      RequestArgument(
        "device", name, "D", "a pattern of the identifiers of devices; all if omitted",
        .with("press")),
    ]
  }

  fileprivate init(_ arguments: Arguments) {
    self.init(type: arguments.text("type") ?? "", title: arguments.text("title") ?? "")
    subtitle = arguments.text("subtitle")
    icon = arguments.text("icon")
    iconFile = arguments.text("icon_file")
    userInfo = arguments.members("user_info")
    guard let stage = arguments.text("press") else { return }
    var trigger = ActionTrigger(stage: stage)
    trigger.fingers =
      arguments.integer("fingers").map { .exactly($0) }
      ?? (arguments.text("fingers") == nil ? trigger.fingers : .any)
    trigger.region = arguments.text("region")
    trigger.device = arguments.text("device").map { Glob($0) } ?? trigger.device
    self.trigger = trigger
  }
}

extension ScaleTarget {
  /// In grams.
  fileprivate static let defaultTolerance = 1.0
}
