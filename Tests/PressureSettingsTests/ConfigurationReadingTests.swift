import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureSettings

/// Most keys with a value other than the default.
let otherText = """
  socket:
    { path: /run/p.sock, mode: "0600", max_clients: 8, client_buffer_kib: 64 }
  access: { seat: false, suspend_when_locked: false, group: games, users: [berta] }
  use: { users: [berta], groups: [games], requests_per_second: 7 }
  control: { seat: true, users: [anna, "1000"], groups: [wheel] }
  always_read: true
  nominal_full_scale_grams: 1e3
  press:
    stages: [{ name: soft, press: 1.5, release: 1, unit: force }]
    gram_stages: [{ name: firm, press: 90, release: 80 }]
    fingers: 2
    simulated: never
    curve: [{ ratio: 0.5, output: 0.3 }]
    hold_ms: 500
    rules: none
  regions:
    - { name: left, device: "0018-*", x: 0, y: 0.25, width: 0.5, height: 0.75 }
  actions:
    - type: local.tare
      title: Tare
      subtitle: ""
      icon: scale
      icon_file: /usr/share/icons/scale.svg
      user_info: { step: "1", note: "" }
      on: { press: firm, fingers: any, region: left, device: "0018-*" }
  haptics: { enabled: true, intensity_percent: 100, stages: [firm] }
  scale: { window_ms: 500, range_grams: 0.5, zero_grams: 0.2, filter_ms: 0, auto_zero: true }
  devices:
    - match: "0018-06cb-*"
      ignore: true
      effective_maximum: 200
      nominal_full_scale_grams: 500
      press: { hold_ms: 0 }
  """

@Test(arguments: [
  "", "# nothing\n", "---\n", "~", "socket:\nregions: null\npress: {}",
])
func `empty and default values result in the default configuration`(text: String) throws {
  #expect(try configuration(text) == Configuration())
}

@Test func `a stage above the click applies to every device`() throws {
  let press = try configuration("press: { stages: [{ name: force, above_click: 2 }] }").press
  let force = PressStage(
    name: "force", threshold: try Threshold(press: 2, release: 1.6), unit: .click)
  #expect(press.stages.stages == [force])
  #expect(press.stages(gramsAreTrue: true).stages == [force])
}

@Test func `stages in grams stay beside a stage above the click`() throws {
  let press = try configuration(
    "press: { stages: [{ name: force, above_click: 2, release: 1 }], "
      + "gram_stages: [{ name: force, press: 300, release: 200 }] }"
  ).press
  #expect(press.stages.stages.first?.threshold == (try Threshold(press: 2, release: 1)))
  #expect(press.stages(gramsAreTrue: true).stages.first?.threshold.press == 300)
}

@Test(arguments: PressFeel.allCases)
func `a feel has stages of both units with the usual names`(feel: PressFeel) throws {
  let press = try configuration("press: { feel: \(feel) }").press
  #expect(press.stages == feel.clickStages)
  #expect(press.gramStages == feel.gramStages)
  for ladder in [press.stages, press.gramStages] {
    #expect(ladder.stages.map(\.name) == ["light", "deep"])
    // Built-in stages are not checked when they are created.
    #expect(try StageLadder(ladder.stages) == ladder)
  }
}

@Test func `the feels rise from 110 to 145 grams, and the fixed one is at 200`() {
  let points = PressFeel.allCases.map { $0.gramStages.stages[0].threshold.press }
  #expect(points == [110, 130, 145, 200])
  #expect(PressFeel.medium.clickStages.stages[0].threshold.press == 1)
}

@Test func `stages beside a feel replace its own`() throws {
  let press = try configuration(
    "press: { feel: firm, gram_stages: [{ name: light, press: 99, release: 90 }] }"
  ).press
  #expect(press.stages == PressFeel.firm.clickStages)
  #expect(press.gramStages.stages.map(\.threshold.press) == [99])
}

@Test func `every key of regions, actions and devices is read`() throws {
  let read = try configuration(otherText)
  let left = try Region(name: "left", device: "0018-*", x: 0, y: 0.25, width: 0.5, height: 0.75)
  #expect(read.regions == [left])
  var tare = Action(type: "local.tare", title: "Tare")
  tare.subtitle = ""
  tare.icon = "scale"
  tare.iconFile = "/usr/share/icons/scale.svg"
  tare.userInfo = ["step": "1", "note": ""]
  var trigger = ActionTrigger(stage: "firm")
  (trigger.fingers, trigger.region, trigger.device) = (.any, "left", "0018-*")
  tare.trigger = trigger
  #expect(read.actions == [tare])
  var device = DeviceConfiguration(match: "0018-06cb-*")
  (device.ignored, device.effectiveMaximum, device.nominalFullScaleGrams) = (true, 200, 500)
  device.press = read.press
  device.press?.holdMilliseconds = 0
  #expect(read.devices == [device])
}

@Test func `missing press settings of a device are those for all devices`() throws {
  let read = try configuration(
    "devices: [{ match: a, press: { fingers: 2 } }]\npress: { hold_ms: 700, fingers: 1 }")
  let press = read.settings(for: "a").press
  #expect((press.holdMilliseconds, press.fingers) == (700, .exactly(2)))
  #expect(read.settings(for: "b").press.fingers == .exactly(1))
}

@Test func `a device's stages replace those for all devices`() throws {
  let read = try configuration(
    "devices: [{ match: a, press: { stages: [{ name: hard, press: 0.5, release: 0.4 }] } }]")
  #expect(read.settings(for: "a").press.stages.stages.map(\.name) == ["hard"])
  #expect(read.settings(for: "a").press.gramStages.stages.map(\.name) == ["light", "deep"])
}

@Test func `a file truncated anywhere is read or refused without a trap`() {
  let bytes = Array(otherText.utf8)
  for count in bytes.indices { _ = errors(Array(bytes[..<count])) }
}

@Test func `a file with any byte changed is read or refused without a trap`() {
  let bytes = Array(otherText.utf8)
  let damages: [UInt8] = [0x00, 0x09, 0x26, 0x2a, 0x7b, 0xff]
  let count = trials(damages.count, few: 2)
  for index in bytes.indices {
    for offset in 0..<count {
      let damage = damages[(index * count + offset) % damages.count]
      var damaged = bytes
      damaged[index] = damage
      _ = errors(damaged)
    }
  }
}

@Test func `null in an action is its default`() throws {
  let read = try configuration(
    """
    actions:
      - { type: local.tare, title: Tare, subtitle: null, icon: null, icon_file: null, user_info: {}, on: { press: deep, fingers: 1, region: null, device: "*" } }
    """)
  var tare = Action(type: "local.tare", title: "Tare")
  tare.trigger = ActionTrigger(stage: "deep")
  #expect(read.actions == [tare])
}

func configuration(_ text: String) throws -> Configuration {
  try ConfigurationFile.read(text: Array(text.utf8), name: "config.yaml")
}

func errors(_ text: String) -> [String] {
  errors(Array(text.utf8))
}

func errors(_ text: [UInt8]) -> [String] {
  do {
    _ = try ConfigurationFile.read(text: text, name: "config.yaml")
    return []
  } catch {
    return error.sentences
  }
}
