import PressureKit
import Testing

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
