/// What a touch device can do, as far as its description and its settings decide that.
struct SurfaceFacts: Hashable {
  let description: DeviceDescription
  let slotCount: Int
  let hasSlots: Bool
  let x: Axis
  let y: Axis
  let pressure: PressureAxis?
  let isPerContact: Bool
  let statesTotal: Bool

  /// What its pressure means unless its axis turns out to be stuck.
  let capability: Surface.Capability

  private let xLine: AxisLine
  private let yLine: AxisLine

  // In millimeters; of width and height one alone is no use.
  private let width: PackedOptional
  private let height: PackedOptional

  /// What states a contact's length, width and direction; nil where nothing does.
  let shapeAxes: ShapeAxes?
  let hasShape: Bool

  /// The length from which on a contact is no fingertip, in units of that axis.
  let largeMajor: Int32

  /// Precision touchpads take contacts of more than this many millimeters for unintended ones.
  private static let largeMillimeters: Int64 = 25

  private(set) var fit: CalibrationFit?
  private(set) var law: Calibration?

  init(_ description: DeviceDescription, settings: DeviceSettings) throws(UnsupportedDeviceError) {
    hasSlots = try description.hasSlots()
    let (xCode, yCode) = hasSlots ? (EventCode.positionX, EventCode.positionY) : (.x, .y)
    guard let x = description.axis(xCode), let y = description.axis(yCode) else {
      throw .noPosition
    }
    self.description = description
    (self.x, self.y) = (x, y)
    (xLine, yLine) = (AxisLine(x), AxisLine(y))
    let hasSize = x.millimeters != nil && y.millimeters != nil
    (width, height) = (
      PackedOptional(hasSize ? x.millimeters : nil), PackedOptional(hasSize ? y.millimeters : nil)
    )
    shapeAxes = hasSlots ? ShapeAxes(description, x: x) : nil
    hasShape = shapeAxes != nil
    // A unit that is borrowed from the surface's width is not sure enough for this.
    let unit = Int64(hasSlots ? description.axis(.touchMajor)?.resolution ?? 0 : 0)
    largeMajor =
      unit > 0 ? Int32(clamping: SurfaceFacts.largeMillimeters * unit + 1) : .max
    slotCount = hasSlots ? Int(description.axis(.slot)?.maximum ?? 0) + 1 : 1
    let own = hasSlots ? description.axis(.pressure) : description.axis(.singlePressure)
    isPerContact = own != nil || !description.has(.singlePressure)
    let pressure = (own ?? description.axis(.singlePressure)).map {
      PressureAxis(
        $0, effectiveMaximum: settings.effectiveMaximum ?? description.effectiveMaximum)
    }
    self.pressure = pressure
    capability = SurfaceFacts.capability(of: pressure, description)
    statesTotal = description.statesTotal
    law = pressure.flatMap {
      SurfaceFacts.law(for: $0, fullScaleGrams: settings.nominalFullScaleGrams)
    }
  }

  /// The same device, weighing by known weights.
  func calibrated(by fit: CalibrationFit) -> SurfaceFacts {
    var facts = self
    facts.fit = fit
    facts.law = .fitted(fit.law)
    return facts
  }

  private static func capability(
    of pressure: PressureAxis?, _ description: DeviceDescription
  ) -> Surface.Capability {
    guard let pressure else { return .none }
    if pressure.isBroken { return .broken }
    return pressure.axis.resolution > 0 || description.isPressurePad ? .force : .size
  }

  private static func law(for pressure: PressureAxis, fullScaleGrams: Double) -> Calibration? {
    guard !pressure.isBroken else { return nil }
    let resolution = pressure.axis.resolution
    return resolution > 0
      ? .kernel(unitsPerGram: resolution) : .nominal(fullScaleGrams: fullScaleGrams)
  }
}

// Put where they are called, as all of the facts would be copied for a call.
extension SurfaceFacts {
  @inline(__always)
  func location(x: Int32, y: Int32) -> Location {
    Location(
      x: xLine.part(of: x), y: yLine.part(of: y), width: width.orNaN, height: height.orNaN)
  }
}

/// An axis as places on it are found, with nothing left to work out for each of them.
private struct AxisLine: Hashable {
  private let start: Double
  private let span: Double

  init(_ axis: Axis) {
    start = Double(axis.minimum)
    span = Double(axis.span)
  }

  /// The part of the way, 0…1; what leaves the range lies on the edge.
  func part(of raw: Int32) -> Double {
    span > 0 ? min(max((Double(raw) - start) / span, 0), 1) : 0
  }
}
