internal import PressureKit

// The results of requests, in the order of the requests, with the fields in the order in which they are written.

extension JSONType {
  static let nothing = defined("nothing", "an empty object", [])

  static let versions = defined(
    "versions", "the versions",
    [
      Field("version", .text(.filled), "version of the program"),
      Field(
        "protocol", .integer(from: Hello.protocolVersion, to: Hello.protocolVersion),
        "version of the protocol"),
    ])

  static let listedDevice = defined(
    "listed_device", "a device and its capabilities", [.device] + Field.deviceProperties)

  static let deviceState = defined(
    "device_state", "the contacts and the scale of a device",
    [
      .device,
      Field("contacts", .list(.pressing), "the current contacts, as in *weight*"),
      Field("heaviest", .contactOrNull, "the heaviest contact, or null"),
      Field("scale", .reading, "the fields of *scale*"),
    ])

  static let subscription = defined(
    "subscription", "the subscription in force",
    [
      Field("events", .list(.text()), "events received"),
      Field("devices", .orNull(.list(.text())), "devices subscribed to, or null for all"),
      Field("max_hz", .number(from: 0), "readings per second; 0 is every frame"),
      Field(
        "min_change_grams", .number(from: 0),
        "readings whose total changes by fewer grams are omitted"),
    ])

  static let reading = defined("reading", "the reading of a scale", Field.reading)

  static let datedReading = defined(
    "dated_reading", "the reading of a scale, with its time and device",
    [.time, .device] + Field.reading)

  static let pieces = defined(
    "pieces", "the pieces on a scale",
    [
      Field("pieces", .integer(), "number of pieces; preliminary if *status* is _in_motion_"),
      Field("piece_grams", .orNull(.number()), "weight of one piece in grams, or null"),
      Field("grams", .grams, "net weight in grams, or null"),
      .optional(
        "error_pieces", .orNull(.number(from: 0)),
        "uncertainty of the number, rounded up, to which the sample contributes as often as it goes into the pieces; null if "
          + "unknown"),
      .optional(
        "certain", .orNull(.boolean), "false if that exceeds half a piece; null if unknown"),
      .optional("status", .word(WeighingStatus.self), "as in *scale*"),
    ])

  static let describedAction = defined(
    "described_action", "a quick action",
    Field.action + [
      .optional(
        "dynamic", .boolean,
        "whether a client added the action; it exists until that client disconnects")
    ])

  static let performed = defined(
    "performed", "what became of an action",
    [
      Field(
        "handled", .boolean,
        "whether the action is built in or configured and its scale did not refuse it"),
      .optional("built_in", .boolean, "whether the daemon itself carried it out"),
      .optional(
        "clients", .count,
        "number of other clients that were sent the event. An action that is not built in and was sent to 0 clients had no "
          + "effect"),
    ])

  static let statistics = defined(
    "statistics", "counters: integers that never decrease, except *waiting*",
    [
      Field("daemon", .daemonCounts, "totals since the start"),
      Field("devices", .list(.deviceCounts), "one element for each device, since it was opened"),
      Field(
        "clients", .list(.clientCounts), "one element for each client, since it connected"),
    ])

  private static let framesField = Field(
    "frames", .count, "frames received, including those without a change")
  private static let eventsField = Field(
    "events", .count, "input events received, including SYN\\_REPORT")
  private static let droppedField = Field("dropped", .count, "overflows of the kernel's queue")
  private static let uptimeField = Field(
    "uptime", .count, "microseconds since the start, the opening of the device, or the connection")

  private static let clientFields = [
    Field("requests", .count, "requests received, including invalid ones"),
    Field("faults", .count, "failed requests"),
    Field("lines", .count, "lines queued"),
    Field("bytes", .count, "bytes sent"),
    Field("missed", .count, "lines dropped because the queue was full"),
    Field("replaced", .count, "readings replaced by newer ones before they were sent"),
  ]

  static let daemonCounts = defined(
    "daemon_counts", "totals of the daemon",
    [
      uptimeField,
      Field(
        "wake_ups", .orNull(.count),
        "wake-ups; this and the next three are null for a client that is served because of its seat"
      ),
      Field("accepted", .orNull(.count), "clients accepted, or null"),
      Field(
        "refused", .orNull(.count),
        "clients refused because the maximum number of clients was connected, or without permission, or null"
      ),
      Field(
        "stuck", .orNull(.count),
        "clients disconnected because lossless events filled their queue, or null"),
      framesField, eventsField, droppedField,
    ] + clientFields)

  static let deviceCounts = defined(
    "device_counts", "totals of a device",
    [
      .device, uptimeField, framesField, eventsField, droppedField,
      Field(
        "lines", .count,
        "lines written, counted once for all clients; a weight that no client receives because of its _max\\_hz_ is not "
          + "encoded, and not counted, unless a lossless event comes with it"),
      Field("bytes", .count, "bytes of these lines"),
    ])

  static let clientCounts = defined(
    "client_counts", "totals of a client",
    [
      Field("client", .count, "number of the client; numbers are not reused"),
      Field("you", .boolean, "whether it is the requesting client"),
      uptimeField,
    ] + clientFields + [
      Field("waiting", .count, "bytes that the client has not read yet")
    ])

  static let calibration = defined(
    "calibration", "the fit so far; after _cancel_ an empty object",
    [
      .optional("device", .deviceID, "the device"),
      .optional(
        "points", .list(.calibrationPoint), "the points, in the order in which they were added"),
      .optional(
        "fit", .orNull(.calibrationFit),
        "the fit, or null if the points do not allow one yet. An error above 25 % of the heaviest weight is refused"
      ),
      .optional(
        "refusal", .orNull(.text()),
        "why the points do not allow a calibration yet, or null"),
      .optional(
        "stored", .boolean,
        "after _finish_: false if the daemon stores no calibrations, as with a recording, a pipe or without a state folder; "
          + "the calibration is then in effect until the daemon ends"),
    ])

  static let calibrationPoint = defined(
    "calibration_point", "a known weight and the raw values measured for it",
    [
      Field("grams", .number(from: 0), "the weight in grams"),
      Field("raw", .number(), "mean of the raw values"),
      Field("spread", .number(from: 0), "spread of the raw values"),
      .optional(
        "condition", .word(CalibrationPoint.Condition.self),
        "how it was measured; only _regular_ points determine the fit"),
      .optional(
        "assumed", .boolean,
        "whether the zero was assumed, because the device sends nothing when empty"),
      .optional(
        "weights_percent", .number(from: 0, to: 100), "tolerance of the known weight in percent"),
    ])

  static let calibrationFit = defined(
    "calibration_fit", "a line through the points",
    [
      Field(
        "shape", .word(CalibrationFit.Shape.self),
        "_line_ (one straight line) or _pieces_ (a piecewise linear function)"),
      Field("error_grams", .number(from: 0), "uncertainty of a reading"),
      Field("worst_grams", .number(), "largest residual"),
      Field("worst_at_grams", .number(), "the weight with the largest residual"),
      Field("rmse_grams", .number(from: 0), "root mean square of the residuals"),
      Field("r2", .number(to: 1), "coefficient of determination"),
      Field(
        "line", .list(.list(.number(), count: 2...2)),
        "end points of the straight pieces, as pairs of grams and raw"),
      .optional("budget_at_grams", .number(), "the weight of *budget*: the heaviest one"),
      .optional(
        "budget", .list(.budgetPart),
        "the uncertainty of a reading of that weight by cause; the squares add up to that of the whole"
      ),
    ])

  static let budgetPart = defined(
    "budget_part", "a part of the uncertainty",
    [
      Field(
        "cause", .word(ErrorCause.self),
        "_noise_, _fit_, _weights_, _place_, _time_, _unloading_, _repetition_ or _temperature_"),
      Field("grams", .number(from: 0), "its part in grams"),
    ])

  static let grabbed = defined(
    "grab", "whether the daemon has exclusive access to the device",
    [.device, Field("grabbed", .boolean, "whether the device is grabbed now")])

  static let reloaded = defined(
    "reloaded", "the changes of the configuration",
    [
      Field("changed", .list(.text()), "keys whose values changed"),
      Field(
        "needs_restart", .list(.text()), "those of them that take effect only after a restart"),
    ])
}
