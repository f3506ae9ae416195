/// The properties of a touch device that its description and settings determine, and what its values have shown.
struct SurfaceFacts: Hashable {
  let description: DeviceDescription
  let slotCount: Int
  let hasSlots: Bool
  let x: Axis
  let y: Axis
  private(set) var pressure: PressureAxis?
  let isMaximumConfigured: Bool
  private let hasPressureForEach: Bool
  private(set) var isPerContact = true
  let hasSlotPressure: Bool

  /// The meaning of the pressure values, unless the axis turns out to be stuck.
  let capability: Surface.Capability

  let xLine: AxisLine
  let yLine: AxisLine

  // In millimeters; missing if one of them is.
  let width: PackedOptional
  let height: PackedOptional
  let shapeAxes: ShapeAxes?
  let hasShape: Bool

  /// The length above which a contact is not a fingertip, in units of that axis.
  let largeMajor: Int32

  /// Where thumbs rest; nil if the device does not tell a thumb from a finger.
  let thumbZone: ThumbZone?
  let clicksBySurface: Bool

  /// Length in millimeters above which Windows precision touchpads reject a contact as unintended.
  private static let largeMillimeters: Int64 = 25

  private(set) var law: Calibration?

  /// The law, unless the axis is stuck.
  private(set) var calibration: Calibration?
  private(set) var findings: Findings

  init(_ description: DeviceDescription, settings: DeviceSettings) throws(UnsupportedDeviceError) {
    hasSlots = try description.hasSlots()
    let (xCode, yCode) = hasSlots ? (EventCode.positionX, EventCode.positionY) : (.x, .y)
    guard let x = description.axis(xCode), let y = description.axis(yCode) else {
      throw .noPosition
    }
    self.description = description
    (self.x, self.y) = (x, y)
    xLine = AxisLine(x, isInferred: description.inferredAxes.contains(xCode.code))
    yLine = AxisLine(y, isInferred: description.inferredAxes.contains(yCode.code))
    let hasSize = x.millimeters != nil && y.millimeters != nil
    width = PackedOptional(hasSize ? x.millimeters : nil)
    height = PackedOptional(hasSize ? y.millimeters : nil)
    shapeAxes = hasSlots ? ShapeAxes(description, x: x) : nil
    hasShape = shapeAxes != nil
    // A resolution borrowed from the surface's width is not reliable enough here.
    let unit = Int64(hasSlots ? description.axis(.touchMajor)?.resolution ?? 0 : 0)
    largeMajor = unit > 0 ? Int32(clamping: SurfaceFacts.largeMillimeters * unit + 1) : .max
    slotCount = hasSlots ? Int(description.axis(.slot)?.maximum ?? 0) + 1 : 1
    thumbZone = hasSlots ? ThumbZone(description, x: x, y: y) : nil
    clicksBySurface = description.clicksBySurface
    let own = hasSlots ? description.axis(.pressure) : description.axis(.singlePressure)
    // Beside slots, ABS_PRESSURE may be that of a pen on the same device.
    let shared = hasSlots && description.isPen ? nil : description.axis(.singlePressure)
    hasPressureForEach = own != nil || shared == nil
    hasSlotPressure = hasSlots && hasPressureForEach
    let code = (own == nil || !hasSlots ? EventCode.singlePressure : .pressure).code
    let configured = settings.effectiveMaximum ?? description.quirk?.effectiveMaximum
    let pressure = (own ?? shared).map { axis in
      PressureAxis(
        axis, effectiveMaximum: configured, isInferred: description.inferredAxes.contains(code),
        unitsPerGram: description.unitsPerGram(of: axis),
        hasOwnRange: description.hasOwnRange(axis),
        isMeaningless: description.quirk?.measure == .broken)
    }
    self.pressure = pressure
    isMaximumConfigured = pressure.map { $0.effectiveMaximum == configured } ?? false
    if let pressure, !pressure.isBroken {
      let isForce = description.isForcePad && description.quirk?.measure != .area
      capability = pressure.unitsPerGram != nil || isForce ? .force : .size
      let areRounded = description.descriptorUnits(of: pressure.axis) == nil
      law =
        pressure.unitsPerGram.map { Calibration.units(perGram: $0, areRounded: areRounded) }
        ?? Calibration.nominal(
          fullScaleGrams: settings.nominalFullScaleGrams, over: pressure.range)
    } else {
      capability = pressure == nil ? .none : .broken
    }
    findings = Findings(simulation: settings.press.simulation)
    calibration = law
    isPerContact = hasPressureForEach && !carriesTotal
  }

  /// Whether each contact carries the total, as the values have shown, or else as a quirk states.
  var carriesTotal: Bool {
    let isTotal = findings.evidence.carriesTotal ?? description.quirk?.contactsCarryTotal
    return hasSlotPressure && isTotal == true
  }

  func with(_ findings: Findings) -> SurfaceFacts {
    var facts = self
    facts.findings = findings
    facts.isPerContact = hasPressureForEach && !facts.carriesTotal
    facts.calibration = findings.isStuck ? nil : law
    return facts
  }

  func learned(maximum: Int32) -> SurfaceFacts {
    guard let pressure else { return self }
    var facts = self
    let learned = PressureAxis(
      pressure.axis, effectiveMaximum: maximum, isInferred: pressure.isInferred,
      unitsPerGram: pressure.unitsPerGram, hasOwnRange: pressure.hasOwnRange)
    facts.pressure = learned
    if case .nominal(let fullScaleGrams, over: _) = law {
      facts.law = .nominal(fullScaleGrams: fullScaleGrams, over: learned.range)
    }
    return facts.with(findings)
  }

  func calibrated(by fit: CalibrationFit) -> SurfaceFacts {
    var (facts, fit) = (self, fit)
    fit.isEstimate = capability == .size && fit.checks.isEmpty && fit.isBent
    facts.law = .fitted(fit)
    return facts.with(findings)
  }
}

/// What the values of a device have shown, and what the configuration decides by it.
struct Findings: Hashable {
  var isStuck = false
  var evidence = StreamEvidence()
  var narrowMaximum: Int32?
  var simulation: PressConfiguration.Simulation
}

/// An axis with precomputed start and span, for converting raw values to fractions.
struct AxisLine: Hashable {
  private let start: Double
  private let span: Double

  /// The greatest raw value without a fraction: the unknown value, or all values of an axis without a range.
  private let unusable: Int32

  /// Whether such a value is unknown, and not 0 as on an axis that is declared without a range.
  private let isUnknown: Bool

  init(_ axis: Axis, isInferred: Bool) {
    start = Double(axis.minimum)
    span = Double(axis.span)
    unusable = axis.span > 0 ? .unknownValue : .max
    isUnknown = axis.span > 0 || isInferred
  }

  /// The fraction of the range, clamped to 0…1; NaN if it is unknown.
  func part(of raw: Int32) -> Double {
    raw > unusable ? min(max((Double(raw) - start) / span, 0), 1) : isUnknown ? .nan : 0
  }
}
