import Testing

@testable import PressureKit
@testable import pressured

struct StableReadingsTests {
  private func reading(_ status: ReceivedScale.Status, _ grams: Double?) -> ReceivedScale {
    ReceivedScale(
      status: status, grams: grams, tareGrams: 0, isHeld: false, isDecaying: false)
  }

  /// Whether each of some readings is a reading of its own.
  private func counted(_ readings: [ReceivedScale]) -> [Bool] {
    var stable = StableReadings()
    return readings.map { stable.take($0) }
  }

  @Test func `a reading counts once until it moves or creeps away`() {
    #expect(
      counted([
        reading(.inMotion, 40), reading(.stable, 62), reading(.stable, 63.9),
        reading(.stable, 64.1), reading(.inMotion, 64.1), reading(.stable, 64.1),
        reading(.underZero, -50),
      ]) == [false, true, false, true, false, true, true])
  }

  @Test func `the newest is the first that is remembered`() {
    var stable = StableReadings()
    for grams in [62.0, 70, 80] { _ = stable.take(reading(.stable, grams)) }
    #expect(stable.history == [80, 70, 62])
  }

  @Test func `nothing, too much and what is held are no readings`() {
    var held = reading(.stable, 62)
    held.isHeld = true
    let others: [ReceivedScale.Status] = [
      .fault, .stableZero, .inMotion, .overWeight, .calibrationNeeded, .rezeroNeeded, .unknown,
    ]
    let none = others.map { reading($0, 5) } + [held, reading(.stable, nil)]
    #expect(counted(none).allSatisfy { !$0 })
  }

  @Test func `a reading says how far it can be trusted`() {
    var scale = reading(.stable, 61.94)
    #expect(scale.text(in: .grams, isEstimate: true) == "≈ 61.9 g")
    scale.errorGrams = 1.24
    #expect(scale.text(in: .grams, isEstimate: false) == "61.9 g ± 1.2")
    #expect(reading(.overWeight, 385).text(in: .grams, isEstimate: true) == "≈ 385.0+ g")
    #expect(reading(.fault, nil).text(in: .grams, isEstimate: false) == "no reading")
    scale.isDecaying = true
    #expect(scale.advice == "fading: the surface does not take it for a finger")
  }

  @Test func `a target says what is missing`() {
    let target = ReceivedScale.Target(grams: 100, tolerance: 1, within: false)
    #expect(target.words(at: 61.9, in: .grams) == "target 100.0 ± 1.0 g: 38.1 g to go")
    #expect(target.words(at: 102, in: .grams) == "target 100.0 ± 1.0 g: 2.0 g too much")
    let reached = ReceivedScale.Target(grams: 100, tolerance: 1, within: true)
    #expect(reached.words(at: 100.5, in: .grams) == "target 100.0 ± 1.0 g: reached")
  }
}
