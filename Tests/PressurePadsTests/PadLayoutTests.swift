import PressureDevices
import PressureTestSupport
import Testing

@testable import PressurePads

@Suite struct PadLayoutTests {
  @Test func `a force in steps is in grams`() throws {
    let control = try PadLayoutTests.haptic.control(.clickForce)
    #expect(control.steps == [110, 150, 190])
    #expect(control.rangeSentence == "110, 150 or 190 g")
    #expect(try control.value(for: .level(.light)) == 1)
    #expect(try control.value(for: .level(.medium)) == 2)
    #expect(try control.value(for: .level(.firm)) == 3)
    #expect(try control.value(for: .number(150)) == 2)
    #expect(try control.value(for: .number(171)) == 3)
    #expect(control.sentence(of: 2) == "150 g (medium)")
  }

  @Test func `a strength is in percent`() throws {
    let control = try PadLayoutTests.haptic.control(.haptics)
    #expect(control.amounts == 0...100)
    #expect(try control.value(for: .number(40)) == 40)
    #expect(control.sentence(of: 40) == "40 %")
    #expect(control.steps == nil)
  }

  @Test(arguments: [(109.0, "click-force=109"), (191, "click-force=191"), (0, "click-force=0")])
  func `a force out of range is refused with the range`(_ grams: Double, _ text: String) throws {
    let control = try PadLayoutTests.haptic.control(.clickForce)
    let error = #expect(throws: PadError.self) { _ = try control.value(for: .number(grams)) }
    #expect(error?.code == .outOfRange)
    #expect(error?.message == "\(text) is out of range: 110, 150 or 190 g")
  }

  /// HUTRR111: the default unit is grams.
  @Test func `a force in grams is the value`() throws {
    let layout = try layout {
      $0.page(0x0d)
      $0.report(8)
      $0.field(0xb0, 90, 250)
    }
    let control = try layout.control(.clickForce)
    #expect(control.amounts == 90...250)
    #expect(try control.value(for: .number(123)) == 123)
    #expect(try control.value(for: .level(.medium)) == 170)
    #expect(control.steps == nil)
  }

  @Test func `steps without grams are levels`() throws {
    let layout = try layout {
      $0.page(0x0d)
      $0.report(8)
      $0.field(0xb0, 1, 3)
    }
    let control = try layout.control(.clickForce)
    #expect(control.amounts == nil)
    #expect(try control.value(for: .level(.medium)) == 2)
    #expect(control.sentence(of: 2) == "medium (step 2 of 3)")
    let error = #expect(throws: PadError.self) { _ = try control.value(for: .number(150)) }
    #expect(error?.code == .outOfRange)
  }

  @Test(arguments: [(100, 1, 0.0, 100), (100, 1, 100, 1), (100, 1, 50, 50), (100, 0, 25, 75)])
  func `an inverted logical range begins with its minimum`(
    _ minimum: Int, _ maximum: Int, _ percent: Double, _ value: Int64
  ) throws {
    let layout = try layout {
      $0.page(0x0e)
      $0.report(9)
      $0.field(0x23, minimum, maximum)
    }
    let control = try layout.control(.haptics)
    #expect(try control.value(for: .number(percent)) == value)
    #expect(control.values == Int64(maximum)...Int64(minimum))
  }

  @Test func `an inverted physical range is inverted`() throws {
    let layout = try layout {
      $0.page(0x0e)
      $0.report(9)
      $0.physical(100, 0)
      $0.field(0x23, 0, 100)
      $0.page(0x0d)
      $0.report(8)
      $0.physical(190, 110)
      $0.field(0xb0, 1, 3)
    }
    #expect(try layout.control(.haptics).value(for: .number(100)) == 0)
    let force = try layout.control(.clickForce)
    #expect(try force.value(for: .level(.light)) == 3)
    #expect(force.steps == [110, 150, 190])
    #expect(force.level(of: 1) == .firm)
  }

  @Test func `coarse strengths are rounded`() throws {
    let layout = try layout {
      $0.page(0x0e)
      $0.report(9)
      $0.field(0x23, 0, 4, size: 4)
    }
    let control = try layout.control(.haptics)
    #expect(control.steps == [0, 25, 50, 75, 100])
    #expect(try control.value(for: .number(60)) == 2)
  }

  @Test func `a setting that is not declared is refused`() throws {
    let sensel = try #require(try PadLayout(ReportDescriptor(PadDescriptors.sensel)))
    let error = #expect(throws: PadError.self) { _ = try sensel.control(.clickForce) }
    #expect(error?.code == .notDeclared)
    #expect(try sensel.control(.haptics).field.reportID == 9)
  }

  @Test func `a vendor field in the report refuses it`() throws {
    let layout = try layout { $0.both(report: 8, vendor: true) }
    #expect(layout.controls.isEmpty && layout.reports.isEmpty)
    #expect(layout.declaresSettings)
    #expect(layout.refusals[.haptics]?.message.contains("vendor's own") == true)
    #expect(layout.vendorReportCount == 1)
  }

  /// The usage of the field alone does not state whose it is.
  @Test func `a field in a collection of the vendor is the vendor's`() throws {
    let layout = try layout {
      $0.page(0xff00)
      $0.usage(0x01)
      $0.begin(2)
      $0.page(0x0e)
      $0.report(9)
      $0.field(0x23, 0, 100)
      $0.end()
    }
    #expect(layout.controls.isEmpty)
    #expect(layout.refusals[.haptics]?.message.contains("vendor's own") == true)
  }

  @Test(arguments: [0x2001, 0x2fff])
  func `a waveform of the vendor is the vendor's`(_ usage: Int) throws {
    let layout = try layout {
      $0.both(report: 8)
      $0.page(0x0e)
      $0.field(usage, 0, 255)
    }
    #expect(layout.controls.isEmpty)
  }

  @Test func `a list of usages in the report refuses it`() throws {
    let layout = try layout {
      $0.both(report: 8)
      $0.page(0x0e)
      $0.field(0x25, 0, 255, flags: 0)
    }
    #expect(layout.controls.isEmpty)
    #expect(layout.refusals[.haptics]?.message.contains("a list of usages") == true)
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

  @Test func `a setting that is declared twice is refused`() throws {
    let layout = try layout {
      $0.clickStrength(report: 9)
      $0.clickStrength(report: 10)
    }
    #expect(layout.refusals[.haptics]?.message.contains("declares it 2 times") == true)
  }

  @Test(arguments: [(0, 256, 8), (-1, 255, 8), (-129, 10, 8), (5, 5, 8)])
  func `a range that does not fit is refused`(_ minimum: Int, _ maximum: Int, _ size: Int) throws {
    let layout = try layout {
      $0.page(0x0e)
      $0.report(9)
      $0.field(0x23, minimum, maximum, size: size)
    }
    #expect(layout.controls.isEmpty)
    #expect(layout.refusals[.haptics]?.code == .notDeclared)
  }

  @Test func `a report that the kernel cannot send is refused`() throws {
    func layoutOf(padding: Int) throws -> PadLayout {
      try layout {
        $0.page(0x0e)
        $0.report(9)
        $0.field(0x23, 0, 100)
        $0.size(8, count: padding / 2)
        $0.feature(3)
        $0.size(8, count: padding - padding / 2)
        $0.feature(3)
      }
    }
    // With the number and the value: 16383 bytes, which is the most that the request's code can state.
    #expect(try layoutOf(padding: 16_381).controls.count == 1)
    #expect(try layoutOf(padding: 16_382).refusals[.haptics]?.message.contains("bytes") == true)
  }

  @Test func `a constant is not a setting`() throws {
    let layout = try layout {
      $0.page(0x0e)
      $0.report(9)
      $0.field(0x23, 0, 100, flags: 3)
    }
    #expect(!layout.declaresSettings)
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

  static let haptic: PadLayout = {
    guard let descriptor = try? ReportDescriptor(PadDescriptors.haptic),
      let layout = PadLayout(descriptor)
    else { fatalError("the descriptor of the tests is malformed") }
    return layout
  }()
}
