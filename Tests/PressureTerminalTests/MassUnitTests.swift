import Testing

@testable import PressureTerminal

struct MassUnitTests {
  @Test(
    arguments: [
      (MassUnit.grams, 61.94, "61.9"), (.grams, -0.04, "0.0"), (.grams, -6.05, "-6.1"),
      (.kilograms, 385, "0.3850"), (.ounces, 28.349523125, "1.000"), (.pounds, 453.59237, "1.0000"),
      (.newtons, 101.97162129779283, "1.000"), (.grams, 1e300, "?"),
    ] as [(MassUnit, Double, String)])
  func `the number of decimals is constant`(unit: MassUnit, grams: Double, text: String) {
    #expect(unit.text(grams) == text)
  }

  @Test(
    arguments: [
      ("7.5", 7.5), ("7,5 g", 7.5), (" 0.1kg ", 100), ("2 oz", 56.69904625), ("1 lb", 453.59237),
      ("6 x 7.5", 45), ("0,125 kg", 125), ("1000,5", 1000.5), ("1,0005", 1.0005),
      ("3×5.67g", 17.01), ("2*8.5", 17), ("1 N", 1000 / 9.80665),
    ] as [(String, Double)])
  func `a weight is parsed as users write it`(text: String, grams: Double) throws {
    #expect(abs(try MassUnit.grams(of: text) - grams) < 1e-9)
  }

  @Test(
    arguments: [
      ("1,000 g", "1000", "1.000"), ("12,345", "12345", "12.345"),
      ("6 x 100,500kg", "100500", "100.500"),
      ("1,000 x 7.5", "1000", "1.000"),
    ] as [(String, String, String)])
  func `a comma before exactly three digits is refused with both readings`(
    text: String, thousands: String, decimals: String
  ) {
    #expect(throws: MassUnit.TextError.ambiguous(thousands: thousands, decimals: decimals)) {
      try MassUnit.grams(of: text)
    }
  }

  @Test(arguments: [
    "", " ", "g", "plum", "7.5 stone", "1 x 2 x 3", "x 7", "7 x", "-5", "nan", "inf", "1e5", "5 5",
    "１", "..", "1,000,000", "1,000.5",
  ])
  func `text that is not a weight is rejected`(text: String) {
    #expect(throws: MassUnit.TextError.invalid) { try MassUnit.grams(of: text) }
  }

  @Test func `the units cycle`() {
    var unit = MassUnit.grams
    for _ in MassUnit.allCases { unit = unit.next }
    #expect(unit == .grams)
  }
}
