/// What the pressure of a device is, and what the pad does by itself, with the reasons.
///
/// What an axis declares is often false: ranges are inherited from another axis, units are missing before Linux 6.18, and some
/// pads report a total for each contact. The verdict depends on the report descriptor, the axes, the quirks, the
/// calibration, and on what the stream has shown.
public struct Verdict: Hashable, Sendable {
  /// What the values of the pressure axis are.
  public enum Measure: String, CaseIterable, Sendable {
    /// The force of each contact.
    case force
    /// The total force, which all contacts share or each contact carries.
    case total
    /// Shares of a total: if one finger presses harder, the values of the others decrease.
    case shares
    /// The size of contacts, in an arbitrary unit.
    case area
    /// The device reports no pressure.
    case none
    /// The values are unusable.
    case broken
  }

  /// How reliable the measure is.
  public enum Certainty: String, CaseIterable, Sendable {
    /// The device states a unit of mass or force, or a calibration has shown it.
    case stated
    /// It follows from what kind of pad it is.
    case inferred
    /// Nothing is known of the pad: most have this measure, or a program made the device.
    case assumed
    /// The values have borne it out.
    case confirmed
    /// The values contradict what the device states.
    case contradicted
  }

  /// Where the range comes from.
  public enum RangeSource: String, CaseIterable, Sendable {
    /// The device declares it.
    case declared
    /// It is that of another axis, so it is not used.
    case inherited
    /// It is that of the values so far.
    case use
    /// A setting or a quirk states it.
    case configured
  }

  /// Which side can trigger haptic feedback.
  public enum Trigger: String, CaseIterable, Sendable {
    /// The host, through the kernel.
    case host
    /// The pad alone: it clicks by itself.
    case pad
    /// Neither the kernel nor the device declares haptic feedback.
    case none
  }

  /// A setting that the device declares.
  public enum Setting: String, CaseIterable, Sendable {
    /// The force at which the pad clicks by itself.
    case clickForce = "click_force"
    /// The strength of the pad's own click.
    case clickStrength = "click_strength"
  }

  /// What the values are.
  public var measure: Measure

  /// How reliable that is; nil without usable pressure.
  public var certainty: Certainty?

  /// The source of grams.
  public var weightSource: WeightSource

  /// The range in which values are; nil if unknown.
  public var range: ClosedRange<Int32>?

  /// Where the range comes from; nil without a pressure axis.
  public var rangeSource: RangeSource?

  /// Whether the pad declares that it clicks by itself, without a mechanism or the host; false if unknown.
  public var clicksByItself: Bool { trigger == .pad }

  /// Which side can trigger haptic feedback.
  public var trigger: Trigger

  /// The settings that the device declares.
  public var settings: [Setting]

  /// The reasons, as sentences without a period.
  public var reasons: [String]
}

extension Surface {
  /// What its pressure is, and what the pad does by itself.
  public var verdict: Verdict {
    let description = description
    let (measure, certainty) = claim
    let (range, rangeSource) = trueRange
    return Verdict(
      measure: measure, certainty: certainty, weightSource: weightSource, range: range,
      rangeSource: rangeSource, trigger: description.hapticTrigger,
      settings: description.descriptor?.settings ?? [],
      reasons: measureReasons + unitReasons + rangeReasons + description.padReasons)
  }

  private var claim: (Verdict.Measure, Verdict.Certainty?) {
    switch capability {
    case .none: return (.none, nil)
    case .broken: return (.broken, nil)
    case .size:
      let isKnown = description.quirk?.measure == .area
      return (.area, evidence.followsArea == true ? .confirmed : isKnown ? .inferred : .assumed)
    case .force: break
    }
    let isInvented = description.isVirtual && weightSource == .kernel
    let isStated = weightSource != .nominal && !isInvented
    if evidence.followsArea == true { return (.area, isStated ? .contradicted : .confirmed) }
    let isConfirmed = evidence.followsArea == false
    let certainty: Verdict.Certainty =
      isStated ? .stated : isConfirmed ? .confirmed : isInvented ? .assumed : .inferred
    if !isPerContact {
      return (.total, carriesTotal && evidence.carriesTotal == true ? .confirmed : certainty)
    }
    return (description.quirk?.measure == .shares ? .shares : .force, certainty)
  }

  private var trueRange: (ClosedRange<Int32>?, Verdict.RangeSource?) {
    guard let pressure, !pressure.isBroken else { return (nil, nil) }
    let axis = pressure.axis
    if isMaximumConfigured { return (pressure.range, .configured) }
    if evidence.usedMaximum != nil, !pressure.hasOwnRange { return (pressure.range, .use) }
    if pressure.isInferred { return (nil, .use) }
    return pressure.hasOwnRange ? (axis.minimum...axis.maximum, .declared) : (nil, .inherited)
  }

  // MARK: - Reasons

  package var evidenceReasons: [String] {
    let showsMeasure =
      evidence.followsArea != nil || evidence.carriesTotal != nil || evidence.isConstant
    return (showsMeasure ? measureReasons : []) + (evidence.usedMaximum == nil ? [] : rangeReasons)
  }

  private var measureReasons: [String] {
    let (measure, certainty) = claim
    let reason: String? =
      switch measure {
      case .none:
        description.isForcePad
          ? "a haptic pad whose driver does not report pressure" : "it reports no pressure"
      case .broken:
        isStuck && evidence.isConstant
          ? "every touch had the same pressure"
          : isStuck
            ? "the pressure did not change during complete contacts"
            : description.quirk?.measure == .broken
              ? "a quirk marks the pressure of this device as broken"
              : pressure?.axis.span == 1
                ? "the pressure axis has two values, which only show whether something touches"
                : "the range of the pressure axis is empty"
      case .total:
        !carriesTotal
          ? "all contacts share one sensor"
          : evidence.carriesTotal == true
            ? "contacts always had the same pressure while it changed: each carries the total"
            : "each contact carries the total, by a quirk"
      case .shares: "the contacts share a total, by a quirk"
      case .area where evidence.followsArea == true:
        "the pressure follows the length of the contact exactly"
      case .area where description.quirk?.measure == .area:
        "a quirk defines the pressure as contact area"
      case .area, .force: nil
      }
    var reasons = [reason].compactMap(\.self)
    if evidence.carriesTotal == false, description.quirk?.contactsCarryTotal == true {
      reasons.append("each contact has a separate pressure, although a quirk defines a total")
    }
    if certainty == .confirmed, measure != .total, measure != .area {
      reasons.append("contacts of the same length have different pressures")
    }
    guard capability == .force else { return reasons }
    if description.isPressurePad {
      let marker = description.isPressurePadByQuirk ? "a quirk" : "the kernel"
      reasons.append("\(marker) marks it as a pressure pad")
    } else if description.isForcePad {
      reasons.append("it declares click settings, as force pads do")
    }
    return reasons
  }

  private var unitReasons: [String] {
    guard let pressure, !pressure.isBroken else { return [] }
    if weightSource == .calibrated { return ["it was calibrated with known weights"] }
    if let stated = description.descriptorUnits(of: pressure.axis) {
      let unit = stated.isForce ? "a unit of force" : "grams"
      var reason = "the report descriptor declares \(unit): \(stated.unitsPerGram.asUnitsPerGram)"
      if pressure.axis.resolution <= 0 { reason += ", which this kernel does not report" }
      return [reason]
    }
    let unused: String? =
      switch description.descriptorPressure(of: pressure.axis)?.unit {
      case .inherited(let usage)?: "the unit is that of \(usage), so it is not used"
      case .other?: "the report descriptor declares a unit that is not one of force"
      case .implausible(let grams)?:
        "a full scale of \(grams.shortDescription(decimals: 2)) g is not plausible,"
          + " so it is not used"
      case .displaced(let grams)?:
        "the report descriptor declares \(grams.shortDescription(decimals: 2)) g for the value 0,"
          + " so its unit is not used"
      case .some(.none), .mass?, .force?, nil: nil
      }
    let reasons = [unused].compactMap(\.self)
    guard weightSource == .kernel else { return reasons }
    let origin = description.isVirtual ? "the program that made the device" : "the kernel"
    return reasons + ["\(origin) reports \(Double(pressure.axis.resolution).asUnitsPerGram)"]
  }

  private var rangeReasons: [String] {
    guard let pressure, !pressure.isBroken else { return [] }
    if let used = narrowMaximum {
      return ["no touch has exceeded \(used) of the range to \(pressure.effectiveMaximum)"]
    }
    guard !pressure.hasOwnRange else { return [] }
    let usage =
      description.descriptorPressure(of: pressure.axis)?.rangeOrigin
      ?? "another axis, by a quirk"
    let reason = "the pressure range is inherited from \(usage), so it is not used"
    let (_, source) = trueRange
    guard source == .use || source == .configured else {
      return ["\(reason); the maximum will be learned from twenty touches"]
    }
    let origin = source == .use ? "from use" : "by setting or quirk"
    return ["\(reason); effective maximum \(origin): \(pressure.effectiveMaximum)"]
  }
}

extension DeviceDescription {
  fileprivate var padReasons: [String] {
    let feedback: String? =
      switch hapticTrigger {
      case .host: "the host can trigger haptic feedback"
      case .pad where descriptor?.isTriggeredByHost == true:
        "its firmware triggers the click; the host could, but this kernel does not support it"
      case .pad: "its firmware triggers the click; the host cannot"
      case .none: isForcePad ? "the kernel offers no haptic feedback" : nil
      }
    let settings = descriptor?.settings ?? []
    let range = descriptor?.clickGrams.map { grams in
      let (low, high) = (grams.lowerBound, grams.upperBound)
      return ", \(low.shortDescription(decimals: 2)) to \(high.shortDescription(decimals: 2)) g"
    }
    let force = settings.contains(.clickForce) ? "its click force can be set\(range ?? "")" : nil
    let strength = settings.contains(.clickStrength) ? "its click strength can be set" : nil
    return [feedback, force, strength, descriptorError].compactMap(\.self)
  }

  var hapticTrigger: Verdict.Trigger {
    let ofHost: Set = [EventCode.haptic.code, DeviceDescription.rumble]
    if !effects.isDisjoint(with: ofHost) { return .host }
    return descriptor?.clicksByItself == true ? .pad : .none
  }

  /// The corresponding kernel constant is `FF_RUMBLE`.
  private static let rumble: UInt16 = 0x50

  /// Whether it is a pad without a mechanical click, by the kernel, a quirk, or its own settings.
  var isForcePad: Bool { isPressurePad || descriptor?.clicksByItself == true }

  /// Nil if the axis is not made from it: some drivers decode the vendor's own reports, with a range of their own.
  func descriptorPressure(of axis: Axis) -> DescriptorFacts.Pressure? {
    guard let stated = descriptor?.pressure, stated.minimum == axis.minimum,
      stated.maximum == axis.maximum
    else { return nil }
    return stated
  }

  /// A descriptor that has the axis, also a later one that is repaired, is believed more than a quirk.
  func hasOwnRange(_ axis: Axis) -> Bool {
    descriptorPressure(of: axis).map { $0.rangeOrigin == nil } ?? (quirk?.hasInheritedRange != true)
  }

  /// Units per gram by the report descriptor, unless the kernel states others.
  ///
  /// The kernel rounds what the descriptor states, and is believed only if it was told otherwise, as by hwdb. Its factor for
  /// forces is rounded, too.
  func descriptorUnits(of axis: Axis) -> (unitsPerGram: Double, isForce: Bool)? {
    guard let stated = descriptorPressure(of: axis), let units = stated.unitsPerGram,
      axis.resolution <= 0 || abs(Double(axis.resolution) - units) <= 0.5 + units * 0.01
    else { return nil }
    if case .force = stated.unit { return (units, true) }
    return (units, false)
  }

  /// Units per gram: those of the report descriptor, or else of the kernel unless they follow from inherited items.
  func unitsPerGram(of axis: Axis) -> Double? {
    if let stated = descriptorUnits(of: axis) { return stated.unitsPerGram }
    guard axis.resolution > 0 else { return nil }
    guard let stated = descriptorPressure(of: axis) else { return Double(axis.resolution) }
    if stated.rangeOrigin != nil { return nil }
    switch stated.unit {
    case .inherited, .implausible, .displaced: return nil
    case .none, .other, .mass, .force: return Double(axis.resolution)
    }
  }
}
