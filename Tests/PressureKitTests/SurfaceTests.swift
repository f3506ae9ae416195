import PressureTestSupport
import Testing

@testable import PressureKit

struct SurfaceTests {
  /// A surface described in the syntax of a scenario's device line.
  private func surface(_ words: String, effectiveMaximum: Int32? = nil) throws -> Surface {
    var settings = DeviceSettings()
    settings.effectiveMaximum = effectiveMaximum
    return try Surface(
      DeviceDescription(words: words.split(separator: " ")), settings: settings)
  }

  @Test(arguments: [
    ("slots=5 x=0..9 y=0..9", 5, true), ("slots=1 x=0..9 y=0..9 keys=touch", 1, true),
    ("x=0..9 y=0..9 keys=touch", 1, false), ("slots=1024 x=0..9 y=0..9", 1024, true),
  ])
  func `a touch device is accepted`(words: String, slots: Int, hasSlots: Bool) throws {
    let surface = try surface(words)
    #expect(surface.slotCount == slots)
    #expect(surface.hasSlots == hasSlots)
  }

  @Test func `the pressure of a pen beside slots is not that of touches`() throws {
    var description = try DeviceDescription(
      words: "slots=2 x=0..9 y=0..9 single=0..2047".split(separator: " "))
    #expect(try Surface(description).capability == .size)
    for key in [EventCode.toolPen, .stylus] {
      description.keys = [EventCode.touch.code, key.code]
      #expect(try Surface(description).capability == .none)
    }
  }

  @Test func `the end of an inferred range is unknown`() throws {
    var description = try DeviceDescription(
      words: "slots=2 x=0..9 y=0..9 pressure=0..50".split(separator: " "))
    #expect(try Surface(description).pressure?.isSaturated(50) == true)
    description.inferredAxes = [EventCode.pressure.code]
    let surface = try Surface(description)
    #expect(surface.pressure?.isSaturated(50) == false && !surface.isMaximumKnown)
    var engine = Engine(surface: surface)
    var output = EventBuffer()
    engine.receive(frame: [(.trackingID, 1), (.pressure, 50)], at: 0, into: &output)
    let hasReached = output.events.contains {
      if case .maximumForce = $0.kind { true } else { false }
    }
    #expect(!hasReached && !output.events.isEmpty)
  }

  @Test func `an unknown position is not a number, and no invalid span is divided by`() throws {
    let surface = try surface("slots=2 x=0..9 y=0..9 pressure=0..50")
    #expect(surface.location(x: .unknownValue, y: 9).x.isNaN)
    #expect(surface.location(x: .unknownValue, y: 9).y == 1)
    #expect(surface.location(x: .unknownValue + 1, y: 9).x == 0)
    let invalid = try self.surface("slots=2 x=5..5@1 y=9..0@1")
    #expect(invalid.location(x: 5, y: 5) == Location(x: 0, y: 0))
  }

  @Test func `a header without keys is accepted if it lists a pressure axis`() throws {
    var description = try DeviceDescription(
      words: "x=0..9 y=0..9 single=0..9".split(separator: " "))
    description.keys = nil
    #expect(try Surface(description).slotCount == 1)
    description.axes[EventCode.singlePressure.code] = nil
    #expect(throws: UnsupportedDeviceError.noTouch) { try Surface(description) }
  }

  @Test(arguments: [
    ("slots=2 x=0..9 y=0..9 pressure=0..255", Surface.Capability.size, true, WeightSource.nominal),
    ("slots=2 x=0..9 y=0..9 pressure=0..6000@1", .force, true, .kernel),
    ("slots=2 x=0..9 y=0..9 pressure=0..255 property=7", .force, true, .nominal),
    ("slots=2 x=0..9 y=0..9 pressure=0..0", .broken, true, .none),
    ("slots=2 x=0..9 y=0..9 pressure=9..-9@1 property=7", .broken, true, .none),
    ("slots=2 x=0..9 y=0..9", .none, true, .none),
    ("slots=2 x=0..9 y=0..9 property=7", .none, true, .none),
    ("slots=2 x=0..9 y=0..9 single=0..255", .size, false, .nominal),
    ("slots=2 x=0..9 y=0..9 single=0..255 pressure=0..255", .size, true, .nominal),
    ("x=0..9 y=0..9 single=0..255", .size, true, .nominal),
    ("x=0..9 y=0..9 single=0..2047@2", .force, true, .kernel),
    ("x=0..9 y=0..9", .none, true, .none),
  ])
  func `the capability follows from the description`(
    words: String, capability: Surface.Capability, isPerContact: Bool, source: WeightSource
  ) throws {
    let surface = try surface(words)
    #expect(surface.capability == capability)
    #expect(surface.isPerContact == isPerContact)
    #expect(surface.weightSource == source)
  }

  @Test(arguments: [
    ("slots=2 pressure=0..6000@1 single=0..6000@1 effects=79", true),
    ("slots=2 pressure=0..6000@1 single=0..6000@1 effects=80", false),
    ("slots=2 pressure=0..6000@1 single=0..6000@1", false),
    ("slots=2 pressure=0..6000@1 single=0..255 effects=79", false),
    ("slots=2 single=0..6000@1 effects=79", false), ("single=0..6000@1 effects=79", false),
  ])
  func `a haptic touchpad reports the total of its contacts`(words: String, reportsTotal: Bool)
    throws
  {
    #expect(try surface("x=0..9 y=0..9 \(words)").reportsTotal == reportsTotal)
  }

  @Test(arguments: [
    ("pressure=0..255", nil as Int32?, 255 as Int32), ("pressure=0..255", 128, 128),
    ("pressure=0..255", 0, 255), ("pressure=10..255", 10, 255), ("pressure=0..255", 300, 300),
    ("pressure=0..6000@1", nil, 500), ("pressure=0..6000@1", 620, 620),
    ("pressure=0..300@1", nil, 300), ("pressure=0..60000@10", nil, 5000),
    ("pressure=600..6000@1", nil, 6000), ("pressure=0..2147483647@2147483647", nil, 2_147_483_647),
  ])
  func `the effective maximum is the configured one, or else what a finger can reach`(
    words: String, set: Int32?, expected: Int32
  ) throws {
    let surface = try surface("slots=2 x=0..9 y=0..9 " + words, effectiveMaximum: set)
    #expect(surface.pressure?.effectiveMaximum == expected)
  }

  @Test(arguments: ["pressure=0..1000", "pressure=0..1000@1", "pressure=0..1000@1 property=7"])
  func `a calibration overrides the kernel's units and an estimate`(words: String) throws {
    let description = try DeviceDescription(
      words: ("slots=2 x=0..9 y=0..9 " + words).split(separator: " "))
    let plain = try Surface(description)
    let axis = try #require(plain.pressure?.axis)
    let fit = try CalibrationFit(
      [(0.0, 0.0), (100, 200), (200, 400)].map {
        CalibrationPoint(grams: $0, raw: $1, spread: 0, count: 1, greatest: Int32($1))
      }, axis: axis)
    let surface = try Surface(description, calibration: fit)
    #expect(surface.weightSource == .calibrated)
    #expect(surface.capability == plain.capability)
    #expect(surface.calibration?.weight(raw: 300, ratio: 0.3).grams == 150)
    #expect(surface.fit == fit)

    var other = description
    other.axes[EventCode.pressure.code]?.maximum = 999
    let changed = try Surface(other, calibration: fit)
    #expect(changed.weightSource == (axis.resolution > 0 ? .kernel : .nominal))
    #expect(changed.fit == nil)
  }

  @Test func `locations are fractions, and millimeters if there is a resolution`() throws {
    let pad = try surface("slots=2 x=-500..500@10 y=0..500@10")
    #expect(
      pad.location(x: 0, y: 500) == Location(x: 0.5, y: 1, millimeters: (x: 50, y: 50)))
    #expect(pad.location(x: .min + 1, y: .max).x == 0)
    #expect(pad.location(x: .min, y: .max).y == 1)
    let plain = try surface("slots=2 x=-500..500@10 y=0..500")
    #expect(plain.location(x: 0, y: 500).millimeters == nil)
  }
}
