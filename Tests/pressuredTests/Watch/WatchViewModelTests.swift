import PressureKit
@testable import PressureProtocol
import Testing

@testable import PressureTerminal

@Suite struct SceneTests {
  @Test func `a device comes, changes and goes`() {
    var scene = Lines.scene(Lines.device("a"), Lines.device("b"))
    #expect(scene.devices.map(\.device.device) == ["a", "b"])
    scene.hear(Lines.event(Lines.device("b", change: "changed", capability: "force")))
    #expect(scene.devices.map(\.device.capability) == [.known(.size), .known(.force)])
    scene.hear(Lines.event(Lines.device("a", change: "removed")))
    #expect(scene.device?.device.device == "b")
    scene.hear(Lines.event(Lines.device("a", change: "removed")))
    #expect(scene.devices.count == 1)
  }

  @Test func `keys go round the devices`() {
    var scene = Lines.scene(Lines.device("a"), Lines.device("b"), Lines.device("c"))
    #expect(scene.number == 1)
    scene.step(by: -1)
    #expect(scene.device?.device.device == "c")
    scene.step(by: 1)
    #expect(scene.number == 1)
    scene.choose(2)
    #expect(scene.device?.device.device == "b")
    scene.choose(9)
    #expect(scene.number == 2)
    var empty = WatchViewModel()
    empty.step(by: 1)
    #expect(empty.device == nil)
  }

  @Test func `with the daemon all goes but what was chosen`() {
    var scene = Lines.scene(Lines.device("a"), Lines.device("b"))
    scene.choose(2)
    scene.take([])
    #expect(scene.isConnected)
    scene.forget()
    #expect(scene.device == nil && !scene.isConnected)
    for name in ["a", "b"] { scene.hear(Lines.event(Lines.device(name))) }
    #expect(scene.device?.device.device == "b")
  }

  @Test func `what lay there before us is there`() throws {
    var scene = Lines.scene(Lines.device())
    scene.take(
      try ["pad", "other"].map { try Lines.state(of: $0, Lines.contact(4, grams: "192.5")) })
    let device = try #require(scene.device)
    #expect(device.totalGrams == 192.5 && device.heaviest == 4)
    #expect(device.scale?.status == .known(.stable) && device.scale?.grams == 76.9)
  }

  @Test func `what is of no known device is passed over`() {
    var scene = Lines.scene(Lines.device("a"))
    let before = scene
    scene.hear(Lines.event(Lines.weight(Lines.contact(1), of: "b")))
    scene.hear(Lines.event(Lines.scale))
    scene.hear(Lines.event("nonsense"))
    #expect(scene == before)
  }

  @Test func `a press that is over is remembered at its hardest`() throws {
    let scene = Lines.scene(
      Lines.device(), Lines.press("started", time: 1_000_000),
      Lines.press("changed", time: 1_200_000, stage: "deep", ratio: 0.8),
      Lines.weight(Lines.contact(45, ratio: 1, saturated: true), heaviest: "45"),
      Lines.press("changed", time: 1_400_000, ratio: 0.3),
      Lines.press("ended", time: 1_500_000, ratio: 0.1))
    let device = try #require(scene.device)
    #expect(device.presses.isEmpty)
    let past = WatchedDevice.PastPress(
      stage: "deep", ratio: 0.8, grams: 150, duration: 500_000, isSaturated: true,
      isSimulated: false, isCancelled: false)
    #expect(device.lastPresses == [past])
  }

  @Test func `only so many presses are remembered`() {
    var scene = Lines.scene(Lines.device())
    for _ in 0..<2 * WatchedDevice.mostPresses {
      scene.hear(Lines.event(Lines.press("started")))
      scene.hear(Lines.event(Lines.press("cancelled")))
    }
    scene.hear(Lines.event(Lines.press("ended")))
    #expect(scene.device?.lastPresses.count == WatchedDevice.mostPresses)
    #expect(scene.device?.lastPresses.allSatisfy { $0.isCancelled } == true)
  }
}
