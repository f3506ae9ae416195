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

  /// What only another setting changes; a surface is passed on with every contact, so that has to weigh
  /// no more than a reference.
  private var facts: Box<SurfaceFacts>

  /// Whether the axis has stayed at its minimum through whole contacts.
  public internal(set) var isStuck = false

  /// The greatest pressure that twenty whole contacts and more have used, where that is less than an
  /// eighth of what counts as full; nil otherwise.
  public internal(set) var narrowMaximum: Int32?

  /// Where the press is configured to be made up.
  package var simulation: PressConfiguration.Simulation

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
  ) throws(UnsupportedDeviceError) {
    facts = Box(try SurfaceFacts(description, settings: settings))
    simulation = settings.press.simulation
    if let calibration { calibrate(by: calibration) }
  }

  /// What its pressure means.
  public var capability: Capability {
    let capability = facts.value.capability
    return isStuck && capability != .none ? .broken : capability
  }

  /// The law that makes grams of its pressure, or nil where there is nothing to weigh by.
  public var calibration: Calibration? { isStuck ? nil : facts.value.law }

  /// Where its grams come from.
  public var weightSource: WeightSource { calibration?.source ?? .none }

  /// Whether its presses are made up, as it cannot feel them or is configured so.
  public var simulatesPress: Bool { simulation.serves(capability) }

  /// Weighs by known weights from now on: rather than by the kernel's units, which are rounded.
  ///
  /// A fit for another range, as of another firmware, changes nothing.
  public mutating func calibrate(by fit: CalibrationFit) {
    guard let pressure, !pressure.isBroken, pressure.axis == fit.axis else { return }
    facts = Box(facts.value.calibrated(by: fit))
  }
}

// MARK: - What the device says of itself

extension Surface {
  /// As the kernel or the recording gave it.
  public var description: DeviceDescription { facts.value.description }

  /// How many contacts it can tell apart; 1 for a single-touch device.
  public var slotCount: Int { facts.value.slotCount }

  /// Whether it tells contacts apart by slots (protocol B).
  public var hasSlots: Bool { facts.value.hasSlots }

  public var x: Axis { facts.value.x }
  public var y: Axis { facts.value.y }

  /// The axis of pressure, or nil.
  public var pressure: PressureAxis? { facts.value.pressure }

  /// Whether each contact has a pressure of its own; false where one stands for all.
  public var isPerContact: Bool { facts.value.isPerContact }

  /// Whether the device adds up the pressures of all contacts by itself, as haptic pads do.
  ///
  /// What the sum has in it that is in no contact, such as a palm's part or that of a finger without a
  /// slot, lies there and weighs, too.
  public var statesTotal: Bool { facts.value.statesTotal }

  /// What known weights have taught, where it is of this very axis.
  public var fit: CalibrationFit? { facts.value.fit }
}

extension Surface {
  /// Whether it is known at a glance that nothing of its weighing differs.
  func weighsAs(_ other: Surface) -> Bool { facts === other.facts && isStuck == other.isStuck }

  /// The same device under other settings.
  package func under(_ settings: DeviceSettings) -> Surface {
    // What was not refused once has not changed since.
    guard var other = try? Surface(description, settings: settings, calibration: fit) else {
      return self
    }
    other.isStuck = isStuck
    other.narrowMaximum = narrowMaximum
    return other
  }

  /// Where two raw values lie; what leaves the range lies on the edge.
  @inline(__always)
  package func location(x rawX: Int32, y rawY: Int32) -> Location {
    facts.value.location(x: rawX, y: rawY)
  }

  /// The length from which on a contact is no fingertip, in the kernel's units; the greatest number there
  /// is if its axis states no unit.
  @inline(__always)
  var largeMajor: Int32 { facts.value.largeMajor }

  /// Whether anything is known of a contact's length, width or direction.
  @inline(__always)
  var hasShape: Bool { facts.value.hasShape }

  /// Length, width and direction of a contact.
  @inline(never)
  package func shape(_ values: SlotValues) -> ContactShape {
    facts.value.shapeAxes.map { ContactShape(values, on: $0) } ?? ContactShape()
  }
}

extension Surface {
  /// What a contact of a force weighs, gross.
  ///
  /// - Parameter force: in units of an average touch, 0 to the device's maximum.
  /// - Returns: grams, or nil where the device gives nothing to weigh by.
  public func grams(ofForce force: Double) -> Double? {
    guard let calibration, let pressure, pressure.maximumPossibleForce > 0 else { return nil }
    let ratio = force / pressure.maximumPossibleForce
    let span = Double(pressure.effectiveMaximum) - Double(pressure.axis.minimum)
    let raw = Double(pressure.axis.minimum) + ratio * span
    return calibration.grams(raw: raw, ratio: ratio)
  }

  /// The stages of a force gesture on it, by whether it states its grams itself.
  public func stages(of press: PressConfiguration) -> [PressStage] {
    press.stages(gramsAreTrue: gramsAreTrue && !simulatesPress).stages
  }
}

extension Calibration {
  /// Grams between two values that the sensor can say.
  fileprivate func grams(raw: Double, ratio: Double) -> Double {
    switch self {
    case .fitted(let law): law.grams(raw: raw)
    case .kernel(let unitsPerGram): raw / Double(unitsPerGram)
    case .nominal(let fullScaleGrams): ratio * fullScaleGrams
    }
  }
}

extension Surface {
  /// How far from zero a scale may be told that it stands at zero: two hundredths of what it carries.
  ///
  /// It is the limit that OIML R 76 sets for shop scales.
  private static let zeroingPart = 0.02

  /// How far off zero may be set, in grams.
  func zeroingRange(_ rules: ScaleConfiguration) -> Double {
    let raw = pressure?.effectiveMaximum ?? 0
    let capacity = calibration?.weight(raw: raw, ratio: 1).grams ?? 0
    return max(rules.zeroGrams, capacity * Surface.zeroingPart)
  }

  /// Whether any contact may weigh more than is said of it: the sensor is at its end, or the law is, as
  /// an estimate ends where the surface is pressed to the full.
  func isExceeded(by contacts: borrowing Span<Contact>) -> Bool {
    let end = estimateEnd
    for place in contacts.indices {
      if contacts[place].isSaturated { return true }
      if let end, contacts[place].force.ratio >= 1, let raw = contacts[place].raw, raw > end {
        return true
      }
    }
    return false
  }

  /// The value at which an estimate ends; nil where grams are no estimate.
  private var estimateEnd: Int32? {
    switch calibration {
    case .nominal: pressure?.effectiveMaximum
    case .fitted, .kernel, nil: nil
    }
  }
}

/// A large value that is made once and passed on often, in the memory of a reference.
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
