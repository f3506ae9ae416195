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

@Test func `stage names are unique across devices`() throws {
  var configuration = Configuration()
  var device = DeviceConfiguration(match: "*")
  device.press = PressConfiguration()
  device.press?.stages = try StageLadder([stage("brute", 0.9, 0.8, .ratio)])
  configuration.devices = [device]
  #expect(configuration.stageNames == ["light", "deep", "brute"])
}

@Test func `a device without overrides has the general settings`() {
  var configuration = Configuration()
  configuration.nominalFullScaleGrams = 400
  configuration.devices = [DeviceConfiguration(match: "0003-*")]
  configuration.devices[0].ignored = true
  let settings = configuration.settings(for: "0018-06cb-cd41")
  #expect(settings.nominalFullScaleGrams == 400)
  #expect(settings.effectiveMaximum == nil)
  #expect(!settings.ignored)
  #expect(settings.press == configuration.press)
}

@Test func `of several matching overrides the last one applies`() {
  var all = DeviceConfiguration(match: "*")
  all.ignored = true
  all.nominalFullScaleGrams = 500
  all.press = PressConfiguration()
  all.press?.holdMilliseconds = 700
  var one = DeviceConfiguration(match: "0018-06cb-*")
  one.ignored = false
  one.effectiveMaximum = 200
  var configuration = Configuration()
  configuration.devices = [all, one]
  let settings = configuration.settings(for: "0018-06cb-cd41")
  #expect(!settings.ignored)
  #expect(settings.effectiveMaximum == 200)
  #expect(settings.nominalFullScaleGrams == 500)
  #expect(settings.press.holdMilliseconds == 700)
  #expect(configuration.settings(for: "0003-1").ignored)
}

@Test(
  arguments: [
    ("*", "", true), ("*", "0018-06cb-cd41", true), ("0018-06cb-*", "0018-06cb-cd41", true),
    ("a?c", "abc", true), ("*-cd4?", "0018-06cb-cd41", true), ("**b", "ab", true),
    ("a*b*c", "aXbYbZc", true), ("", "", true), ("ab", "ab", true), ("", "a", false),
    ("?", "", false), ("a", "ab", false), ("ab", "a", false), ("a?", "a", false),
    ("0018-06cb-*", "0003-06cb-cd41", false), ("a*b", "abc", false),
    ("*#2", "0018-06cb-cd41", false), ("A", "a", false),
  ])
func `a pattern matches or does not`(pattern: String, text: String, matches: Bool) {
  #expect(Glob(pattern).matches(text) == matches)
}

@Test func `a pattern of many stars takes bounded time`() {
  let pattern = String(repeating: "*a", count: 200) + "b"
  #expect(!Glob(pattern).matches(String(repeating: "a", count: 2000)))
}

@Test func `a region includes its edges`() throws {
  let region = try Region(name: "middle", x: 0.25, y: 0.25, width: 0.5, height: 0.5)
  #expect(region.contains(x: 0.25, y: 0.75))
  #expect(region.contains(x: 0.5, y: 0.5))
  #expect(!region.contains(x: 0.24, y: 0.5))
  #expect(!region.contains(x: 0.5, y: 0.76))
}

@Test func `a region may end at the surface's edge despite rounding`() throws {
  for start in stride(from: 0.0, to: 1.0, by: 0.01) {
    _ = try Region(name: "rest", x: start, y: 0, width: 1 - start, height: 1)
  }
  _ = try Region(name: "tenths", x: 0.7, y: 0.1 + 0.2, width: 0.3, height: 0.7)
}

@Test func `an empty region is rejected`() {
  let flat = #expect(throws: InconsistentValuesError.self) {
    try Region(name: "flat", x: 0, y: 0, width: 1, height: 0)
  }
  #expect(flat?.setting == "height")
  #expect(flat?.reason == "y (0) must be 0 or more and height (0) above 0")
  #expect(throws: InconsistentValuesError.self) {
    try Region(name: "nowhere", x: .nan, y: 0, width: 1, height: .infinity)
  }
}

@Test(
  arguments: [
    ("light", 0.9, 0.8, .ratio, "name", #"stage "light" is defined twice"#),
    (
      "deep", 500, 400, .grams, "unit",
      #"stage "deep" (grams) must have the unit of "light" (ratio)"#
    ),
    (
      "deep", 0.3, 0.28, .ratio, "press",
      #"press of "deep" (0.3) must be above press of "light" (0.3)"#
    ),
    (
      "deep", 0.7, 0.2, .ratio, "release",
      #"release of "deep" (0.2) must not be below release of "light" (0.25)"#
    ),
  ] as [(String, Double, Double, PressStage.Unit, String, String)])
func `a stage that is not above the one before it is rejected`(
  name: String, press: Double, release: Double, unit: PressStage.Unit, setting: String,
  reason: String
) throws {
  var ladder = try StageLadder([stage("light", 0.3, 0.25, .ratio)])
  let next = try stage(name, press, release, unit)
  let error = #expect(throws: InconsistentValuesError.self) { try ladder.append(next) }
  #expect(error?.setting == setting)
  #expect(error?.reason == reason)
  #expect(ladder.stages.count == 1)
}

@Test func `two stages may share a release point`() throws {
  let ladder = try StageLadder([
    stage("light", 0.3, 0.25, .ratio), stage("deep", 0.7, 0.25, .ratio),
  ])
  #expect(ladder.stages.map(\.name) == ["light", "deep"])
}

@Test func `a release point that is not below the press point is rejected`() throws {
  #expect(try Threshold(press: 0.3, release: 0.25).release == 0.25)
  let error = #expect(throws: InconsistentValuesError.self) {
    try Threshold(press: 200, release: 200)
  }
  #expect(error?.setting == "release")
  #expect(error?.reason == "release (200) must be below press (200)")
  #expect(throws: InconsistentValuesError.self) { try Threshold(press: .nan, release: 0) }
  #expect(throws: InconsistentValuesError.self) { try Threshold(press: 1, release: .nan) }
}

func stage(
  _ name: String, _ press: Double, _ release: Double, _ unit: PressStage.Unit
) throws -> PressStage {
  PressStage(name: name, threshold: try Threshold(press: press, release: release), unit: unit)
}
