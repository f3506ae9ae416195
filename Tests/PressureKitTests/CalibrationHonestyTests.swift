import Testing

@testable import PressureKit

/// Whether the errors of calibrated readings stay within the stated errors, on simulated sensors.
struct CalibrationHonestyTests {
  private static let seeds = SimulatedSensor.seeds(250, few: 80)
  private static let readings = 100

  /// The actual and the stated errors of readings, in grams.
  fileprivate struct Record {
    private(set) var errors: [Double] = []
    private(set) var bounds: [Double] = []
    private(set) var covered = 0

    mutating func add(_ reading: Weight, truth: Double) {
      // A saturated sensor states no error.
      guard let bound = reading.error else { return }
      errors.append(abs(reading.grams - truth))
      bounds.append(bound)
      if abs(reading.grams - truth) <= bound { covered += 1 }
    }

    var coverage: Double { Double(covered) / Double(errors.count) }
    var worstOf95: Double { errors.sorted()[errors.count * 95 / 100] }
    var medianBound: Double { bounds.sorted()[bounds.count / 2] }
  }

  @Test(arguments: SimulatedSensor.Kind.allCases)
  func `stated errors are neither too small nor much too large`(kind: SimulatedSensor.Kind) throws {
    var (within, beyond) = (Record(), Record())
    for seed in CalibrationHonestyTests.seeds {
      var sensor = SimulatedSensor(kind, seed: seed)
      // Of the fit alone: these sensors have one place and one time.
      let law = Calibration.fitted(try sensor.calibrated(scatter: RelativeUncertainty.none).law)
      let zero = CalibrationHonestyTests.rezero(&sensor, law)
      for _ in 0..<CalibrationHonestyTests.readings {
        let truth = sensor.heaviest * sensor.between(0, 1)
        within.add(net(&sensor, law, zero, truth), truth: truth)
        let heavier = sensor.heaviest * sensor.between(1, 1.3)
        beyond.add(net(&sensor, law, zero, heavier), truth: heavier)
      }
    }
    #expect(within.coverage >= 0.95)
    #expect(within.medianBound <= 2 * within.worstOf95)
    #expect(beyond.coverage >= 0.95)
  }

  /// The zero before a reading: a sensor that drifts for hours is zeroed first.
  private static func rezero(_ sensor: inout SimulatedSensor, _ law: Calibration) -> Weight? {
    guard sensor.isDrifting else { return nil }
    sensor.wait(minutes: 400)
    return law.weight(raw: Int32(sensor.mean(of: 0, count: 50).rounded()), ratio: 0)
  }

  private func net(
    _ sensor: inout SimulatedSensor, _ law: Calibration, _ zero: Weight?, _ truth: Double
  ) -> Weight {
    let gross = law.weight(raw: sensor.value(of: truth), ratio: 0)
    guard let zero else { return gross }
    return Weight(
      grams: gross.grams - zero.grams,
      error: law.errorGrams(at: gross.grams, since: zero.grams))
  }
}
