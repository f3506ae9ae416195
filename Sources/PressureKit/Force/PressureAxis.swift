/// A pressure axis and its effective maximum.
///
/// The corresponding kernel constants are `ABS_MT_PRESSURE` and `ABS_PRESSURE`.
public struct PressureAxis: Hashable, Sendable {
  /// The declared range.
  public let axis: Axis

  /// Whether the range has at most two values, or the values are known to mean nothing; nothing may be divided by its span then.
  public let isBroken: Bool

  /// The raw value that counts as maximum force, in units of the axis.
  public let effectiveMaximum: Int32

  /// The force at the effective maximum, in units of an average touch.
  public let maximumPossibleForce: Double

  /// Whether the range is inferred from recorded values, so that nothing is known about its end.
  package let isInferred: Bool

  /// Units per gram, as the report descriptor or the kernel states them; nil if neither does.
  package let unitsPerGram: Double?

  /// Whether the declared range is the axis's own; false if it is inherited from another axis.
  package let hasOwnRange: Bool

  /// The values from no force to maximum force, unless it is broken.
  var range: ClosedRange<Int32> { axis.minimum...max(axis.minimum, effectiveMaximum) }

  /// The highest weight, in grams, that a finger must reach on a touchpad that states units per gram.
  ///
  /// Such pads may declare several kilograms, a maximum that no finger reaches. A setting or a quirk overrides the limit.
  public static let reachableGrams: Int64 = 500

  /// Creates an axis with a configured maximum, in its units.
  ///
  /// If that is nil or not above the minimum, the maximum is that of the axis, limited to `reachableGrams` if the axis states
  /// units per gram.
  init(
    _ axis: Axis, effectiveMaximum: Int32? = nil, isInferred: Bool = false,
    unitsPerGram: Double? = nil, hasOwnRange: Bool = true, isMeaningless: Bool = false
  ) {
    self.axis = axis
    // Two declared values only tell whether something touches.
    isBroken = isMeaningless || axis.span <= (isInferred ? 0 : 1)
    self.isInferred = isInferred
    self.unitsPerGram = unitsPerGram
    self.hasOwnRange = hasOwnRange
    let raw = unitsPerGram.map { Int64((Double(PressureAxis.reachableGrams) * $0).rounded()) }
    let reachable = raw.map { Int32(clamping: min(Int64(axis.maximum), $0)) }
    let maximum =
      [effectiveMaximum, reachable].compactMap { $0 }.first { $0 > axis.minimum } ?? axis.maximum
    self.effectiveMaximum = maximum
    let stated = unitsPerGram.map { Double(maximum) / $0 / Force.referenceGrams }
    maximumPossibleForce = isBroken ? 0 : stated ?? Force.referenceMaximum
  }

  /// The force of a raw value; the ratio is clamped to 0…1, as values may leave the range.
  package func force(of raw: Int32) -> Force {
    Force(ratio: min(max(ratio(ofSum: raw), 0), 1), maximumPossible: maximumPossibleForce)
  }

  /// The ratio of the effective maximum of a sum of pressures, which may exceed 1.
  package func ratio(ofSum raw: Int32) -> Double {
    let start = Double(axis.minimum)
    return isBroken ? 0 : (Double(raw) - start) / (Double(effectiveMaximum) - start)
  }

  package func isSaturated(_ raw: Int32) -> Bool {
    raw >= axis.maximum && !isBroken && !isInferred && hasOwnRange
  }
}

/// The force of a contact, in UIKit's unit: 1.0 is an average touch.
public struct Force: Hashable, Sendable {
  /// The fraction of the effective maximum, 0…1.
  public var ratio: Double

  /// The force at the effective maximum; 0 if the device does not measure pressure.
  public var maximumPossible: Double

  /// Creates a force.
  public init(ratio: Double, maximumPossible: Double) {
    self.ratio = ratio
    self.maximumPossible = maximumPossible
  }

  /// The force, 0…`maximumPossible`.
  public var value: Double { ratio * maximumPossible }

  /// The maximum force that an iPhone 6s reports as `UITouch.maximumPossibleForce`: 20/3, in steps of 1/60.
  public static let referenceMaximum = 20.0 / 3.0

  /// Grams per unit of force on that phone, 57.75: it is saturated by 385 g, divided by 20/3.
  public static let referenceGrams = 57.75
}
