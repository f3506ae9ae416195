import Testing

@testable import PressureTerminal

struct TicksTests {
  @Test(arguments: [
    (0.0, 1.0, 6, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    (0, 7.2, 9, ["0", "1", "2", "3", "4", "5", "6", "7"]),
    (0, 385, 9, ["0", "50", "100", "150", "200", "250", "300", "350"]),
    (-3, 3, 4, ["\u{2212}2", "0", "2"]),
    (1470, 5472, 5, ["2000", "3000", "4000", "5000"]),
    (0, 0.003, 4, ["0.000", "0.001", "0.002", "0.003"]),
    (0, 1e9, 3, ["0", "500000000", "1000000000"]),
  ])
  func `ticks are round numbers within the range`(
    low: Double, high: Double, most: Int, labels: [String]
  ) {
    #expect((low...high).ticks(atMost: most).map(\.label) == labels)
  }

  @Test func `the number of ticks is limited and usually sufficient`() {
    for most in 2...12 {
      for exponent in -6...9 {
        for mantissa in stride(from: 1.0, to: 10, by: 0.37) {
          let high = (0..<abs(exponent)).reduce(mantissa) { high, _ in
            exponent < 0 ? high / 10 : high * 10
          }
          let ticks = (0...high).ticks(atMost: most)
          #expect(ticks.count <= most)
          #expect(ticks.count >= 2 || most < 4, "\(high) \(most)")
          #expect(ticks.allSatisfy { (0...high * 1.000001).contains($0.value) })
          #expect(Set(ticks.map(\.label)).count == ticks.count)
        }
      }
    }
  }

  @Test(arguments: [(0.0, 0.0), (-1e300, 1e300), (1e15, 2e15), (0, 1e-12)])
  func `invalid ranges have no ticks`(low: Double, high: Double) {
    #expect((low...high).ticks(atMost: 5).isEmpty)
  }

  @Test func `readings have three significant digits`() {
    #expect(
      [0, 0.004, 1.234, 9.996, 10.04, 99.96, 385.4].map(\.reading) == [
        "0.00", "0.00", "1.23", "10.0", "10.0", "100", "385",
      ])
    #expect((-0.26).label(decimals: 1) == "\u{2212}0.3")
    #expect((-0.04).label(decimals: 1) == "0.0")
    #expect(1.05.label(decimals: 0) == "1")
  }
}
