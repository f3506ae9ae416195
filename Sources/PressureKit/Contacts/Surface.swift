/// What a touch device can do, decided once from what it says of itself.
public struct Surface: Hashable, Sendable {
  /// What a device's pressure means.
  public enum Capability: String, Sendable {
    /// True force: units per gram are stated, or the device is a pressure pad.
    case force
    /// An arbitrary axis, usually the area of contact.
    case size
    /// No pressure at all.
    case none
    /// An axis that says nothing: no range, or never a value above its minimum.
    case broken
  }

  /// As the kernel or the recording gave it.
  public let description: DeviceDescription

  /// How many contacts it can tell apart; 1 for a single-touch device.
  public let slotCount: Int

  /// Whether it tells contacts apart by slots (protocol B).
  public let hasSlots: Bool

  public let x: Axis
  public let y: Axis

  /// The axis of pressure, or nil.
  public let pressure: PressureAxis?

  /// Whether each contact has a pressure of its own; false where one stands for all.
  public let isPerContact: Bool

  /// Whether the device adds up the pressures of all contacts by itself, as haptic pads do.
  ///
  /// What the sum has in it that is in no contact, such as a palm's part or that of a finger without a
  /// slot, lies there and weighs, too.
  public let statesTotal: Bool

  /// Whether the axis has stayed at its minimum through whole contacts.
  public internal(set) var isStuck = false

  /// The greatest pressure that twenty whole contacts and more have used, where that is less than an
  /// eighth of what counts as full; nil otherwise.
  public internal(set) var narrowMaximum: Int32?

  /// Where the press is configured to be made up.
  var simulation: PressConfiguration.Simulation

  /// Units per millimetre of a contact's length, or 0 where neither that axis nor the width says it.
  let majorResolution: Int32

  /// What known weights have taught, where it is of this very axis.
  public private(set) var fit: CalibrationFit?

  private var law: Calibration?

  /// The kernel's own limit on `input_mt_init_slots`.
  public static let maximumSlots = 1024

  /// Parses a description, or says why the device is not read.
  ///
  /// - Parameters:
  ///   - description: what the device says of itself.
  ///   - settings: what is configured for the device.
  ///   - calibration: what known weights have taught of it; not used where its axis was another one.
  /// - Throws: why the device is not read.
  public init(
    _ description: DeviceDescription, settings: DeviceSettings = DeviceSettings(),
    calibration: CalibrationFit? = nil
  ) throws(Refusal) {
    hasSlots = try description.hasSlots()
    let (xCode, yCode) = hasSlots ? (EventCode.positionX, EventCode.positionY) : (.x, .y)
    guard let x = description.axis(xCode), let y = description.axis(yCode) else {
      throw .noPosition
    }
    self.description = description
    self.x = x
    self.y = y
    let major = description.axis(.touchMajor)
    majorResolution = major.map { $0.resolution > 0 ? $0.resolution : x.resolution } ?? 0
    slotCount = hasSlots ? Int(description.axis(.slot)?.maximum ?? 0) + 1 : 1
    let own = hasSlots ? description.axis(.pressure) : description.axis(.singlePressure)
    isPerContact = own != nil || !description.has(.singlePressure)
    pressure = (own ?? description.axis(.singlePressure)).map {
      PressureAxis(
        $0, effectiveMaximum: settings.effectiveMaximum ?? description.effectiveMaximum)
    }
    statesTotal = description.statesTotal
    simulation = settings.press.simulation
    law = pressure.flatMap { Surface.law(for: $0, fullScaleGrams: settings.nominalFullScaleGrams) }
    if let calibration { calibrate(by: calibration) }
  }

  /// What its pressure means.
  public var capability: Capability {
    guard let pressure else { return .none }
    if pressure.isBroken || isStuck { return .broken }
    return pressure.axis.resolution > 0 || description.isPressurePad ? .force : .size
  }

  /// The law that makes grams of its pressure, or nil where there is nothing to weigh by.
  public var calibration: Calibration? { isStuck ? nil : law }

  /// Where its grams come from.
  public var weightSource: WeightSource { calibration?.source ?? .none }

  /// Whether its presses are made up, as it cannot feel them or is configured so.
  public var simulatesPress: Bool { simulation.serves(capability) }

  /// Weighs by known weights from now on: rather than by the kernel's units, which are rounded.
  ///
  /// A fit for another range, as of another firmware, changes nothing.
  public mutating func calibrate(by fit: CalibrationFit) {
    guard let pressure, !pressure.isBroken, pressure.axis == fit.axis else { return }
    self.fit = fit
    law = .fitted(fit.law)
  }

  private static func law(for pressure: PressureAxis, fullScaleGrams: Double) -> Calibration? {
    guard !pressure.isBroken else { return nil }
    let resolution = pressure.axis.resolution
    return resolution > 0
      ? .kernel(unitsPerGram: resolution) : .nominal(fullScaleGrams: fullScaleGrams)
  }
}

extension Surface {
  /// The same device under other settings.
  func under(_ settings: DeviceSettings) -> Surface {
    // What was not refused once has not changed since.
    guard var other = try? Surface(description, settings: settings, calibration: fit) else {
      return self
    }
    other.isStuck = isStuck
    other.narrowMaximum = narrowMaximum
    return other
  }

  /// Where two raw values lie; what leaves the range lies on the edge.
  func location(x rawX: Int32, y rawY: Int32) -> Location {
    let part = (x: Surface.part(rawX, of: x), y: Surface.part(rawY, of: y))
    guard let width = x.millimetres, let height = y.millimetres else {
      return Location(x: part.x, y: part.y)
    }
    return Location(
      x: part.x, y: part.y, millimetres: .init(x: part.x * width, y: part.y * height))
  }

  private static func part(_ raw: Int32, of axis: Axis) -> Double {
    guard axis.span > 0 else { return 0 }
    return min(max((Double(raw) - Double(axis.minimum)) / Double(axis.span), 0), 1)
  }
}
