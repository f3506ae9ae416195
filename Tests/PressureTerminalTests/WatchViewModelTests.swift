import PressureKit
import Testing

@testable import PressureProtocol
@testable import PressureTerminal

@Suite struct WatchViewModelTests {
  @Test func `a device is added, changed and removed`() {
    var model = Lines.model(Lines.device("a"), Lines.device("b"))
    #expect(model.devices.map(\.device.device) == ["a", "b"])
    model.update(with: Lines.event(Lines.device("b", change: "changed", capability: "force")))
    #expect(model.devices.map(\.device.capability) == [.known(.size), .known(.force)])
    model.update(with: Lines.event(Lines.device("a", change: "removed")))
    #expect(model.device?.device.device == "b")
    model.update(with: Lines.event(Lines.device("a", change: "removed")))
    #expect(model.devices.count == 1)
  }

  @Test func `keys cycle through the devices`() {
    var model = Lines.model(Lines.device("a"), Lines.device("b"), Lines.device("c"))
    #expect(model.number == 1)
    model.step(by: -1)
    #expect(model.device?.device.device == "c")
    model.step(by: 1)
    #expect(model.number == 1)
    model.select(2)
    #expect(model.device?.device.device == "b")
    model.select(9)
    #expect(model.number == 2)
    var empty = WatchViewModel()
    empty.step(by: 1)
    #expect(empty.device == nil)
  }

  @Test func `a lost connection clears everything but the selection`() {
    var model = Lines.model(Lines.device("a"), Lines.device("b"))
    model.select(2)
    model.update(with: [])
    #expect(model.isConnected)
    model.disconnect()
    #expect(model.device == nil && !model.isConnected)
    for name in ["a", "b"] { model.update(with: Lines.event(Lines.device(name))) }
    #expect(model.device?.device.device == "b")
  }

  @Test func `the initial state is shown`() throws {
    var model = Lines.model(Lines.device())
    model.update(
      with:
        try ["pad", "other"].map { try Lines.state(of: $0, Lines.contact(4, grams: "192.5")) })
    let device = try #require(model.device)
    #expect(device.totalGrams == 192.5 && device.heaviest == 4)
    #expect(device.scale?.status == .known(.stable) && device.scale?.grams == 76.9)
    model.update(with: [try Lines.state(of: "pad", Lines.contact(4, grams: "null"))])
    #expect(model.device?.totalGrams == nil, "an unknown weight is not zero")
  }

  @Test func `lines of unknown devices are ignored`() {
    var model = Lines.model(Lines.device("a"))
    let before = model
    model.update(with: Lines.event(Lines.weight(Lines.contact(1), of: "b")))
    model.update(with: Lines.event(Lines.scale))
    model.update(with: Lines.event("nonsense"))
    #expect(model == before)
  }

  @Test func `an ended press is kept with its peak`() throws {
    let model = Lines.model(
      Lines.device(), Lines.press("started", time: 1_000_000),
      Lines.press("changed", time: 1_200_000, stage: "deep", ratio: 0.8),
      Lines.weight(Lines.contact(45, ratio: 1, saturated: true), heaviest: "45"),
      Lines.press("changed", time: 1_400_000, ratio: 0.3),
      Lines.press("ended", time: 1_500_000, ratio: 0.1))
    let device = try #require(model.device)
    #expect(device.presses.isEmpty)
    #expect(device.lastPresses.map(\.latest.state) == [.known(.ended)])
    let past = try #require(device.lastPresses.first)
    #expect((past.stage, past.ratio, past.grams) == ("deep", 0.8, 150))
    #expect(past.duration == 500_000 && past.isSaturated)
  }

  @Test func `the number of kept presses is limited`() {
    var model = Lines.model(Lines.device())
    for _ in 0..<2 * WatchedDevice.maxPresses {
      model.update(with: Lines.event(Lines.press("started")))
      model.update(with: Lines.event(Lines.press("cancelled")))
    }
    model.update(with: Lines.event(Lines.press("ended")))
    #expect(model.device?.lastPresses.count == WatchedDevice.maxPresses)
    #expect(model.device?.lastPresses.allSatisfy { $0.latest.state == .cancelled } == true)
  }
}
