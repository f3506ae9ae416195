import Testing

@testable import PressureKit
@testable import PressureProtocol
@testable import PressureSystem
@testable import PressureTerminal

struct ReadingHistoryTests {
  private func reading(_ status: WeighingStatus, _ grams: Double?) -> ReceivedScale {
    ReceivedScale(
      status: .known(status), grams: grams, tareGrams: 0, isHeld: false, isDecaying: false)
  }

  private func past(_ time: Int64, _ grams: Double) -> ReceivedScale {
    var reading = reading(.stable, grams)
    reading.time = time
    return reading
  }

  /// The new readings of some replies, by their times.
  private func news(_ answers: [[ReceivedScale]], isResting: Bool) -> [[Int64?]] {
    var history = ReadingHistory()
    return answers.map { answer in
      let outcome = history.update(with: answer, isAtRest: isResting)
      return outcome.newReadings.map(\.time)
    }
  }

  @Test func `readings before the connection are not new, except that of the current load`() {
    let (two, three) = ([past(1, 5), past(2, 6)], [past(1, 5), past(2, 6), past(3, 7)])
    #expect(news([two, three], isResting: false) == [[], [3]])
    #expect(news([two, two, three], isResting: true) == [[2], [], [3]])
    #expect(news([[], [past(-4, 5)]], isResting: true) == [[], [-4]])
  }

  @Test func `the newest reading comes first`() {
    var history = ReadingHistory()
    for number in 1...3 {
      _ = history.update(with: [past(Int64(number), Double(60 + number))], isAtRest: true)
    }
    #expect(history.grams == [63, 62, 61])
  }

  @Test func `only one request is pending, and repeated for readings in the meantime`() {
    var history = ReadingHistory()
    let asks = [history.stableReadingReceived(), history.stableReadingReceived()]
    #expect(asks == [true, false])
    let first = history.update(with: [], isAtRest: true).needsRequest
    let second = history.update(with: [], isAtRest: true).needsRequest
    #expect(first && !second)
    let last = history.stableReadingReceived()
    #expect(last)
  }

  @Test func `a reading includes its uncertainty`() {
    var scale = reading(.stable, 61.94)
    #expect(scale.text(in: .grams, isEstimate: true) == "≈ 61.9 g")
    scale.errorGrams = 1.2
    #expect(scale.text(in: .grams, isEstimate: false) == "61.9 g ±1.2")
    scale.repeatGrams = 0.4
    #expect(scale.text(in: .grams, isEstimate: false) == "61.9 g ±0.4 (absolute ±1.2)")
    #expect(scale.text(in: .kilograms, isEstimate: false) == "0.0619 kg ±0.0004 (absolute ±0.0012)")
    scale.errorGrams = nil
    #expect(scale.text(in: .grams, isEstimate: false) == "≈ 61.9 g ±0.4 (absolute ±?)")
    #expect(reading(.overWeight, 385).text(in: .grams, isEstimate: true) == "≈ 385.0+ g")
    #expect(reading(.fault, nil).text(in: .grams, isEstimate: false) == "no reading")
    scale.isDecaying = true
    #expect(scale.advice == "decaying: the surface does not treat it as a finger")
  }

  @Test(arguments: [
    (0.1, 0.1, 0, "150.2 g ±0.1"), (0.4, 4, 0, "150.2 g ±0.4 (absolute ±4)"),
    (2.9, 2.9, 0, "150.2 g ±2.9"), (3.1, 12.3, 0, "150 g ±4 (absolute ±13)"),
    // What was added or removed is shown with all decimals.
    (3.1, 12.3, 20, "150.2 g ±4 (absolute ±13)"),
  ])
  func `the number has the decimals that repeat`(
    repeats: Double, absolute: Double, tare: Double, text: String
  ) {
    var scale = reading(.stable, 150.2)
    (scale.repeatGrams, scale.errorGrams, scale.tareGrams) = (repeats, absolute, tare)
    #expect(scale.text(in: .grams, isEstimate: false) == text)
  }

  @Test func `a target includes the difference`() {
    let target = ReceivedScale.Target(grams: 100, tolerance: 1, within: false)
    #expect(
      target.text(at: 61.9, in: .grams, isEstimate: true) == "target 100.0 ± 1.0 g: ≈ 38.1 g to go"
    )
    #expect(
      target.text(at: 102, in: .grams, isEstimate: false) == "target 100.0 ± 1.0 g: 2.0 g too much"
    )
    let reached = ReceivedScale.Target(grams: 100, tolerance: 1, within: true)
    #expect(
      reached.text(at: 100.5, in: .grams, isEstimate: false) == "target 100.0 ± 1.0 g: reached")
  }
}
