import Testing

@testable import PressureKit

struct CalibrationTests {
  @Test func `the kernel's grams are raw units over the resolution`() {
    #expect(Calibration.kernel(unitsPerGram: 1).weight(raw: 620, ratio: 1).grams == 620)
    #expect(Calibration.kernel(unitsPerGram: 8).weight(raw: 100, ratio: 0).grams == 12.5)
  }

  @Test func `an estimate is a fraction of the full scale`() {
    let law = Calibration.nominal(fullScaleGrams: Configuration().nominalFullScaleGrams)
    #expect(law.weight(raw: 51, ratio: 0.2).grams == 77)
    #expect(law.weight(raw: 999, ratio: 1).grams == 385)
  }

  @Test func `a law reports the source of its grams`() {
    #expect(Calibration.kernel(unitsPerGram: 1).source == .kernel)
    #expect(Calibration.nominal(fullScaleGrams: 1).source == .nominal)
  }

  @Test func `the error of an estimate is unknown`() {
    #expect(Calibration.nominal(fullScaleGrams: 385).weight(raw: 51, ratio: 0.2).error == nil)
  }

  @Test func `weights are added, compared and shared`() {
    let law = Calibration.nominal(fullScaleGrams: 100)
    let (light, heavy) = (law.weight(raw: 1, ratio: 0.125), law.weight(raw: 3, ratio: 0.375))
    #expect(light < heavy)
    #expect((light + heavy).grams == 50)
    #expect(heavy.shared(among: 3) == light)
    #expect(heavy.shared(among: 0) == heavy)
    #expect(law.zeroWeight.grams == 0)
  }
}
