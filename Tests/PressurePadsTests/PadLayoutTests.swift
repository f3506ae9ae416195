import PressureDevices
import PressureTestSupport
import Testing

@testable import PressurePads

typealias Features = @Sendable (inout DescriptorBytes) -> Void

@Suite struct PadControlTests {
  private func control(
    _ setting: PadSetting, _ minimum: Int, _ maximum: Int, size: Int = 8,
    physical: (Int, Int)? = nil
  ) throws -> PadControl {
    try layout {
      $0.setting(setting, minimum, maximum, size: size, physical: physical)
    }.control(setting)
  }

  @Test func `a force in steps is in grams`() throws {
    let control = try control(.clickForce, 1, 3, physical: (110, 190))
    #expect(control.steps == [110, 150, 190])
    #expect(control.rangeSentence == "110, 150 or 190 g")
    #expect(try PadTarget.Level.allCases.map { try control.value(for: .level($0)) } == [1, 2, 3])
    #expect(try control.value(for: .number(150)) == 2)
    #expect(try control.value(for: .number(171)) == 3)
    #expect(control.sentence(of: 2) == "150 g (medium)")
  }

  @Test(arguments: [(109.0, "click-force=109"), (191, "click-force=191"), (0, "click-force=0")])
  func `a force out of range is refused with the range`(_ grams: Double, _ text: String) throws {
    let control = try control(.clickForce, 1, 3, physical: (110, 190))
    let error = #expect(throws: PadError.self) { _ = try control.value(for: .number(grams)) }
    #expect(error?.code == .outOfRange)
    #expect(error?.message == "\(text) is out of range: 110, 150 or 190 g")
  }

  /// HUTRR111: the default unit is grams.
  @Test func `a force in grams is the value`() throws {
    let control = try control(.clickForce, 90, 250)
    #expect(control.amounts == 90...250)
    #expect(try control.value(for: .number(123)) == 123)
    #expect(try control.value(for: .level(.medium)) == 170)
    #expect(control.steps == nil)
  }

  @Test func `steps without grams are levels`() throws {
    let control = try control(.clickForce, 1, 3)
    #expect(control.amounts == nil)
    #expect(try control.value(for: .level(.medium)) == 2)
    #expect(control.sentence(of: 2) == "medium (step 2 of 3)")
    let error = #expect(throws: PadError.self) { _ = try control.value(for: .number(150)) }
    #expect(error?.code == .outOfRange)
  }

  @Test func `an inverted physical range of forces is inverted`() throws {
    let control = try control(.clickForce, 1, 3, physical: (190, 110))
    #expect(try control.value(for: .level(.light)) == 3)
    #expect(control.steps == [110, 150, 190])
    #expect(control.level(of: 1) == .firm)
  }

  @Test(
    arguments: [
      // The range itself, inverted ranges, which begin with their minimum, and a coarse one.
      (0, 100, nil, 40.0, 40), (100, 1, nil, 0, 100), (100, 1, nil, 100, 1), (100, 1, nil, 50, 50),
      (100, 0, nil, 25, 75), (0, 100, (100, 0), 100, 0), (0, 4, nil, 60, 2),
    ] as [(Int, Int, (Int, Int)?, Double, Int64)])
  func `a strength is in percent`(
    _ minimum: Int, _ maximum: Int, _ physical: (Int, Int)?, _ percent: Double, _ value: Int64
  ) throws {
    let control = try control(.haptics, minimum, maximum, physical: physical)
    #expect(control.amounts == 0...100)
    #expect(try control.value(for: .number(percent)) == value)
    #expect(control.values == Int64(min(minimum, maximum))...Int64(max(minimum, maximum)))
  }

  @Test func `few strengths are listed`() throws {
    #expect(try control(.haptics, 0, 4, size: 4).steps == [0, 25, 50, 75, 100])
    let many = try control(.haptics, 0, 100)
    #expect(many.steps == nil)
    #expect(many.sentence(of: 40) == "40 %")
  }
}

@Suite struct PadLayoutTests {
  @Test func `a setting that is not declared is refused`() throws {
    let sensel = try #require(try PadLayout(ReportDescriptor(PadDescriptors.sensel)))
    let error = #expect(throws: PadError.self) { _ = try sensel.control(.clickForce) }
    #expect(error?.code == .notDeclared)
    #expect(try sensel.control(.haptics).field.reportID == 9)
  }

  private static let vendors = "vendor-defined"

  private static let refused: [(name: String, reason: String, features: Features)] = [
    ("a field of the vendor", vendors, { $0.both(report: 8, vendor: true) }),
    // The usage of the field alone does not state whose it is.
    (
      "a collection of the vendor", vendors,
      {
        $0.page(0xff00)
        $0.usage(0x01)
        $0.begin(2)
        $0.setting(.haptics, 0, 100)
        $0.end()
      }
    ),
    ("the first waveform of vendors", vendors, { $0.both(report: 8, and: 0x2001) }),
    ("the last waveform of vendors", vendors, { $0.both(report: 8, and: 0x2fff) }),
    ("an array", "a list of usages", { $0.both(report: 8, and: 0x25, flags: 0) }),
    (
      "two fields", "declares it 2 times",
      {
        $0.clickStrength(report: 9)
        $0.clickStrength(report: 10)
      }
    ),
    ("one value", "only one value", { $0.setting(.haptics, 5, 5) }),
    ("9 bits in 8", "does not fit", { $0.setting(.haptics, 0, 256) }),
    ("9 bits and a sign in 8", "does not fit", { $0.setting(.haptics, -1, 255) }),
    ("less than 8 bits", "does not fit", { $0.setting(.haptics, -129, 10) }),
    // With the number and the value one byte more than the request's code can state.
    ("a long report", "bytes", { $0.setting(.haptics, 0, 100, padding: 16_382) }),
  ]

  @Test(arguments: refused)
  func `what is not certain is refused`(_ name: String, _ reason: String, _ features: Features)
    throws
  {
    let layout = try layout(features)
    #expect(layout.controls.isEmpty && layout.reports.isEmpty && layout.declaresSettings)
    #expect(layout.refusals[.haptics]?.code == .notDeclared)
    #expect(layout.refusals[.haptics]?.message.contains(reason) == true)
  }

  @Test func `the reports of a vendor are found`() throws {
    #expect(try layout { $0.both(report: 8, vendor: true) }.hasVendorReports)
    #expect(try !layout { $0.both(report: 8) }.hasVendorReports)
  }

  @Test func `the longest report is not refused`() throws {
    #expect(try layout { $0.setting(.haptics, 0, 100, padding: 16_381) }.controls.count == 1)
  }

  /// A range that was not set for it is that of another usage, and false.
  @Test func `an inherited range is refused`() throws {
    let layout = try layout {
      $0.page(0x0d)
      $0.report(8)
      $0.usage(0xb0)
      $0.size(8)
      $0.feature()
    }
    #expect(layout.controls.isEmpty)
    #expect(layout.refusals[.clickForce]?.message.contains("declares no range for it") == true)
  }

  @Test func `a constant is not a setting`() throws {
    #expect(try !layout { $0.setting(.haptics, 0, 100, flags: 3) }.declaresSettings)
  }

  /// Of a pen or a mouse, not of the pad.
  @Test func `other applications do not count`() throws {
    var bytes = DescriptorBytes()
    bytes.page(0x01)
    bytes.usage(0x02)
    bytes.begin(1)
    bytes.clickStrength(report: 40)
    bytes.end()
    let mouse = try ReportDescriptor(bytes.bytes)
    #expect(PadLayout(mouse) == nil)
    let both = try ReportDescriptor(bytes.bytes + PadDescriptors.dynes)
    #expect(try #require(PadLayout(both)).declaresSettings == false)
  }

  @Test(
    arguments: [
      ([8, 2, 50], 8, [2, 50]), ([8, 2], 8, [2]), ([0, 2, 50], nil, [2, 50]),
      ([2, 50, 0], nil, nil),
      ([2, 50], nil, nil), ([0, 2], nil, nil), ([9, 2, 50], 8, nil), ([], 8, nil), ([], nil, nil),
    ] as [([UInt8], UInt8?, [UInt8]?)])
  func `the number of a report is in front of its data`(answer: [UInt8], id: UInt8?, data: [UInt8]?)
  {
    #expect((try? FeatureReport.data(of: answer, report: id, count: 2)) == data)
  }
}
