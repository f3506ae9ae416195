import PressureDevices
import PressureTestSupport
import Testing

private func reason(_ bytes: [UInt8]) -> ReportDescriptorError.Reason? {
  do throws(ReportDescriptorError) {
    _ = try ReportDescriptor(bytes)
    return nil
  } catch {
    return error.reason
  }
}

private func descriptor(_ build: (inout DescriptorBytes) -> Void) throws -> ReportDescriptor {
  var bytes = DescriptorBytes()
  build(&bytes)
  return try ReportDescriptor(bytes.bytes)
}

@Suite struct ReportDescriptorTests {
  @Test func `fields have their place in the report`() throws {
    let pad = try ReportDescriptor(PadDescriptors.haptic)
    let pressures = pad.fields(.tipPressure, .input)
    // Each finger takes 8 + 3 × 16 bits.
    #expect(pressures.map(\.bitOffset) == [40, 96, 152, 208, 264])
    #expect(pressures.allSatisfy { $0.bitSize == 16 && $0.reportID == 1 && $0.count == 1 })
    let padType = try #require(pad.fields(Usage(0x0d, 0x59), .feature).first)
    #expect((padType.reportID, padType.bitOffset, padType.bitSize) == (2, 4, 4))
    #expect(pad.path(of: pressures[4]).map(\.id) == [0x22, 0x05])
  }

  @Test func `a run of one usage is one field`() throws {
    let pad = try descriptor {
      $0.page(0xff00)
      $0.usage(0xc5)
      $0.logical(0, 255)
      $0.size(8, count: 256)
      $0.feature()
    }
    #expect(pad.fields.count == 1)
    #expect(pad.fields.first?.count == 256)
    #expect(pad.fields.first?.reportID == nil)
  }

  /// The page may follow the usage, and a usage of four bytes contains it.
  @Test func `the page is that of the main item`() throws {
    let pad = try descriptor {
      $0.page(0x01)
      $0.usage(0x30)
      $0.item(0x08, 0x000d_0051)
      $0.page(0x0d)
      $0.size(8, count: 2)
      $0.input()
    }
    #expect(pad.fields.map(\.usage) == [Usage(0x0d, 0x30), Usage(0x0d, 0x51)])
  }

  @Test(arguments: [(-1, -1), (0, 65535), (-128, 127)])
  func `a maximum is signed below a negative minimum`(minimum: Int, maximum: Int) throws {
    let pad = try descriptor {
      $0.logical(minimum, maximum)
      $0.size(16)
      $0.input()
    }
    #expect(pad.fields.first?.logicalMaximum == Int64(maximum))
  }

  @Test(arguments: [(0x0e, -2), (0x05, 5), (0x07, 7), (0x08, -8)])
  func `an exponent is four bits`(data: Int, exponent: Int) throws {
    let pad = try descriptor {
      $0.item(0x54, data)
      $0.size(1)
      $0.input()
    }
    #expect(pad.fields.first?.unitExponent == exponent)
  }

  @Test func `popped items are those before`() throws {
    let pad = try descriptor {
      $0.logical(0, 10)
      $0.size(8)
      $0.page(0x01)
      $0.usage(0x31)
      $0.input()
      $0.item(0xa4)
      $0.item(0x24, 99)
      $0.usage(0x32)
      $0.input()
      $0.item(0xb4)
      $0.usage(0x30)
      $0.input()
    }
    #expect(pad.fields.map(\.logicalMaximum) == [10, 99, 10])
    let origins = pad.fields.map(\.inherited.logicalMaximum)
    #expect(origins == [nil, nil, Usage(0x01, 0x31)])
  }

  @Test func `only the first of alternative usages counts`() throws {
    let pad = try descriptor {
      $0.page(0x0d)
      for usage in [0x30, 0x31] {
        $0.item(0xa8, 1)
        $0.usage(usage)
        $0.item(0xa8, 0)
      }
      $0.size(8)
      $0.input()
    }
    #expect(pad.fields.map(\.usage) == [.tipPressure])
  }
}

@Suite struct MalformedDescriptorTests {
  @Test func `every truncation has a reason or is complete`() throws {
    for bytes in PadDescriptors.all {
      for length in 0..<bytes.count {
        let found = reason(Array(bytes[..<length]))
        #expect([nil, .truncatedItem, .openCollection].contains(found), "\(length)")
      }
    }
  }

  @Test func `every byte may be wrong`() {
    var generator = TinyRandom(seed: 0x41d)
    for bytes in PadDescriptors.all {
      for index in bytes.indices {
        var other = bytes
        other[index] = UInt8.random(in: 0...255, using: &generator)
        _ = reason(other)
      }
    }
  }

  /// The limit and one above it.
  @Test func `nesting and fields have limits`() {
    func collections(_ count: Int, deep: Bool) -> [UInt8] {
      let begin: [UInt8] = [0xa1, 0x00]
      return deep
        ? Array(repeatElement(begin, count: count).joined()) + repeatElement(0xc0, count: count)
        : Array(repeatElement(begin + [0xc0], count: count).joined())
    }
    #expect(reason(collections(32, deep: true)) == nil)
    #expect(reason(collections(33, deep: true)) == .nesting)
    #expect(reason(collections(512, deep: false)) == nil)
    #expect(reason(collections(513, deep: false)) == .tooManyCollections)
    func padded(_ length: Int) -> [UInt8] { Array(repeating: 0x10, count: length) }
    #expect(reason(padded(4096)) == nil)
    #expect(reason(padded(4097)) == .tooLong)
    func pushes(_ count: Int) -> [UInt8] { Array(repeating: 0xa4, count: count) }
    #expect(reason(pushes(16)) == nil)
    #expect(reason(pushes(17)) == .stackOverflow)
    func usages(_ count: Int) -> [UInt8] { Array(repeating: 0x08, count: count) }
    #expect(reason(usages(2048)) == nil)
    #expect(reason(usages(2049)) == .tooManyUsages)
    #expect(reason([0x76, 0x00, 0x01]) == nil)
    #expect(reason([0x76, 0x01, 0x01]) == .reportSize)
    #expect(reason([0x96, 0x00, 0x30]) == nil)
    #expect(reason([0x96, 0x01, 0x30]) == .reportCount)
    // 512 values of 256 bits are 16384 bytes.
    #expect(reason([0x76, 0x00, 0x01, 0x96, 0x00, 0x02, 0x81, 0x02]) == nil)
    #expect(reason([0x76, 0x00, 0x01, 0x96, 0x01, 0x02, 0x81, 0x02]) == .reportLength)
    // A range of 2048 usages for as many fields, and one more field.
    let many: [UInt8] = [0x19, 0, 0x2a, 0xff, 0x07, 0x75, 1, 0x96, 0x00, 0x08, 0x81, 2]
    #expect(reason(many) == nil)
    #expect(reason(many + [0x81, 2]) == .tooManyFields)
  }

  @Test(
    arguments: [
      ([0x26, 0xff], ReportDescriptorError.Reason.truncatedItem), ([0xfe, 0, 0], .longItem),
      ([0xc0], .unopenedCollection), ([0xa1, 1], .openCollection), ([0xb4], .stackUnderflow),
      ([0x85, 0], .reportID), ([0x86, 0, 1], .reportID), ([0xd4], .unknownGlobal),
      ([0xa9, 1], .delimiter), ([0xa9, 1, 0xa9, 1], .delimiter),
      ([0xa9, 0], .delimiter), ([0xa9, 1, 0x81, 2], .delimiter),
    ] as [([UInt8], ReportDescriptorError.Reason)])
  func `each malformed descriptor has a reason`(
    bytes: [UInt8], expected: ReportDescriptorError.Reason
  ) {
    #expect(reason(bytes) == expected)
  }

  @Test(arguments: [[0x19, 5, 0x29, 4], [0x1b, 1, 0, 13, 0, 0x2b, 2, 0, 14, 0]] as [[UInt8]])
  func `an invalid range of usages is ignored`(range: [UInt8]) throws {
    let descriptor = try ReportDescriptor(range + [0x75, 8, 0x95, 1, 0x81, 2])
    #expect(descriptor.fields.map(\.bitSize) == [8])
    #expect(descriptor.fields.map(\.usage) == [Usage(0, 0)])
  }

  @Test func `an error names its byte`() {
    let error = #expect(throws: ReportDescriptorError.self) {
      try ReportDescriptor([0x05, 0x0d, 0xc0])
    }
    #expect(
      error?.sentence
        == "the HID report descriptor is malformed at byte 2: the end of a collection that did not begin"
    )
  }
}
