import Testing

@testable import PressureKit

struct ActionTriggerTests {
  /// The types of the actions that a sequence of pressures performs, on a pad of 0 to 100.
  private func performed(
    _ pressures: [Int32], by actions: [Action], regions: [Region] = []
  ) throws -> [String] {
    var description = DeviceDescription()
    description.axes = [
      0x2f: Axis(minimum: 0, maximum: 4), 0x35: Axis(minimum: 0, maximum: 100),
      0x36: Axis(minimum: 0, maximum: 100), 0x39: Axis(minimum: 0, maximum: 65535),
      0x3a: Axis(minimum: 0, maximum: 100),
    ]
    var configuration = Configuration()
    configuration.actions = actions
    configuration.regions = regions
    var engine = Engine(surface: try Surface(description), configuration: configuration)
    var output = EventBuffer()
    var time = Timestamp(microseconds: 0)
    func frame(_ values: (EventCode, Int32)...) {
      time.microseconds += 8000
      for (code, value) in values + [(.report, 0)] {
        engine.receive(InputEvent(time: time, code: code, value: value), into: &output)
      }
    }
    frame((.trackingID, 1), (.positionX, 25), (.positionY, 50))
    for pressure in pressures { frame((.pressure, pressure)) }
    frame((.trackingID, -1))
    return output.events.compactMap { event in
      if case .action(let action) = event.kind { action.type } else { nil }
    }
  }

  private func action(_ type: String, on stage: String, region: String? = nil) -> Action {
    var action = Action(type: type, title: type)
    action.trigger = ActionTrigger(stage: stage)
    action.trigger?.region = region
    return action
  }

  @Test func `a press performs the actions bound to its stage once per increase`() throws {
    let actions = [action("a.light", on: "light"), action("a.deep", on: "deep")]
    #expect(
      try performed([20, 50, 80, 100, 90, 65, 50, 10], by: actions) == ["a.light", "a.deep"])
    #expect(try performed([100], by: actions) == ["a.light", "a.deep"], "no stage is skipped")
    #expect(try performed([20, 29], by: actions) == [])
  }

  @Test func `an action is repeated only after the press left the stage`() throws {
    let deep = [action("a.deep", on: "deep")]
    #expect(try performed([80, 65, 80], by: deep) == ["a.deep"], "the release point is 60")
    #expect(try performed([80, 55, 80], by: deep) == ["a.deep", "a.deep"])
  }

  @Test func `a press outside the region performs no action`() throws {
    let left = try Region(name: "left", device: "*", x: 0, y: 0, width: 0.5, height: 1)
    let right = try Region(name: "right", device: "*", x: 0.5, y: 0, width: 0.5, height: 1)
    let actions = [
      action("a.left", on: "light", region: "left"),
      action("a.right", on: "light", region: "right"),
    ]
    #expect(try performed([50], by: actions, regions: [left, right]) == ["a.left"])
  }

  @Test func `another device or number of fingers performs no action`() throws {
    var elsewhere = action("a.elsewhere", on: "light")
    elsewhere.trigger?.device = "0005-*"
    var pair = action("a.pair", on: "light")
    pair.trigger?.fingers = .exactly(2)
    #expect(try performed([50], by: [elsewhere, pair]) == [])
  }
}
