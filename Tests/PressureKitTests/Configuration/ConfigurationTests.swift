import PressureKit
import Testing

@Test func `the default settings are those of the manual page`() {
  let standard = Configuration()
  #expect(standard.socket.path == nil)
  #expect(standard.socket.mode == nil)
  #expect(standard.socket.group == nil)
  #expect(standard.socket.maxClients == 512)
  #expect(standard.socket.clientBufferKibibytes == 256)
  #expect(standard.access.seat && standard.access.suspendsWhenLocked)
  #expect(standard.access.group == "pressured" && standard.access.users.isEmpty)
  #expect(!standard.control.seat)
  #expect(standard.control.users.isEmpty && standard.control.groups.isEmpty)
  #expect(!standard.alwaysRead)
  #expect(standard.heaviest.marginRatio == 0.03)
  #expect(standard.heaviest.marginGrams == 2)
  #expect(standard.maximumForce.threshold.press == 1)
  #expect(standard.maximumForce.threshold.release == 0.95)
  #expect(standard.nominalFullScaleGrams == 385)
  #expect(standard.regions.isEmpty && standard.actions.isEmpty && standard.devices.isEmpty)
  #expect(!standard.haptics.enabled)
  #expect(standard.haptics.intensityPercent == 60)
  #expect(standard.haptics.pulsesPerSecond == 10)
}

@Test func `devices are needed without a client if a setting requires them`() {
  #expect(!Configuration().needsDevices)
  var reading = Configuration()
  reading.alwaysRead = true
  #expect(reading.needsDevices)
  var feeling = Configuration()
  feeling.haptics.enabled = true
  #expect(feeling.needsDevices)
}

@Test func `the default scale settings are those of the manual page`() {
  let scale = ScaleConfiguration()
  #expect(scale.windowMilliseconds == 1000)
  #expect(scale.rangeGrams == 2)
  #expect(scale.zeroGrams == 1)
  #expect(scale.filterMilliseconds == 100)
  #expect(!scale.autoZero)
}

@Test func `the default press settings are those of the manual page`() throws {
  let press = PressConfiguration()
  #expect(
    press.stages
      == (try StageLadder([
        stage("light", 0.3, 0.25, .ratio), stage("deep", 0.7, 0.6, .ratio),
      ])))
  #expect(
    press.gramStages
      == (try StageLadder([
        stage("light", 200, 150, .grams), stage("deep", 400, 360, .grams),
      ])))
  #expect(press.fingers == .any)
  #expect(press.simulation == .auto)
  #expect(press.holdMilliseconds == 300)
  #expect(press.moveToleranceMillimeters == 3)
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
