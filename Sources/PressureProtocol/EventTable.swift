internal import PressureKit

// The fields of all events, in the order in which they are written. The schema and the tables of the manual page are made
// from them; tests compare them with the lines that `JSONLinesWriter` writes.

extension EventName {
  /// The fields of an event, without its name.
  package var fields: [Field] { object.fields }

  /// The event as the schema defines it.
  package var object: JSONObject {
    switch self {
    case .hello:
      JSONObject(
        rawValue, "the first line of each connection",
        [
          Field(
            "protocol", .integer(from: Hello.protocolVersion, to: Hello.protocolVersion),
            "version of the protocol"),
          Field("version", .text(.filled), "version of the program"),
          Field(
            "clock", .word(Hello.Clock.self),
            "_monotonic_ (CLOCK\\_MONOTONIC), or _file_ (timestamps of the recording, from *pressured replay*)"
          ),
          Field("commands", .list(.text()), "the requests that the daemon supports"),
          Field("events", .list(.text()), "the events that it can send"),
        ])
    case .device:
      dated(
        "a device is present, was added or removed, or changed",
        [
          Field(
            "change", .word(Device.Change.self),
            "_present_ (in the snapshot), _added_, _removed_, _changed_"),
          .optional(
            "stopping", .alwaysTrue,
            "true if it was removed only because the daemon stops; otherwise omitted"),
        ] + Field.deviceProperties)
    case .contact:
      dated(
        "a contact begins, ends or is cancelled",
        [
          .slot, .contact,
          Field("phase", .word(["began", "ended", "cancelled"]), "_began_, _ended_, _cancelled_"),
          .present,
        ] + Field.location + [
          .optional(
            "peak_force", .forceOrNull, "at the end: maximum of the contact; null if unknown"),
          .optional(
            "peak_grams", .grams,
            "at the end: maximum of the contact; null if unknown or if the device cannot weigh"),
          Field(
            "duration", .count, "at the end: microseconds since the contact began", isOptional: true
          ),
        ],
        conditions: """
          "if": {"required": ["phase"], "properties": {"phase": {"enum": ["ended", "cancelled"]}}},
          "then": {"required": ["peak_force", "peak_grams", "duration"]}
          """)
    case .weight:
      dated(
        "the pressure of each contact, for each frame in which a contact changed, began or ended",
        [
          Field("contacts", .list(.pressing), "list of the current contacts; see below"),
          Field(
            "total_grams", .grams,
            "total of all contacts; null if the device cannot weigh, or if a pressure is unknown"),
          Field(
            "center_x", .partOrNull,
            "center of all contacts, 0 to 1, weighted by force if all are known; null without contacts"
          ),
          Field("center_y", .partOrNull, "the same from the upper edge; null without contacts"),
          Field("heaviest", .contactOrNull, "the heaviest contact, or null"),
          Field(
            "shared_sensor", .boolean, "true if several contacts share the total of one sensor"),
        ])
    case .maximumForce:
      dated(
        "a contact reached the effective maximum, or fell below 0.95 of it",
        [
          Field("state", .word(MaximumForce.State.self), "_reached_, _released_"),
          .slot, .contact,
          Field("force", .forceOrNull, "its force; null if the pressure has become unknown"),
          .grams, .saturated,
        ] + Field.location + Field.target + [.present])
    case .heaviest:
      dated(
        "another contact became the heaviest, or no contact is left",
        [
          Field("slot", .orNull(.slot), "slot of the heaviest contact, or null"),
          Field("contact", .contactOrNull, "the heaviest contact, or null"),
          Field("force", .forceOrNull, "its force, or null"),
          Field("grams", .grams, "its weight, or null"),
          Field("previous", .contactOrNull, "the previous heaviest contact, or null"),
        ])
    case .press:
      dated(
        "a force gesture",
        [
          Field(
            "state", .word(Press.State.self), "_started_, _changed_, _fixed_, _ended_, _cancelled_"),
          .contact, .slot,
        ] + Field.location + [
          Field(
            "fingers", .integer(from: 1),
            "number of fingers on the surface, pressing or resting; palms, hovering fingers, thumbs at rest and contacts "
              + "longer than 25 mm are not counted"),
          Field(
            "stage", .text(.filled), "configured name of the stage, such as _light_ or _deep_"),
          .optional(
            "entered", .text(.filled),
            "the same name on the one line on which the press reaches this stage from below, also of _started_; omitted on "
              + "all other lines, and if the press falls back to a stage. A press that falls and rises again enters the stage again"
          ),
          Field("progress", .number(from: 0, to: 1), "*transition*, or 0 if that is negative"),
          Field(
            "transition", .number(from: -1, to: 1),
            "position within the stage: 0 at its press point, 1 at that of the next stage, or at the maximum in the last stage; "
              + "negative on the way to the previous stage, down to -1"),
          Field(
            "force", .forceOrNull,
            "as a multiple of an average touch; null if the pressure has become unknown"),
          Field("ratio", .orNull(.ratio), "null if *force* is"),
          .grams,
          Field(
            "simulated", .boolean,
            "true if the press is simulated by the time that the finger rests"),
          .optional(
            "clicked", .boolean,
            "true if the pad's own button is down or has been since the press started; omitted if the surface is not a button"
          ),
        ] + Field.target + [.present])
    case .scale:
      dated(
        "the reading of the scale changed, or there is a new stable reading",
        Field.reading + [.user, .request])
    case .action:
      JSONObject(
        rawValue, "a quick action was performed",
        [.time, Field("device", .orNull(.text()), "the device, or null")] + Field.action + [
          Field("origin", .word(ActionOrigin.self), "_press_ or _request_"), .user, .request,
        ])
    case .access:
      JSONObject(
        rawValue, "the access of this client to the devices of a seat was suspended or resumed",
        [
          .time,
          Field("seat", .text(), "the seat, as *loginctl*(1) names it"),
          Field("state", .word(AccessState.self), "_suspended_ or _resumed_"),
          Field(
            "reason", .orNull(.word(SuspensionReason.self)),
            "_inactive_ (the session is not the active one of the seat), _locked_, or _unavailable_ (systemd-logind does not run "
              + "or does not answer); null if access was resumed"),
        ])
    case .missed:
      JSONObject(
        rawValue, "lines were dropped because the queue of this client was full",
        [
          Field(
            "count", .integer(from: 1), "number of dropped lines since the previous *missed* event")
        ])
    case .reply:
      JSONObject(
        rawValue, "the answer to a request",
        [
          Field("id", .requestID, "the *id* of the request, or null"),
          Field(
            "do", .orNull(.text()),
            "the verb, or null if the line has none; an unknown verb is truncated"),
          Field("ok", .boolean, "whether the request succeeded"),
          .optional("result", .any, "the result if *ok* is true"),
          .optional(
            "next", .count,
            "if a list was too long for one reply: the value of *from* for the rest"),
          .optional("error", .error, "why the request failed, if *ok* is false"),
        ])
    }
  }

  private func dated(
    _ summary: String, _ fields: [Field], conditions: String? = nil
  ) -> JSONObject {
    JSONObject(rawValue, summary, [.time, .device] + fields, conditions: conditions)
  }

}

// MARK: - Fields of several events and results

extension Field {
  static let time = Field("time", .time)
  static let device = Field("device", .deviceID)
  static let slot = Field("slot", .slot)
  static let contact = Field("contact", .contactID)
  static let grams = Field("grams", .grams)

  static let saturated = Field(
    "saturated",
    .named(
      "saturated", .boolean,
      "whether the axis is at its maximum, so that the true pressure may be higher"))

  static let present = Field(
    "present", .alwaysTrue, "true in a snapshot, omitted otherwise", isOptional: true)

  static let location = [
    Field("x", .position), Field("y", .position), .optional("x_mm", .millimeters),
    .optional("y_mm", .millimeters),
  ]

  static let target = [
    Field("target", .targetName), Field("target_x", .partOrNull), Field("target_y", .partOrNull),
    .optional(
      "region", .named("region_name", .text(), "the same as *target*; omitted outside all regions")),
  ]

  static let user = Field(
    "user", .count,
    "user ID of the client whose request caused this event; omitted if no request did",
    isOptional: true)

  static let request = Field(
    "request", .text(), "verb of that request; omitted if no request caused this event",
    isOptional: true)

  static var deviceProperties: [Field] {
    [
      Field("name", .text(), "name of the device as reported by the kernel"),
      Field("node", .text(), "device node, or path of the recording"),
      Field("slots", .integer(from: 1, to: 1024), "maximum number of contacts"),
      Field(
        "capability", .word(Surface.Capability.self),
        "meaning of the pressure axis: _force_, _size_ (usually contact area), _none_ or _broken_; see below"
      ),
      Field("per_contact", .boolean, "false if all contacts share one pressure value"),
      Field(
        "weight_source", .word(WeightSource.self),
        "source of grams: _calibrated_, _kernel_ (its units), _descriptor_ (of the report descriptor), _nominal_ (an "
          + "estimate), _none_"),
      Field(
        "pressure", .orNull(.pressureAxis),
        "{*minimum*, *maximum*, *resolution* (units per gram, or 0)} of the axis, or null"),
      Field(
        "effective_maximum", .orNull(.integer()),
        "raw value that counts as the maximum; null without pressure"),
      Field(
        "size_mm", .orNull(.list(.number(from: 0), count: 2...2)),
        "[width, height] in millimeters, or null"),
      Field("haptics", .boolean, "true if the device plays haptic pulses"),
      Field(
        "simulated_press", .boolean,
        "true if resting a finger simulates presses, because force is not available or because of the configuration"
      ),
      .optional(
        "verdict", .verdict,
        "what the pressure is, and what the pad does by itself; see below; omitted by daemons before 0.2"
      ),
    ]
  }

  static var reading: [Field] {
    [
      Field("status", .word(WeighingStatus.self), "see below"),
      Field(
        "grams", .grams,
        "net weight: gross weight minus tare; null if the device cannot weigh, or if the pressure of a contact is unknown"
      ),
      Field("gross_grams", .grams, "filtered weight relative to zero; null as *grams*"),
      Field("tare_grams", .number(), "tare weight"),
      Field(
        "error_grams", .orNull(.number(from: 0)),
        "uncertainty of the reading, rounded up; null if unknown: see *ERRORS*"),
      Field("rate", .orNull(.number()), "change in grams per second, or null"),
      Field("held", .boolean, "true while a hold is active"),
      Field(
        "decaying", .boolean,
        "true if the reading falls although the load stays: the surface or its firmware adapts to it. It remains true until "
          + "the load changes; *weigh* does not return such a reading"),
      Field(
        "target", .orNull(.scaleTarget),
        "{*grams*, *tolerance*, *within*}: target weight, tolerance, and whether the reading is within it; or null"
      ),
    ]
  }

  static var action: [Field] {
    [
      Field("type", .text(.filled), "unique name of the action, such as _pressured.tare_"),
      Field("title", .text(), "text to display"),
      Field("subtitle", .orNull(.text()), "second text to display, or null"),
      Field("icon", .orNull(.text()), "name of an icon of the desktop theme, or null"),
      Field("icon_file", .orNull(.text()), "path of an image, or null"),
      Field("user_info", .texts(), "strings by key, as configured"),
    ]
  }
}

// MARK: - Types of several fields

extension JSONType {
  static let eventName = named("event_name", .word(EventName.self), "the name of an event")

  static let time = named(
    "time", .count,
    "microseconds of the clock that *hello* names: CLOCK\\_MONOTONIC, or the timestamps of the recording"
  )

  static let deviceID = named(
    "device_id",
    .text(
      .matching("^[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}(-[A-Za-z0-9._:/]+)?(#[1-9][0-9]*)?$")),
    "BUS-VEND-PROD in lower-case hexadecimal, then -uniq or -phys; a second device with the same identifier has the suffix #2"
  )

  static let slot = named("slot", .integer(from: 0, to: 1023), "the slot of the contact, from 0")

  static let contactID = named(
    "contact_id", .integer(from: 0, to: Int64(Int32.max)),
    "the tracking ID: unique on its device from began to ended, reused later")

  static let contactOrNull = orNull(.contactID)

  static let position = named(
    "position", .orNull(.number(from: 0, to: 1)),
    "fraction of the width or height of the surface, from its left or upper edge; null if a recording does not contain it"
  )

  static let partOrNull = named(
    "part_or_none", .orNull(.number(from: 0, to: 1)),
    "fraction of the width or height of the surface or region, or null")

  static let millimeters = named(
    "millimetres", .number(from: 0),
    "millimeters from the left or upper edge; only if the device reports a resolution")

  static let ratio = named(
    "ratio", .number(from: 0, to: 1),
    "pressure as a fraction of the range from the minimum of the axis to the effective maximum")

  static let force = named("force", .number(from: 0), "force as a multiple of an average touch")

  static let forceOrNull = orNull(.force)

  static let grams = named(
    "grams", .orNull(.number()), "grams, to 0.1; null if the device cannot weigh")

  static let targetName = named(
    "target_name", .orNull(.text()), "the configured region that contains it, or null")

  static let requestID = named(
    "request_id",
    .orNull(
      .either([.text(), .numberOf64Bits])),
    "copied to the reply: a string, or a number of at most 64 bits, or null")

  /// An object with the name of its definition.
  static func defined(
    _ name: String, _ summary: String, _ fields: [Field], conditions: String? = nil
  ) -> JSONType {
    .object(JSONObject(name, summary, fields, conditions: conditions))
  }

  static let pressureAxis = defined(
    "pressure_axis", "the axis as reported by the kernel",
    [
      Field("minimum", .integer(), "minimum raw value"),
      Field("maximum", .integer(), "maximum raw value"),
      Field("resolution", .integer(), "raw units per gram; 0 if the device does not report them"),
    ])

  static let verdict = defined(
    "verdict", "what the pressure of the device is, and what the pad does by itself",
    [
      Field(
        "measures", .word(Verdict.Measure.self),
        "what the values are: _force_ of each contact, _total_ of all, _shares_ of a total, _area_, _none_, _broken_"
      ),
      Field(
        "certainty", .orNull(.word(Verdict.Certainty.self)),
        "_stated_ (with a unit, or calibrated), _inferred_ (from the kind of pad), _assumed_ (nothing is known of it), "
          + "_confirmed_ or _contradicted_ (by the values), or null"),
      Field(
        "range", .orNull(.list(.integer(), count: 2...2)),
        "[lowest, highest] value, or null if unknown"),
      Field(
        "range_source", .orNull(.word(Verdict.RangeSource.self)),
        "_declared_, _inherited_ (from another axis, so it is not believed), _use_ (the highest value so far), _configured_, "
          + "or null"),
      Field(
        "clicks_itself", .boolean,
        "true if the pad declares that it clicks by itself, without a mechanism or the host; false if unknown"
      ),
      Field(
        "haptics_trigger", .word(Verdict.Trigger.self),
        "which side can trigger haptic feedback: _host_, _pad_ (it alone), _none_ (none is declared)"
      ),
      Field(
        "settings", .list(.word(Verdict.Setting.self)),
        "settings that the device declares: _click_force_, _click_strength_"),
      Field("reasons", .list(.text()), "sentences for people; their text may change"),
    ])

  static let pressing = defined(
    "pressing", "a contact and its pressure",
    [
      .slot, .contact,
      Field(
        "phase", .word(["began", "moved", "stationary"]), "_began_, _moved_, _stationary_"),
    ] + Field.location + [
      Field(
        "raw", .orNull(.integer()), "value of the axis; null without pressure, or if it is unknown"),
      Field("ratio", .orNull(.ratio), "null if *raw* is"),
      Field("force", .forceOrNull, "null if *raw* is"),
      Field(
        "maximum_possible_force", .number(from: 0),
        "the force at the effective maximum; 0 without pressure"),
      .grams, .saturated,
      .optional(
        "major_mm", .number(from: 0), "length of the contact in millimeters; omitted if unknown"),
      .optional(
        "minor_mm", .number(from: 0), "width of the contact in millimeters; omitted if unknown"),
      .optional(
        "width_mm", .number(from: 0),
        "length of the finger above the contact in millimeters; omitted if unknown"),
      .optional(
        "angle", .number(from: -180, to: 180),
        "rotation of the length in degrees, clockwise from vertical; omitted if unknown"),
    ])

  static let scaleTarget = defined(
    "scale_target", "the target weight",
    [
      Field("grams", .number(), "target net weight in grams"),
      Field("tolerance", .number(from: 0), "tolerance in grams, plus or minus"),
      Field("within", .boolean, "whether the reading is within the tolerance"),
    ])

  static let error = defined(
    "error", "why a request failed",
    [
      Field("code", .word(ErrorCode.self), "error code for programs; see *ERRORS*"),
      Field("message", .text(.filled), "a sentence for people"),
      .optional(
        "reason", .word(BusyReason.self),
        "with *busy*: _clients_ (the maximum number of clients is connected; the connection is closed), _in_use_ (another "
          + "client or program uses the device in this way) or _touched_ (something touches the device)"
      ),
      .optional(
        "retry_after_ms", .integer(from: 1),
        "with *too_fast*: milliseconds after which to retry"),
    ],
    conditions: """
      "if": {"required": ["code"], "properties": {"code": {"const": "busy"}}},
      "else": {"properties": {"reason": false}}
      """)
}
