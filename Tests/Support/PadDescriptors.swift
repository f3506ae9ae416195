/// Report descriptors as touchpads have them, item by item.
package struct DescriptorBytes {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Appends a short item of the smallest size for its data; tag and type as in the specification, such as 0x24 for
  /// Logical Maximum.
  package mutating func item(_ tagAndType: UInt8, _ value: Int) {
    let size = (-128...127).contains(value) ? 1 : (-32768...32767).contains(value) ? 2 : 4
    bytes.append(tagAndType | UInt8(size == 4 ? 3 : size))
    for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }

  /// Appends an item without data.
  package mutating func item(_ tagAndType: UInt8) { bytes.append(tagAndType) }

  package mutating func page(_ page: Int) { item(0x04, page) }
  package mutating func usage(_ id: Int) { item(0x08, id) }
  package mutating func logical(_ minimum: Int, _ maximum: Int) {
    item(0x14, minimum)
    item(0x24, maximum)
  }
  package mutating func physical(_ minimum: Int, _ maximum: Int) {
    item(0x34, minimum)
    item(0x44, maximum)
  }
  package mutating func unit(_ unit: Int, exponent: Int = 0) {
    item(0x54, exponent & 15)
    item(0x64, unit)
  }
  package mutating func report(_ id: Int) { item(0x84, id) }
  package mutating func size(_ size: Int, count: Int = 1) {
    item(0x74, size)
    item(0x94, count)
  }
  package mutating func begin(_ type: Int) { item(0xa0, type) }
  package mutating func end() { item(0xc0) }
  package mutating func input(_ flags: Int = 2) { item(0x80, flags) }
  package mutating func output(_ flags: Int = 2) { item(0x90, flags) }
  package mutating func feature(_ flags: Int = 2) { item(0xb0, flags) }
}

extension DescriptorBytes {
  /// A finger whose pressure is declared by `pressure`, after X and Y in hundredths of a centimeter.
  package mutating func finger(
    x: (logical: Int, physical: Int), y: (logical: Int, physical: Int),
    pressure: (inout DescriptorBytes) -> Void
  ) {
    page(0x0d)
    usage(0x22)
    begin(2)
    logical(0, 1)
    usage(0x47)
    usage(0x42)
    size(1, count: 2)
    input()
    item(0x24, 15)
    usage(0x51)
    size(6)
    input()
    page(0x01)
    unit(0x11, exponent: -2)
    item(0x34, 0)
    size(16)
    item(0x24, x.logical)
    item(0x44, x.physical)
    usage(0x30)
    input()
    item(0x24, y.logical)
    item(0x44, y.physical)
    usage(0x31)
    input()
    page(0x0d)
    pressure(&self)
    end()
  }

  /// A precision touchpad of five fingers with its own features behind them.
  package static func touchpad(
    x: (logical: Int, physical: Int) = (1216, 1000), y: (logical: Int, physical: Int) = (680, 560),
    pressure: (inout DescriptorBytes) -> Void,
    features: (inout DescriptorBytes) -> Void = { _ in }
  ) -> [UInt8] {
    var all = DescriptorBytes()
    all.page(0x0d)
    all.usage(0x05)
    all.begin(1)
    all.report(1)
    for _ in 0..<5 { all.finger(x: x, y: y, pressure: pressure) }
    all.page(0x0d)
    all.unit(0x1001, exponent: -4)
    all.physical(0, 65535)
    all.logical(0, 65535)
    all.size(16)
    all.usage(0x56)
    all.input()
    all.physical(0, 0)
    all.unit(0)
    all.usage(0x54)
    all.logical(0, 127)
    all.size(8)
    all.input()
    all.page(0x09)
    all.usage(0x01)
    all.logical(0, 1)
    all.size(1)
    all.input()
    all.size(7)
    all.input(3)
    all.page(0x0d)
    all.report(2)
    all.usage(0x55)
    all.usage(0x59)
    all.logical(0, 15)
    all.size(4, count: 2)
    all.feature()
    features(&all)
    all.end()
    return all.bytes
  }

  /// Tip Pressure with a range of its own.
  package mutating func tipPressure(
    _ maximum: Int, physical: Int, unit: Int = 0x0101, exponent: Int = 0
  ) {
    self.unit(unit, exponent: exponent)
    self.physical(0, physical)
    logical(0, maximum)
    size(16)
    usage(0x30)
    input()
  }

  /// The force at which the pad clicks by itself, in steps.
  package mutating func clickForce(
    _ steps: ClosedRange<Int>, grams: ClosedRange<Int>, report id: Int
  ) {
    page(0x0d)
    report(id)
    usage(0xb0)
    logical(steps.lowerBound, steps.upperBound)
    physical(grams.lowerBound, grams.upperBound)
    unit(0x0101)
    size(8)
    feature()
    physical(0, 0)
    unit(0)
  }

  /// The strength of the pad's own feedback.
  package mutating func clickStrength(_ maximum: Int = 100, report id: Int) {
    page(0x0e)
    usage(0x01)
    begin(2)
    report(id)
    usage(0x23)
    logical(0, maximum)
    size(8)
    feature()
    end()
  }

  /// A haptic device that the host can trigger, too.
  package mutating func haptics(report id: Int) {
    page(0x0e)
    usage(0x01)
    begin(2)
    report(id)
    usage(0x20)
    logical(0, 5)
    size(8)
    feature()
    report(id + 1)
    usage(0x21)
    output()
    end()
  }
}

/// Descriptors of pads, with the statements that make each of them special.
package enum PadDescriptors {
  /// The Surface Laptop Studio: grams, one unit each.
  package static let surface = DescriptorBytes.touchpad(
    x: (2298, 1172), y: (1532, 772),
    pressure: { $0.tipPressure(2000, physical: 2000) },
    features: { $0.clickStrength(report: 209) })

  /// A pad of 4 units per gram that clicks by itself and that the host can trigger.
  package static let haptic = DescriptorBytes.touchpad(
    pressure: { $0.tipPressure(4000, physical: 1000) },
    features: {
      $0.clickForce(1...3, grams: 110...190, report: 8)
      $0.clickStrength(report: 9)
      $0.haptics(report: 10)
    })

  /// PixArt 093a:4f05: the range of its pressure is that of Y.
  package static let pixart = DescriptorBytes.touchpad(
    x: (4103, 1357), y: (2601, 861),
    pressure: {
      $0.usage(0x30)
      $0.input()
    },
    features: {
      $0.clickForce(1...3, grams: 110...190, report: 8)
      $0.clickStrength(report: 9)
    })

  /// Goodix GT7868Q: a range of its own, and the unit of Y, which is no mass.
  package static let goodix = DescriptorBytes.touchpad(
    pressure: {
      $0.logical(0, 2000)
      $0.usage(0x30)
      $0.input()
    },
    features: { $0.clickStrength(report: 9) })

  /// Sensel: no pressure in its report, and a setting of its feedback.
  package static let sensel = DescriptorBytes.touchpad(
    pressure: { _ in }, features: { $0.clickStrength(report: 9) })

  /// A pad that states dynes as the specification defines them: 4.016 N.
  package static let dynes = DescriptorBytes.touchpad(
    pressure: { $0.tipPressure(4095, physical: 4016, unit: 0xe111, exponent: 2) })

  /// A pad that states newtons and means them, as Linux reads it: 4 N.
  package static let newtons = DescriptorBytes.touchpad(
    pressure: { $0.tipPressure(4095, physical: 4, unit: 0xe111) })

  /// Apple Magic Trackpad 2: a mouse, and a touchpad whose reports are the vendor's own.
  package static let magicTrackpad: [UInt8] = {
    var all = DescriptorBytes()
    all.page(0x01)
    all.usage(0x02)
    all.begin(1)
    all.usage(0x01)
    all.begin(0)
    all.page(0x09)
    all.item(0x18, 1)
    all.item(0x28, 3)
    all.logical(0, 1)
    all.report(2)
    all.size(1, count: 3)
    all.input()
    all.size(5)
    all.input(1)
    all.page(0x01)
    all.usage(0x30)
    all.usage(0x31)
    all.logical(-127, 127)
    all.size(8, count: 2)
    all.input(6)
    all.end()
    all.end()
    all.page(0x0d)
    all.usage(0x05)
    all.begin(1)
    all.page(0xff00)
    all.usage(0x0c)
    all.logical(0, 255)
    all.size(8, count: 16)
    all.report(63)
    all.input(0x22)
    all.end()
    return all.bytes
  }()

  package static let all = [
    surface, haptic, pixart, goodix, sensel, dynes, newtons, magicTrackpad,
  ]
}
