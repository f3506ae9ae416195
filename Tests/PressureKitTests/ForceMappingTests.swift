import Testing

@testable import PressureKit

struct ForceMappingTests {
  private func contact(ratio: Double) -> Contact {
    var contact = Contact(
      slot: 0, id: TrackingID(45).unsafelyUnwrapped, beganAt: Timestamp(microseconds: 0), order: 1)
    contact.force = Force(ratio: ratio, maximumPossible: 20.0 / 3)
    contact.location = Location(x: 0.25, y: 0.75)
    return contact
  }

  /// The same grid as in Tests/web/mapping.mjs, whose sum must be this one.
  @Test func `the formulas are those of the page`() {
    let sumOfAll = 135181.42121666676
    var sum = 0.0
    var index = 0.0
    for step in 0..<50 {
      for maximum in [0, 1, 20.0 / 3, 20] {
        for load in 0..<10 {
          index += 1
          let weight = load == 9 ? nil : Weight(grams: Double(load) * 60 - 20, error: nil)
          let values = ForceMapping(
            Force(ratio: -0.1 + Double(step) * 0.03, maximumPossible: maximum), weight,
            x: Double(step % 7) / 6, y: Double(load) / 9, at: Location(x: 0, y: 0))
          let shadow = values.shadow(resting: .init(offset: 1, radius: 1)).offset
          let place = 5 * values.zoom.x + 7 * values.zoom.y
          sum +=
            (values.progress + 3 * values.zoom.scale + place + 11 * shadow + 13
              * values.circle.scale)
            * (index / 1000)
        }
      }
    }
    #expect(abs(sum - sumOfAll) < 1e-6)
    #expect(ForceMapping.Circle.opacity == 0.6)
  }

  @Test func `the anchor of a zoom is clamped to the edges of its region`() throws {
    let pressed = contact(ratio: 1)
    let right = try Region(name: "right", x: 0.5, y: 0, width: 0.5, height: 0.5)
    #expect(ForceMapping(pressed, in: right).zoom == .init(scale: 20.0 / 3, x: 0, y: 1))
  }

  @Test func `a simulated press maps by its own force`() {
    let press = Press(
      contact: contact(ratio: 0), state: .changed, fingers: 1, stage: "light", transition: 0,
      force: Force(ratio: 0.6, maximumPossible: 20.0 / 3), isSimulated: true, crossing: nil,
      target: nil)
    #expect(ForceMapping(press).zoom == .init(scale: 4, x: 0.25, y: 0.75))
    #expect(ForceMapping(press).progress == 0.6)
  }
}
