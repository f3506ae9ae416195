import Testing

@testable import PressureDesktop

struct PenCurveTests {
  @Test func `a linear curve changes nothing`() {
    for force in stride(from: 0.0, through: 1, by: 0.01) {
      #expect(abs(PenCurve.linear.pressure(at: force) - force) < 1e-6)
    }
  }

  @Test func `a soft curve gives more pressure for less force, a firm one less`() throws {
    let (soft, firm) = (try #require(PenCurve("soft")), try #require(PenCurve("firm")))
    for force in stride(from: 0.05, through: 0.95, by: 0.05) {
      #expect(soft.pressure(at: force) > force + 0.01)
      #expect(firm.pressure(at: force) < force - 0.01)
      // They are mirror images.
      #expect(abs(firm.pressure(at: force) - (1 - soft.pressure(at: 1 - force))) < 1e-3)
    }
  }

  @Test(arguments: [
    "soft", "linear", "firm", "0,100,0,100", "100,0,100,0", "0,0,100,100", "100,100,0,0",
  ])
  func `every curve begins at none, ends at all, and never falls`(text: String) throws {
    let curve = try #require(PenCurve(text))
    #expect(curve.pressure(at: 0) == 0 && curve.pressure(at: 1) == 1)
    #expect(curve.pressure(at: -1) == 0 && curve.pressure(at: 2) == 1)
    var last = 0.0
    for force in stride(from: 0.0, through: 1, by: 0.001) {
      let pressure = curve.pressure(at: force)
      #expect(pressure >= last)
      last = pressure
    }
  }

  @Test func `text that is not a curve is refused`() {
    for text in [
      "", "hard", "1,2,3", "1,2,3,4,5", "1,2,3,101", "-1,2,3,4", "a,b,c,d", "nan,0,0,0", "1,,2,3",
    ] {
      #expect(PenCurve(text) == nil, "\(text)")
    }
  }

  @Test func `the range begins at the tip and ends at the full force or the device's maximum`() {
    let force = PenForce(tip: 0.5, full: 4.5)
    #expect(force.pressure(of: 0.5, limit: 7) == 0)
    #expect(abs(force.pressure(of: 2.5, limit: 7) - 0.5) < 1e-9)
    #expect(force.pressure(of: 4.5, limit: 7) == 1)
    #expect(force.pressure(of: 6, limit: 7) == 1)
    let hard = PenForce(tip: 0.5, full: 6)
    #expect(hard.pressure(of: 2.5, limit: 2.5) == 1)
    #expect(abs(hard.pressure(of: 1.5, limit: 2.5) - 0.5) < 1e-9)
    // A device without force, and one whose maximum is below the tip.
    #expect(hard.pressure(of: 0, limit: 0) == 0)
    #expect(hard.pressure(of: 0.6, limit: 0.4) == 1)
  }

  @Test func `the axis uses the range that libinput does not take away`() {
    #expect(PenForce.axisValue(of: 0, isOnset: false) == 656)
    #expect(PenForce.axisValue(of: 0, isOnset: true) == 3278)
    #expect(PenForce.axisValue(of: 1, isOnset: true) == 65535)
    // At least 5 % and more than 1 % of 0…65535, whichever way libinput rounds.
    #expect(Double(PenForce.onset) > 65536 * 0.05 && Double(PenForce.lightest) > 65536 * 0.01)
  }
}
