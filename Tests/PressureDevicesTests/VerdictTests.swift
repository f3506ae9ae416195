import PressureDevices
import PressureKit
import PressureTestSupport
import Testing

/// A kernel that reports resolutions of pressure, and pressure pads as such, or does not.
enum Kernel: CaseIterable {
  case before618
  case since618
}

/// A pad as evdev shows it, with its report descriptor.
struct Pad {
  var name: String
  var bus: UInt16 = 0x18
  var vendor: UInt16
  var product: UInt16
  var maximum: Int32?
  /// Units per gram since Linux 6.18.
  var resolution: Int32 = 0
  /// Whether its Pad Type is 1, so that newer kernels mark it.
  var isPressurePad = false
  var hasHaptics = false
  var descriptor: [UInt8]?

  func description(on kernel: Kernel) -> DeviceDescription {
    var description = DeviceDescription()
    description.name = name
    (description.bus, description.vendor, description.product) = (bus, vendor, product)
    for (code, axis) in [
      (EventCode.slot, Axis(minimum: 0, maximum: 4)),
      (.trackingID, Axis(minimum: 0, maximum: 65535)),
      (.positionX, Axis(minimum: 0, maximum: 1216, resolution: 12)),
      (.positionY, Axis(minimum: 0, maximum: 680, resolution: 12)),
    ] {
      description.axes[code.code] = axis
    }
    if let maximum {
      let axis = Axis(
        minimum: 0, maximum: maximum, resolution: kernel == .since618 ? resolution : 0)
      description.axes[EventCode.pressure.code] = axis
      description.axes[EventCode.singlePressure.code] = axis
    }
    if isPressurePad, kernel == .since618 { description.properties.insert(7) }
    if hasHaptics, kernel == .since618 { description.effects.insert(0x4f) }
    if let descriptor { description.use(descriptor: descriptor) }
    return description
  }

  func surface(on kernel: Kernel) throws -> Surface {
    try Configuration().surface(of: description(on: kernel))
  }

  static let redrix = Pad(
    name: "Redrix", vendor: 0x04f3, product: 0x323b, maximum: 4095, resolution: 4,
    isPressurePad: true, hasHaptics: true)
  static let surface = Pad(
    name: "Surface", bus: 0x19, vendor: 0x045e, product: 0x09af, maximum: 2000, resolution: 1,
    descriptor: PadDescriptors.surface)
  static let haptic = Pad(
    name: "Haptic", vendor: 0x06cb, product: 0xcd42, maximum: 4000, resolution: 4,
    isPressurePad: true, descriptor: PadDescriptors.haptic)
  static let pixart = Pad(
    name: "PixArt", vendor: 0x093a, product: 0x4f05, maximum: 2601, isPressurePad: true,
    descriptor: PadDescriptors.pixart)
  static let goodix = Pad(
    name: "Goodix", vendor: 0x27c6, product: 0x01e9, maximum: 2000,
    descriptor: PadDescriptors.goodix)
  static let sensel = Pad(
    name: "Sensel", vendor: 0x2c2f, product: 0x0027, isPressurePad: true,
    descriptor: PadDescriptors.sensel)
  static let magicTrackpad = Pad(
    name: "Magic Trackpad 2", bus: 0x03, vendor: 0x05ac, product: 0x0265, maximum: 253,
    descriptor: PadDescriptors.magicTrackpad)
  static let dynes = Pad(
    name: "Dynes", vendor: 0x1234, product: 1, maximum: 4095, descriptor: PadDescriptors.dynes)
}

@Suite struct VerdictTests {
  /// A row of the table: the verdict on both kernels, and the grams of a raw value.
  struct Row: Sendable {
    var pad: Pad
    var kernel: Kernel
    var measure: Verdict.Measure
    var certainty: Verdict.Certainty?
    var source: WeightSource
    var range: ClosedRange<Int32>?
    var rangeSource: Verdict.RangeSource?
    var trigger: Verdict.Trigger
    var settings: [Verdict.Setting] = []
    var raw: Int32 = 0
    var grams: Double?
    var reason: String
  }

  static let rows: [Row] = [
    Row(
      pad: .redrix, kernel: .since618, measure: .force, certainty: .stated, source: .kernel,
      range: 0...4095, rangeSource: .declared, trigger: .host, raw: 400, grams: 100,
      reason: "the kernel reports 4 units per gram"),
    Row(
      pad: .surface, kernel: .before618, measure: .total, certainty: .stated, source: .descriptor,
      range: 0...2000, rangeSource: .declared, trigger: .pad, settings: [.clickStrength], raw: 381,
      grams: 381,
      reason:
        "the report descriptor declares grams: 1 unit per gram, which this kernel does not report"),
    Row(
      pad: .surface, kernel: .since618, measure: .total, certainty: .stated, source: .descriptor,
      range: 0...2000, rangeSource: .declared, trigger: .pad, settings: [.clickStrength], raw: 381,
      grams: 381, reason: "each contact carries the total, by a quirk"),
    Row(
      pad: .haptic, kernel: .before618, measure: .force, certainty: .stated, source: .descriptor,
      range: 0...4000, rangeSource: .declared, trigger: .pad,
      settings: [.clickForce, .clickStrength], raw: 1000, grams: 250,
      reason: "its click force can be set, 110 to 190 g"),
    Row(
      pad: .haptic, kernel: .since618, measure: .force, certainty: .stated, source: .descriptor,
      range: 0...4000, rangeSource: .declared, trigger: .pad,
      settings: [.clickForce, .clickStrength], raw: 1000, grams: 250,
      reason: "its firmware triggers the click; the host could, but this kernel does not support it"
    ),
    Row(
      pad: .pixart, kernel: .before618, measure: .force, certainty: .inferred, source: .nominal,
      range: nil, rangeSource: .inherited, trigger: .pad, settings: [.clickForce, .clickStrength],
      reason:
        "the pressure range is inherited from Y, so it is not used; the maximum will be learned from twenty touches"
    ),
    Row(
      pad: .pixart, kernel: .since618, measure: .force, certainty: .inferred, source: .nominal,
      range: nil, rangeSource: .inherited, trigger: .pad, settings: [.clickForce, .clickStrength],
      reason: "the kernel marks it as a pressure pad"),
    Row(
      pad: .goodix, kernel: .since618, measure: .force, certainty: .inferred, source: .nominal,
      range: 0...2000, rangeSource: .declared, trigger: .pad, settings: [.clickStrength],
      reason: "the unit is that of X, so it is not used"),
    Row(
      pad: .sensel, kernel: .before618, measure: .none, source: .none, trigger: .pad,
      settings: [.clickStrength],
      reason: "a haptic pad whose driver does not report pressure"),
    Row(
      pad: .sensel, kernel: .since618, measure: .none, source: .none, trigger: .pad,
      settings: [.clickStrength], reason: "its click strength can be set"),
    Row(
      pad: .magicTrackpad, kernel: .since618, measure: .shares, certainty: .inferred,
      source: .nominal, range: 0...253, rangeSource: .declared, trigger: .none,
      reason: "the contacts share a total, by a quirk"),
    Row(
      pad: Pad(name: "PixArt", vendor: 0x093a, product: 0x4f05, maximum: 2601),
      kernel: .since618, measure: .force, certainty: .inferred, source: .nominal, range: nil,
      rangeSource: .inherited, trigger: .none,
      reason:
        "the pressure range is inherited from another axis, by a quirk, so it is not used; the maximum will be learned from twenty touches"
    ),
    Row(
      pad: Pad(name: "Ideacom", bus: 0x03, vendor: 0x1cb6, product: 0x6650, maximum: 255),
      kernel: .since618, measure: .broken, source: .none, trigger: .none,
      reason: "a quirk marks the pressure of this device as broken"),
    Row(
      pad: Pad(name: "Two values", vendor: 0x1234, product: 2, maximum: 1), kernel: .since618,
      measure: .broken, source: .none, trigger: .none,
      reason: "the pressure axis has two values, which only show whether something touches"),
    Row(
      pad: Pad(
        name: "Virtual", bus: 0x06, vendor: 0x1234, product: 3, maximum: 4000, resolution: 4),
      kernel: .since618, measure: .force, certainty: .assumed, source: .kernel, range: 0...4000,
      rangeSource: .declared, trigger: .none, raw: 400, grams: 100,
      reason: "the program that made the device reports 4 units per gram"),
    Row(
      pad: Pad(name: "Synaptics", bus: 0x11, vendor: 2, product: 7, maximum: 255),
      kernel: .since618, measure: .area, certainty: .inferred, source: .nominal, range: 0...255,
      rangeSource: .declared, trigger: .none,
      reason: "a quirk defines the pressure as contact area"),
    Row(
      pad: .dynes, kernel: .since618, measure: .force, certainty: .stated, source: .descriptor,
      range: 0...4095, rangeSource: .declared, trigger: .none, raw: 1000, grams: 100.0037,
      reason:
        "the report descriptor declares a unit of force: 10 units per gram, which this kernel does not report"
    ),
  ]

  @Test(arguments: rows)
  func `the verdict follows from kernel, quirk and descriptor`(row: Row) throws {
    let surface = try row.pad.surface(on: row.kernel)
    let verdict = surface.verdict
    #expect(verdict.measure == row.measure)
    #expect(verdict.certainty == row.certainty)
    #expect(verdict.weightSource == row.source)
    #expect(verdict.range == row.range)
    #expect(verdict.rangeSource == row.rangeSource)
    #expect(verdict.trigger == row.trigger)
    #expect(verdict.settings == row.settings)
    #expect(verdict.reasons.contains(row.reason), "\(verdict.reasons)")
    guard let grams = row.grams else {
      // A row whose grams are exact has to state some.
      #expect(row.source == .none || row.source == .nominal)
      return
    }
    let weight = try #require(surface.calibration?.weight(raw: row.raw, ratio: 0).grams)
    #expect(abs(weight - grams) < 0.001)
  }

  @Test func `the area is assumed of an unknown pad`() throws {
    let pad = Pad(name: "Unknown", vendor: 0x1234, product: 4, maximum: 255)
    let verdict = try pad.surface(on: .since618).verdict
    #expect((verdict.measure, verdict.certainty, verdict.reasons) == (.area, .assumed, []))
  }

  @Test func `the kernel's unit precedes that of the descriptor`() throws {
    var pad = Pad.haptic
    pad.resolution = 2
    #expect(try pad.surface(on: .since618).weightSource == .kernel)
  }

  /// Such an axis is not made from the descriptor.
  @Test func `a descriptor of another range is not that of the axis`() throws {
    var pad = Pad.haptic
    pad.maximum = 6000
    #expect(try pad.surface(on: .before618).weightSource == .nominal)
  }

  @Test func `a malformed descriptor is a reason`() throws {
    var pad = Pad.dynes
    pad.descriptor = [0xc0]
    let reasons = try pad.surface(on: .since618).verdict.reasons
    #expect(reasons.contains { $0.contains("malformed at byte 0") })
  }

  @Test func `an unknown click has the middle of the forces`() throws {
    let surface = try Pad.haptic.surface(on: .before618)
    var press = PressConfiguration()
    let stage = PressStage(
      name: "force", threshold: try Threshold(press: 2, release: 1), unit: .click)
    press.stages = try StageLadder([stage])
    press.gramStages = StageLadder()
    #expect(surface.stages(of: press).first?.threshold.press == 300)
  }
}
