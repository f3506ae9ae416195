package import PressureKit

extension Usage {
  // Applications.
  private static let touchscreen = Usage(0x0d, 0x04)
  package static let touchpad = Usage(0x0d, 0x05)

  /// Collections that contain one contact.
  fileprivate static let finger = Usage(0x0d, 0x22)

  /// The pressure of a contact, or of the surface outside of contacts.
  package static let tipPressure = Usage(0x0d, 0x30)

  /// The force at which the firmware of a pressure pad clicks (HUTRR111).
  package static let buttonPressThreshold = Usage(0x0d, 0xb0)

  /// The strength of haptic feedback, as a feature that of the pad's own.
  package static let intensity = Usage(0x0e, 0x23)

  /// Which feedback the firmware plays.
  package static let autoTrigger = Usage(0x0e, 0x20)

  /// Plays feedback.
  package static let manualTrigger = Usage(0x0e, 0x21)

  package var isTouchDevice: Bool { self == .touchpad || self == .touchscreen }

  private static let names: KeyValuePairs<Usage, String> = [
    Usage(0x01, 0x30): "X", Usage(0x01, 0x31): "Y", Usage(0x0d, 0x42): "Tip Switch",
    Usage(0x0d, 0x48): "Width", Usage(0x0d, 0x49): "Height", Usage(0x0d, 0x3f): "Azimuth",
    Usage(0x0d, 0x51): "Contact Identifier", Usage(0x0d, 0x56): "Scan Time",
  ]

  /// The name in the HID Usage Tables, or page and ID in hexadecimal.
  package var name: String {
    if let known = Usage.names.first(where: { $0.key == self }) { return known.value }
    return String(page, radix: 16) + "/" + String(id, radix: 16)
  }
}

extension DeviceDescription {
  /// Uses the facts of a report descriptor, or notes why it is not used.
  package mutating func use(descriptor bytes: [UInt8]) {
    do throws(ReportDescriptorError) {
      descriptor = DescriptorFacts(try ReportDescriptor(bytes))
    } catch {
      descriptorError = error.sentence
    }
  }
}

extension DescriptorFacts {
  /// Reads the facts of a touch device, not those of other applications, such as a pen's.
  package init?(_ descriptor: ReportDescriptor) {
    let isTouch = descriptor.collections.contains { $0.parent == nil && $0.usage.isTouchDevice }
    guard isTouch else { return nil }
    self.init()
    func fields(_ usage: Usage, _ kind: ReportField.Kind) -> [(field: ReportField, path: [Usage])] {
      descriptor.fields(usage, kind).lazy.filter { !$0.isConstant }
        .map { ($0, descriptor.path(of: $0)) }.filter { $0.1.last?.isTouchDevice == true }
    }
    let pressures = fields(.tipPressure, .input)
    let best = pressures.first { $0.path.contains(.finger) } ?? pressures.first
    if let field = best?.field {
      pressure = Pressure(
        minimum: field.logicalMinimum, maximum: field.logicalMaximum,
        rangeOrigin: field.inherited.logicalMaximum?.name, unit: Unit(field))
    }
    if let force = fields(.buttonPressThreshold, .feature).first {
      settings.append(.clickForce)
      clickGrams = force.field.clickGrams.map {
        min($0.atMinimum, $0.atMaximum)...max($0.atMinimum, $0.atMaximum)
      }
    }
    if !fields(.intensity, .feature).isEmpty { settings.append(.clickStrength) }
    triggersItself = !fields(.autoTrigger, .feature).isEmpty
    isTriggeredByHost = !fields(.manualTrigger, .output).isEmpty
  }
}

extension DescriptorFacts.Unit {
  /// The full scale that touch devices have; others are mistakes, such as the width in millimeters.
  private static let plausibleGrams = 20.0...50_000

  fileprivate init(_ field: ReportField) {
    let unitOrigin = field.unit == 0 ? nil : field.inherited.unit
    guard let scales = field.grams else {
      self = unitOrigin.map { .inherited(from: $0.name) } ?? (field.unit == 0 ? .none : .other)
      return
    }
    if let origin = unitOrigin ?? field.statedPhysicalOrigin ?? field.exponentOrigin {
      self = .inherited(from: origin.name)
      return
    }
    let span = Double(field.logicalMaximum - field.logicalMinimum)
    guard span > 0,
      let grams = scales.first(where: { DescriptorFacts.Unit.plausibleGrams.contains($0) })
    else {
      self = .implausible(fullScaleGrams: scales[0])
      return
    }
    let unitsPerGram = span / grams
    let physical = Double(field.physicalMaximum - field.physicalMinimum)
    let zero =
      physical > 0
      ? (Double(field.physicalMinimum) / physical - Double(field.logicalMinimum) / span) * grams : 0
    if abs(zero) * unitsPerGram > 0.5 {
      self = .displaced(zeroGrams: zero)
    } else {
      self =
        field.unit == ReportField.gram
        ? .mass(unitsPerGram: unitsPerGram) : .force(unitsPerGram: unitsPerGram)
    }
  }
}

extension ReportField {
  /// The force of a click, in grams.
  private static let plausibleClick = 10.0...2000

  /// The grams of a threshold for clicks at its logical minimum and maximum; nil if unknown.
  ///
  /// HUTRR111 defines grams as the default unit, so a range without a unit is in grams. An empty physical range is that of
  /// the values themselves; it is no force in grams if the values are steps such as 1 to 3.
  package var clickGrams: (atMinimum: Double, atMaximum: Double)? {
    let isEmpty = hasNoPhysicalRange
    let hasUnit = inherited.unit == nil && unit != 0
    guard isEmpty || statedPhysicalOrigin == nil,
      !hasUnit || unit == ReportField.gram && exponentOrigin == nil,
      let factor = hasUnit ? ReportField.powerOfTen(unitExponent) : 1
    else { return nil }
    let first = Double(isEmpty ? logicalMinimum : physicalMinimum) * factor
    let last = Double(isEmpty ? logicalMaximum : physicalMaximum) * factor
    guard first != last, min(first, last) >= (isEmpty ? ReportField.plausibleClick.lowerBound : 0),
      ReportField.plausibleClick.contains(max(first, last))
    else { return nil }
    return (first, last)
  }

  fileprivate static let gram: UInt32 = 0x0101

  private static let dyne: UInt32 = 0xe111

  private static let dynesPerGram = 980.665
  private static let dynesPerNewton = 100_000.0

  /// The usage of the physical range, if it is not the field's own and is not empty.
  fileprivate var statedPhysicalOrigin: Usage? {
    hasNoPhysicalRange ? nil : inherited.physicalMaximum
  }

  private var hasNoPhysicalRange: Bool { physicalMinimum == 0 && physicalMaximum == 0 }

  /// The usage of the unit exponent, if it is not the field's own and has an effect.
  ///
  /// X and Y are usually in hundredths of a centimeter; a pressure after them that sets a unit alone is not in hundredths.
  fileprivate var exponentOrigin: Usage? { unitExponent == 0 ? nil : inherited.unitExponent }

  /// The possible spans in grams, the most likely first; nil if the unit is not one of mass or force.
  ///
  /// Some devices, and Linux, take the dyne for a newton.
  fileprivate var grams: [Double]? {
    guard unit == ReportField.gram || unit == ReportField.dyne,
      let factor = ReportField.powerOfTen(unitExponent)
    else { return nil }
    let span =
      hasNoPhysicalRange
      ? Double(logicalMaximum - logicalMinimum) : Double(physicalMaximum - physicalMinimum)
    let value = span * factor
    guard unit == ReportField.dyne else { return [value] }
    let grams = value / ReportField.dynesPerGram
    return [grams, grams * ReportField.dynesPerNewton]
  }

  /// A power of ten; nil for an exponent that no device needs.
  fileprivate static func powerOfTen(_ exponent: Int) -> Double? {
    guard (-12...12).contains(exponent) else { return nil }
    let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * 10 }
    return exponent < 0 ? 1 / power : power
  }
}
