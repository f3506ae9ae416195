import PressureKit
import Testing

@testable import PressureSettings

/// The top-level keys, in the order in which they are read.
private let topKeys =
  "socket, access, use, control, always_read, nominal_full_scale_grams, quirks_file, press, regions, devices, "
  + "actions, haptics, scale"

@Test(
  arguments: [
    ("\n\nsockett: {}", #"3:1: unknown key "sockett"; did you mean "socket"?"#),
    (
      "socket: { max-clients: 1 }", #"1:11: unknown key "max-clients"; did you mean "max_clients"?"#
    ),
    ("Press: {}", #"1:1: unknown key "Press"; did you mean "press"?"#),
    ("weather: fine", #"1:1: unknown key "weather"; valid keys are \#(topKeys)"#),
    ("<<: { always_read: true }", #"1:1: unknown key "<<"; valid keys are \#(topKeys)"#),
  ])
func `an unknown key is reported with the nearest known one`(text: String, sentence: String) {
  #expect(errors(text) == ["config.yaml:" + sentence])
}

@Test(
  arguments: [
    (
      "socket:\n  path: ok\n\n  max_clients: many",
      #"4:16: max_clients must be a whole number from 1 to 65536, not "many""#
    ),
    ("always_read: yes", #"1:14: always_read must be true or false, not "yes""#),
    ("always_read: \"true\"", #"1:14: always_read must be true or false, not "true""#),
    ("always_read:", "1:13: always_read must be true or false, not null"),
    (
      "nominal_full_scale_grams: []",
      "1:27: nominal_full_scale_grams must be a number from 1 to 100000, not a list"
    ),
    (
      "socket: { max_clients: \"1\" }",
      #"1:24: max_clients must be a whole number from 1 to 65536, not "1""#
    ),
    (
      "socket: { max_clients: 1.0 }",
      "1:24: max_clients must be a whole number from 1 to 65536, not 1.0"
    ),
    (
      "socket: { mode: 0660 }",
      #"1:17: mode must be an octal number in quotes, from "0" to "777" or null, not 0660"#
    ),
    (
      "socket: { mode: \"0668\" }",
      #"1:17: mode must be an octal number in quotes, from "0" to "777" or null, not "0668""#
    ),
    ("access: { group: 7 }", "1:18: group must be text or null, not 7"),
    ("access: { group: true }", "1:18: group must be text or null, not true"),
    ("access: { group: \"\" }", #"1:18: group must be text or null, not """#),
    ("socket: []", "1:9: socket must be a mapping, not a list"),
    ("regions: {}", "1:10: regions must be a list, not a mapping"),
    ("regions: [3]", "1:11: each of regions must be a mapping, not 3"),
    ("regions:\n-\n", "2:2: each of regions must be a mapping, not null"),
    ("control: { users: [anna, {}] }", "1:26: each of users must be text, not a mapping"),
    ("control: { users: anna }", #"1:19: users must be a list, not "anna""#),
    ("press: { simulated: on }", #"1:21: simulated must be one of auto, never, always, not "on""#),
    (
      "press: { fingers: two }",
      #"1:19: fingers must be any or a whole number from 1 to 10, not "two""#
    ),
    (
      "press: { gram_stages: [{ name: a, press: 2, release: 1, unit: ratio }] }",
      #"1:63: unit must be grams, not "ratio""#
    ),
    (
      "press: { stages: [{ name: a, press: 200, release: 100, unit: gram }] }",
      #"1:62: unit must be one of ratio, force, grams, click, not "gram""#
    ),
    (
      "press: { stages: [{ name: a, above_click: 2, press: 0.5 }] }",
      "1:53: a stage with above_click has no press"
    ),
    (
      "press: { feel: soft }",
      #"1:16: feel must be one of light, medium, firm, fixed or null, not "soft""#
    ),
    ("press: { rules: 1 }", "1:17: rules must be one of standard, none, not 1"),
    ("actions: [{ type: a, title: b, user_info: { n: 1 } }]", "1:48: n must be text, not 1"),
    (
      "actions: [{ type: a, title: b, user_info: x }]",
      #"1:43: user_info must be a mapping, not "x""#
    ),
    ("actions: [{ type: a }]", #"1:11: "title" is missing"#),
    ("devices: [{ ignore: true }]", #"1:11: "match" is missing"#),
    ("- 1", "1:1: the file must be a mapping, not a list"),
    ("text", #"1:1: the file must be a mapping, not "text""#),
  ])
func `a value of the wrong type is reported with its location`(text: String, sentence: String) {
  #expect(errors(text) == ["config.yaml:" + sentence])
}

@Test(
  arguments: [
    (
      "press:\n  stages:\n    - { name: a, press: 0.3, release: 0.9 }",
      "3:39: release (0.9) must be below press (0.3)"
    ),
    (
      "press:\n  stages:\n    - { name: a, press: 0.3, release: 0.2 }\n    - { name: b, press: 0.3, release: 0.2 }",
      #"4:25: press of "b" (0.3) must be above press of "a" (0.3)"#
    ),
    (
      "regions: [{ name: a, x: 0.6, y: 0, width: 0.5, height: 1 }]",
      "1:43: x (0.6) plus width (0.5) must not exceed 1"
    ),
    (
      "actions: [{ type: a, title: b }, { type: a, title: c }]",
      #"1:42: duplicate action "a""#
    ),
    (
      "actions: [{ type: a, title: b, user_info: { text: \(String(repeating: "x", count: 16_384)) } }]",
      "1:43: the action has 16477 bytes in JSON; the maximum is 16384"
    ),
    (
      "actions: [{ type: a, title: b, on: { press: dep } }]",
      #"1:45: press must be the name of a stage ("light", "deep"), not "dep""#
    ),
    (
      "actions: [{ type: a, title: b, on: { press: deep, region: left } }]",
      #"1:59: region must be the name of a region (none is defined) or null, not "left""#
    ),
    ("always_read: true\nalways_read: false", #"2:1: duplicate key "always_read""#),
    (
      "access: { group: a, group: b }", #"1:21: duplicate key "group""#
    ),
  ])
func `contradictory values are reported with their location`(text: String, sentence: String) {
  #expect(errors(text) == ["config.yaml:" + sentence])
}

@Test(
  arguments: [
    ("socket: { max_clients: %% }", ["0", "65537", "-1", "99999999999999999999", "1_000", "0x10"]),
    ("socket: { client_buffer_kib: %% }", ["0", "65537", ".5"]),
    ("socket: { mode: %% }", ["'1000'", "'-1'", "''", "'+7'", "'77777777777777'"]),
    ("socket: { path: %% }", ["/" + String(repeating: "a", count: 107), "\"a\\0\""]),
    ("scale: { range_grams: %% }", ["-0.01", ".nan", "nan", ".inf", "infinity", "1e999", "0x1p3"]),
    ("nominal_full_scale_grams: %%", ["0", "100001", "null"]),
    ("press: { fingers: %% }", ["0", "11", "-1", "1.5"]),
    ("press: { hold_ms: %% }", ["-1", "60001"]),
    ("press: { stages: [{ name: a, press: %%, release: 0 }] }", ["1.1", "-1", "0"]),
    ("press: { stages: [{ name: a, press: %%, release: 0, unit: force }] }", ["1001", "-1"]),
    ("press: { gram_stages: [{ name: a, press: %%, release: 0 }] }", ["100001", "-1"]),
    ("press: { stages: [{ name: a, above_click: %% }] }", ["0", "-1", "20.1"]),
    ("press: { stages: [{ name: a, above_click: 2, release: %% }] }", ["2", "-1"]),
    ("regions: [{ name: a, x: %%, y: 0, width: 0.1, height: 1 }]", ["-0.1", "1.1", "1"]),
    ("regions: [{ name: a, y: %%, x: 0, width: 0.1, height: 0.1 }]", ["-0.1", "1.1", "1"]),
    ("regions: [{ name: a, x: 0, y: 0, width: %%, height: 1 }]", ["-0.1", "1.1", "0"]),
    ("regions: [{ name: a, x: 0, y: 0, width: 1, height: %% }]", ["-0.1", "1.1", "0"]),
    ("haptics: { intensity_percent: %% }", ["-1", "101"]),
    ("actions: [{ type: a, title: b, on: { press: deep, fingers: %% } }]", ["0", "11"]),
    ("devices: [{ match: a, effective_maximum: %% }]", ["0", "2147483648", "-5"]),
    ("devices: [{ match: a, nominal_full_scale_grams: %% }]", ["0", "100001"]),
  ])
func `a value out of range is reported once`(text: String, values: [String]) {
  let (head, tail) = halves(of: text)
  for value in values { #expect(errors(head + value + tail).count == 1, "\(value)") }
}

@Test func `all errors are reported at once, in the order of the file`() {
  let text = """
    actions: [{ type: a, title: b, on: { press: nothing } }]
    sockett: {}
    socket: { max_clients: many, mode: 0660 }
    """
  #expect(
    errors(text) == [
      #"config.yaml:2:1: unknown key "sockett"; did you mean "socket"?"#,
      #"config.yaml:3:24: max_clients must be a whole number from 1 to 65536, not "many""#,
      #"config.yaml:3:36: mode must be an octal number in quotes, from "0" to "777" or null, not 0660"#,
    ])
}

@Test func `a message is one line of limited length`() {
  let long = String(repeating: "x", count: 10_000)
  for text in [
    "\(long): 1", "always_read: \"a\\nb\(long)\"", "\"a\\nb\": 1",
    "always_read: 1\(String(repeating: "0", count: 300))",
  ] {
    let sentence = errors(text).joined(separator: "|")
    #expect(sentence.count < 220 && !sentence.contains("\n") && !sentence.isEmpty)
  }
}

@Test func `the number of reported errors is limited`() {
  let text = (0..<1000).map { "weather\($0): 1\n" }.joined()
  #expect(errors(text).count == DiagnosticList.limit)
}

private func halves(of text: String) -> (String, String) {
  guard let range = text.firstRange(of: "%%") else { return (text, "") }
  return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
}
