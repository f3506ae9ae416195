/// The abilities of a touch device, derived from its description and settings.
///
/// A touch is measured by one surface: what the stream shows changes it only while nothing touches, except that a stuck axis
/// counts from its first value on.
public struct Surface: Hashable, Sendable {
  /// The meaning of a device's pressure values.
  public enum Capability: String, CaseIterable, Sendable {
    /// True force: the device states units per gram, or is a pressure pad.
    case force
    /// An arbitrary unit, usually derived from the contact area.
    case size
    /// The device has no pressure axis.
    case none
    /// The axis is unusable: its range is empty, or it never leaves its minimum.
    case broken

    /// What the device does, as the end of a sentence.
    package var meaning: String {
      switch self {
      case .force: "measures force"
      case .size: "measures size, not force"
      case .none: "does not measure pressure"
      case .broken: "has an unusable pressure axis"
      }
    }
  }

  /// Shared by reference and replaced by each change, as the surface is passed along with each contact.
  private var facts: Box<SurfaceFacts>

  /// What the values have shown, and what the configuration decides by it.
  var findings: Findings {
    get { facts.value.findings }
    set { if newValue != findings { facts = Box(facts.value.with(newValue)) } }
  }

  /// Whether the axis stayed at its minimum through five complete contacts, or at another value through twenty-one.
  public var isStuck: Bool { findings.isStuck }

  /// Whether the pressure of each contact is the total of all contacts, by a quirk or as detected.
  public var carriesTotal: Bool { facts.value.carriesTotal }

  package var evidence: StreamEvidence { findings.evidence }

  /// The highest pressure used by twenty or more complete contacts, if it is below an eighth of the
  /// effective maximum; nil otherwise.
  public var narrowMaximum: Int32? { findings.narrowMaximum }

  /// The kernel's limit for `input_mt_init_slots`.
  public static let maximumSlots = 1024

  /// Derives the abilities of a device.
  ///
  /// - Parameters:
  ///   - description: the device as it describes itself.
  ///   - settings: the effective settings of the device.
  ///   - calibration: a calibration of the device; ignored if it was made with another axis range.
  /// - Throws: `UnsupportedDeviceError` if the device is not a supported touch device.
  public init(
    _ description: DeviceDescription, settings: DeviceSettings = DeviceSettings(),
    calibration: CalibrationFit? = nil
  ) throws(UnsupportedDeviceError) {
    facts = Box(try SurfaceFacts(description, settings: settings))
    if let calibration { calibrate(by: calibration) }
  }

  /// The meaning of its pressure values.
  public var capability: Capability {
    let capability = facts.value.capability
    if isStuck, capability != .none { return .broken }
    // A claim of force without a unit is withdrawn if the values are those of the size.
    let isWithdrawn = capability == .force && evidence.followsArea == true
    return isWithdrawn && (facts.value.law?.source ?? .nominal) == .nominal ? .size : capability
  }

  /// The law that converts its pressure to grams; nil if the device cannot weigh.
  public var calibration: Calibration? { facts.value.calibration }

  /// The source of its grams.
  public var weightSource: WeightSource { calibration?.source ?? .none }

  /// Whether its presses are simulated, for lack of pressure or by configuration.
  public var simulatesPress: Bool { findings.simulation.applies(to: capability) }

  /// Uses a calibration in place of the kernel's units per gram, which are rounded.
  ///
  /// A calibration for another axis range, for example of another firmware, is ignored.
  public mutating func calibrate(by fit: CalibrationFit) {
    guard let pressure, !pressure.isBroken, pressure.axis == fit.axis else { return }
    facts = Box(facts.value.calibrated(by: fit))
  }

  // MARK: - Properties of the device

  /// The description as given by the kernel or the recording.
  public var description: DeviceDescription { facts.value.description }

  /// The maximum number of distinct contacts; 1 for a single-touch device.
  public var slotCount: Int { facts.value.slotCount }

  /// Whether it reports contacts in slots (multi-touch protocol B).
  public var hasSlots: Bool { facts.value.hasSlots }

  /// The horizontal axis.
  public var x: Axis { facts.value.x }

  /// The vertical axis.
  public var y: Axis { facts.value.y }

  /// The pressure axis; nil if the device has none.
  public var pressure: PressureAxis? { facts.value.pressure }

  /// Whether each contact has its own pressure; false if all contacts share one value, or each carries the total.
  public var isPerContact: Bool { facts.value.isPerContact }

  /// Whether a calibrated reading has no error, as the sensor seems to measure the size of contacts and was not checked.
  ///
  /// Another foot of the same load then changes the reading by more than all else.
  public var isEstimate: Bool {
    if case .fitted(let law) = calibration { law.isEstimate } else { false }
  }

  /// Whether each slot has a value of pressure, which may be the total of all contacts.
  @inline(__always)
  var hasSlotPressure: Bool { facts.value.hasSlotPressure }

  /// Whether the end of the pressure axis is known, and not inferred from the values of a recording.
  package var isMaximumKnown: Bool { facts.value.pressure?.isInferred != true }

  /// Whether the device reports the sum of all pressures itself, as haptic touchpads do.
  ///
  /// The sum may include weight that belongs to no contact, such as that of a palm, so it is not used for weighing.
  public var reportsTotal: Bool { description.reportsTotal }

  /// The calibration in use; nil if there is none for this axis range.
  public var fit: CalibrationFit? {
    guard case .fitted(var fit) = facts.value.law else { return nil }
    fit.isEstimate = false
    return fit
  }

  var isMaximumConfigured: Bool { facts.value.isMaximumConfigured }

  package mutating func adopt(_ evidence: StreamEvidence) {
    findings.evidence = evidence
    if evidence.isConstant { findings.isStuck = true }
    if let used = evidence.usedMaximum { _ = learn(maximum: used) }
  }

  /// Returns whether the highest value so far changes the effective maximum: not if the range is believed or one is configured.
  mutating func learn(maximum: Int32) -> Bool {
    guard let pressure, !pressure.hasOwnRange, !isMaximumConfigured,
      maximum != pressure.effectiveMaximum || evidence.usedMaximum == nil
    else { return false }
    findings.evidence.usedMaximum = maximum
    facts = Box(facts.value.learned(maximum: maximum))
    return true
  }

  func hasSameWeighing(as other: Surface) -> Bool { facts === other.facts }

  package func applying(_ settings: DeviceSettings) -> Surface {
    // A description that was accepted before is accepted again.
    guard var other = try? Surface(description, settings: settings, calibration: fit) else {
      return self
    }
    other.findings.isStuck = isStuck
    other.adopt(evidence)
    other.findings.narrowMaximum = narrowMaximum
    return other
  }

  // Inlined, and reading each fact, as a call would copy all of them.
  @inline(__always)
  package func location(x: Int32, y: Int32) -> Location {
    Location(
      x: facts.value.xLine.part(of: x), y: facts.value.yLine.part(of: y),
      width: facts.value.width.orNaN, height: facts.value.height.orNaN)
  }

  @inline(__always)
  var largeMajor: Int32 { facts.value.largeMajor }

  var thumbZone: ThumbZone? { facts.value.thumbZone }

  /// Whether its pressure is contact area, and palms are reported as such.
  var reportsPalmsByArea: Bool { capability == .size && description.has(.toolType) }

  package var clicksBySurface: Bool { facts.value.clicksBySurface }

  @inline(__always)
  var hasShape: Bool { facts.value.hasShape }

  @inline(never)
  package func shape(_ values: SlotValues) -> ContactShape {
    facts.value.shapeAxes.map { ContactShape(values, on: $0) } ?? ContactShape()
  }

  /// The gross weight of a contact with the given force.
  ///
  /// - Parameter force: in units of an average touch, 0 to the device's maximum.
  /// - Returns: grams, or nil if the device has no weight source.
  public func grams(ofForce force: Double) -> Double? {
    guard let calibration, let pressure, pressure.maximumPossibleForce > 0 else { return nil }
    let ratio = force / pressure.maximumPossibleForce
    let span = Double(pressure.effectiveMaximum) - Double(pressure.axis.minimum)
    let raw = Double(pressure.axis.minimum) + ratio * span
    return switch calibration {
    case .fitted(let law): law.grams(raw: raw)
    case .units(let units, _): raw / units
    case .nominal(let fullScaleGrams, over: _): ratio * fullScaleGrams
    }
  }

  /// The stages of a press on this surface, depending on whether it states units per gram.
  ///
  /// - Parameters:
  ///   - press: the configuration of presses.
  ///   - clicks: what is known of the pad's clicks or touches, for stages that are relative to them.
  /// - Returns: the stages in ascending order, none of them relative to the pad's clicks.
  public func stages(
    of press: PressConfiguration, clicks: ClickForce = ClickForce()
  ) -> [PressStage] {
    guard simulatesPress else { return measuredStages(press, clicks) }
    let ladder = press.stages.stages
    guard let last = ladder.last, last.unit == .click else { return ladder }
    let factor = 1 / (last.threshold.press * PressLadder.simulatedMaximum)
    return ladder.map { $0.mapped(in: .ratio) { $0 * factor } }
  }

  /// OIML R 76 sets this limit of 2 % for shop scales.
  private static let zeroingPart = 0.02

  func zeroingRange(_ rules: ScaleConfiguration) -> Double {
    max(rules.zeroGrams, maximum(in: .grams) * Surface.zeroingPart)
  }

  /// Whether any contact may weigh more than reported, as the sensor is saturated or a nominal law has ended.
  func isExceeded(in frame: Frame) -> Bool {
    let contacts = frame.contacts.span
    // Outside of the loop, as each read of the law costs.
    if case .fitted(let law) = calibration {
      for index in contacts.indices {
        if let raw = contacts[index].raw, law.isBeyondReach(raw: raw) { return true }
      }
    }
    var end: Int32?
    if frame.greatestRatio >= 1, case .nominal = calibration { end = pressure?.effectiveMaximum }
    for index in contacts.indices {
      if contacts[index].isSaturated { return true }
      if let end, contacts[index].force.ratio >= 1, let raw = contacts[index].raw, raw > end {
        return true
      }
    }
    return false
  }
}

/// Shares a large immutable value by reference.
final class Box<Value: Hashable & Sendable>: Hashable, Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  static func == (left: Box, right: Box) -> Bool {
    left === right || left.value == right.value
  }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
