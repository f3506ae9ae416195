import PressureDevices
import PressureKit
import PressureTestSupport
import Testing

private func facts(_ bytes: [UInt8]) throws -> DescriptorFacts {
  try #require(try DescriptorFacts(ReportDescriptor(bytes)))
}

@Suite struct DescriptorFactsTests {
  @Test func `a haptic pad states its settings`() throws {
    let facts = try facts(PadDescriptors.haptic)
    #expect(facts.pressure?.unitsPerGram == 4)
    #expect(facts.settings == [.clickForce, .clickStrength] && facts.clickGrams == 110...190)
    #expect(facts.triggersItself && facts.isTriggeredByHost)
    #expect(facts.clicksByItself)
  }

  /// As dynes, its full scale would be 4 mg.
  @Test func `a newton that is written as a dyne is a newton`() throws {
    let unit = try #require(facts(PadDescriptors.newtons).pressure?.unitsPerGram)
    #expect(abs(unit - 4095 / 407.886) < 0.001)
  }

  @Test func `an implausible full scale is not used`() throws {
    let pad = DescriptorBytes.touchpad(pressure: { $0.tipPressure(255, physical: 3) })
    #expect(try facts(pad).pressure?.unit == .implausible(fullScaleGrams: 3))
  }

  @Test func `grams over the millimeters of Y are not used`() throws {
    let pad = DescriptorBytes.touchpad(pressure: {
      $0.unit(0x0101)
      $0.logical(0, 1000)
      $0.usage(0x30)
      $0.input()
    })
    #expect(try facts(pad).pressure?.unit == .inherited(from: "Y"))
  }

  /// X and Y are in hundredths of a centimeter; the kernel would make 50 g of these 5000.
  @Test func `grams with the exponent of X are not used`() throws {
    let pad = DescriptorBytes.touchpad(pressure: {
      $0.item(0x64, 0x0101)
      $0.physical(0, 5000)
      $0.logical(0, 5000)
      $0.usage(0x30)
      $0.input()
    })
    #expect(try facts(pad).pressure?.unit == .inherited(from: "X"))
  }

  @Test(arguments: [
    (1...255, 0...254, DescriptorFacts.Unit.displaced(zeroGrams: -1)),
    (1...255, 1...255, .mass(unitsPerGram: 1)),
    (-1000...1000, 0...2000, .displaced(zeroGrams: 1000)),
    (0...1000, 500...1500, .displaced(zeroGrams: 500)),
  ])
  func `a range that does not begin at zero states no grams`(
    logical: ClosedRange<Int>, physical: ClosedRange<Int>, unit: DescriptorFacts.Unit
  ) throws {
    let pad = DescriptorBytes.touchpad(pressure: {
      $0.unit(0x0101)
      // Two bytes each, as a single one is signed.
      $0.logical(logical.lowerBound, logical.upperBound)
      $0.physical(physical.lowerBound, physical.upperBound)
      $0.size(16)
      $0.usage(0x30)
      $0.input()
    })
    #expect(try facts(pad).pressure?.unit == unit)
  }

  @Test func `the vendor's reports of a Magic Trackpad state nothing`() throws {
    let facts = try facts(PadDescriptors.magicTrackpad)
    #expect(facts == DescriptorFacts())
  }

  @Test func `a pen's pressure is not the pad's`() throws {
    var pen = DescriptorBytes()
    pen.page(0x0d)
    pen.usage(0x02)
    pen.begin(1)
    pen.report(7)
    pen.tipPressure(4095, physical: 500)
    pen.clickStrength(report: 20)
    pen.end()
    #expect(try DescriptorFacts(ReportDescriptor(pen.bytes)) == nil)
    let facts = try facts(pen.bytes + PadDescriptors.sensel)
    #expect(facts.pressure == nil)
  }

  /// HUTRR111 makes grams the default unit.
  @Test(
    arguments: [
      (0, nil, 100...200, 100.0...200), (0x11, nil, 100...200, nil),
      // An exponent that was set for another field.
      (0x0101, 14, 1000...20000, nil),
    ] as [(Int, Int?, ClosedRange<Int>, ClosedRange<Double>?)])
  func `a click force without unit is in grams, and with another's exponent unknown`(
    unit: Int, exponent: Int?, physical: ClosedRange<Int>, grams: ClosedRange<Double>?
  ) throws {
    let pad = DescriptorBytes.touchpad(
      pressure: { _ in },
      features: {
        $0.page(0x0d)
        $0.report(3)
        if let exponent {
          $0.item(0x54, exponent)
          $0.usage(0x55)
          $0.feature()
        }
        $0.usage(0xb0)
        $0.logical(0, 10)
        $0.physical(physical.lowerBound, physical.upperBound)
        if exponent == nil { $0.item(0x54, 0) }
        $0.item(0x64, unit)
        $0.size(8)
        $0.feature()
      })
    #expect(try facts(pad).clickGrams == grams)
  }
}
