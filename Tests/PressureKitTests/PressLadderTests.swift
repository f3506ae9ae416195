import PressureTestSupport
import Testing

@testable import PressureKit

/// The transition between stages.
struct PressLadderTests {
  private func ladder(_ pad: String, maximum: Int32? = nil) throws -> PressLadder {
    var settings = DeviceSettings()
    settings.effectiveMaximum = maximum
    settings.press = .fixed
    let description = try DeviceDescription(words: pad.split(separator: " "))
    return PressLadder(settings.press, on: try Surface(description, settings: settings))
  }

  private let pad = "slots=2 x=0..9 y=0..9 pressure=0..255"

  @Test(arguments: [
    (1, 0.2, -1), (1, 0.25, -1), (1, 0.275, -0.5), (1, 0.3, 0), (1, 0.5, 0.5), (1, 0.7, 1),
    (1, 0.9, 1), (2, 0.5, -1), (2, 0.65, -0.5), (2, 0.7, 0), (2, 0.85, 0.5), (2, 1, 1),
  ])
  func `the transition is linear from release to press, and from press to press`(
    level: Int, value: Double, expected: Double
  ) throws {
    let transition = try ladder(pad).transition(of: value, in: level)
    #expect(abs(transition - expected) < 1e-9)
  }

  @Test func `the last stage in true grams ends at the effective maximum`() throws {
    let trueGrams = "slots=2 x=0..9 y=0..9 pressure=0..60000@10"
    #expect(try ladder(trueGrams).transition(of: 450, in: 2) == 0.5)
    #expect(try ladder(trueGrams, maximum: 6000).transition(of: 450, in: 2) == 0.25)
    #expect(
      try ladder(trueGrams, maximum: 3000).transition(of: 450, in: 2) == 1, "the value is clamped")
  }

  @Test func `an average touch on a pad of less than its force is above the maximum`() throws {
    let least = try ladder("slots=2 x=0..9 y=0..9 pressure=0..40@1").leastDragged
    #expect(abs(least - Force.referenceGrams) < 1e-9, "\(least)")
  }

  @Test(arguments: ["", " pressure=0..255 tool=0..2"])
  func `rounding does not make the points of a stage above the click one`(axes: String) throws {
    let pad = axes.isEmpty ? pad : "slots=2 x=0..9 y=0..9" + axes
    var press = PressConfiguration()
    let threshold = try Threshold(press: 1.0.nextUp, release: 1)
    press.stages = StageLadder(known: [PressStage(name: "a", threshold: threshold, unit: .click)])
    let description = try DeviceDescription(words: pad.split(separator: " "))
    let points = PressLadder(press, on: try Surface(description)).threshold(of: 1)
    #expect(points.release < points.press)
  }

  @Test(arguments: [
    (PressStage.Unit.grams, 400.0), (.force, 8), (.ratio, 1), (.grams, 90), (.grams, 100_000),
  ])
  func `a simulated press reaches the last stage`(unit: PressStage.Unit, point: Double) throws {
    var press = PressConfiguration()
    press.stages = StageLadder()
    for (name, start) in [("light", point / 4), ("deep", point)] {
      let threshold = try Threshold(press: start, release: start / 2)
      try press.stages.append(PressStage(name: name, threshold: threshold, unit: unit))
    }
    let ladder = PressLadder(simulated: press)
    #expect(ladder.value(ofSimulated: 1) >= ladder.threshold(of: 2).press)
  }

  @Test func `a simulated press uses the phone's maximum if all stages are within it`() throws {
    var press = PressConfiguration()
    let threshold = try Threshold(press: 200, release: 180)
    press.stages = StageLadder(known: [PressStage(name: "a", threshold: threshold, unit: .grams)])
    let value = PressLadder(simulated: press).value(ofSimulated: 1)
    #expect(abs(value - 385) < 1e-9)
  }

  @Test func `a simulated press begins at its initial ratio`() {
    let ladder = PressLadder(simulated: .fixed)
    #expect(ladder.transition(of: 0.1, in: 1) == 0)
    #expect(abs(ladder.transition(of: 0.4, in: 1) - 0.5) < 1e-9)
    #expect(ladder.transition(of: 1, in: 2) == 1)
  }
}
