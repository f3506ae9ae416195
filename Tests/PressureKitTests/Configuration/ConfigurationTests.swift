import PressureKit
import Testing

@Test func `devices are needed without a client if a setting requires them`() {
  #expect(!Configuration().needsDevices)
  var reading = Configuration()
  reading.alwaysRead = true
  #expect(reading.needsDevices)
  var feeling = Configuration()
  feeling.haptics.enabled = true
  #expect(feeling.needsDevices)
}

@Test func `true grams have their own stages, unless there are none`() {
  var press = PressConfiguration()
  #expect(press.stages(gramsAreTrue: true) == press.gramStages)
  #expect(press.stages(gramsAreTrue: false) == press.stages)
  press.gramStages = StageLadder()
  #expect(press.stages(gramsAreTrue: true) == press.stages)
}

@Test func `stage names are unique across devices`() throws {
  var configuration = Configuration()
  var device = DeviceConfiguration(match: "*")
  device.press = PressConfiguration()
  device.press?.stages = try StageLadder([stage("brute", 0.9, 0.8, .ratio)])
  configuration.devices = [device]
  #expect(configuration.stageNames == ["light", "deep", "brute"])
}

func stage(
  _ name: String, _ press: Double, _ release: Double, _ unit: PressStage.Unit
) throws -> PressStage {
  PressStage(name: name, threshold: try Threshold(press: press, release: release), unit: unit)
}
