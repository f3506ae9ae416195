/// The axis that says how hard a device is pressed, and what counts as pressed to the full.
///
/// The corresponding kernel constants are `ABS_MT_PRESSURE` and `ABS_PRESSURE`.
public struct PressureAxis: Hashable, Sendable {
  /// The range that the device declares.
  public let axis: Axis

  /// What counts as pressed to the full, in the axis's own units.
  public let effectiveMaximum: Int32

  /// The force at the effective maximum, in UIKit's unit.
  public let maximumPossibleForce: Double

  /// Where the range begins, and how far it is from there to the effective maximum.
  private let start: Double
  private let effectiveSpan: Double

  /// The heaviest press in grams that is asked of a finger on a pad with true grams.
  public static let reachableGrams: Int64 = 500

  /// Decides the effective maximum once.
  ///
  /// - Parameters:
  ///   - axis: the range that the device declares.
  ///   - effectiveMaximum: a configured one, in units of the axis; nil, or one that is not above
  ///     the minimum, leaves the choice to the axis.
  public init(_ axis: Axis, effectiveMaximum: Int32? = nil) {
    self.axis = axis
    let chosen = effectiveMaximum.flatMap { $0 > axis.minimum ? $0 : nil }
    self.effectiveMaximum = chosen ?? PressureAxis.reachableMaximum(of: axis)
    start = Double(axis.minimum)
    effectiveSpan = Double(self.effectiveMaximum) - start
    maximumPossibleForce =
      axis.span <= 0
      ? 0
      : axis.resolution > 0
        ? Double(self.effectiveMaximum) / Double(axis.resolution) / Force.referenceGrams
        : Force.referenceMaximum
  }

  /// An axis without a range says nothing, and must never be divided by.
  public var isBroken: Bool { axis.span <= 0 }

  /// The force of a raw value; the ratio is clamped, as values may leave the range.
  package func force(of raw: Int32) -> Force {
    guard !isBroken else { return Force(ratio: 0, maximumPossible: 0) }
    return Force(
      ratio: min(max(ratio(ofSum: raw), 0), 1), maximumPossible: maximumPossibleForce)
  }

  /// The part of the way to the effective maximum of a sum, which may be beyond it.
  package func ratio(ofSum raw: Int32) -> Double {
    isBroken ? 0 : (Double(raw) - start) / effectiveSpan
  }

  /// Whether the sensor itself can say no more.
  package func isSaturated(_ raw: Int32) -> Bool { !isBroken && raw >= axis.maximum }

  private static func reachableMaximum(of axis: Axis) -> Int32 {
    guard axis.resolution > 0 else { return axis.maximum }
    let reachable = reachableGrams * Int64(axis.resolution)
    return reachable > Int64(axis.minimum)
      ? Int32(min(Int64(axis.maximum), reachable)) : axis.maximum
  }
}

/// How hard a contact presses, in UIKit's unit: 1.0 is an average touch.
public struct Force: Hashable, Sendable {
  /// The part of the effective maximum, 0…1.
  public var ratio: Double

  /// The force at the effective maximum; 0 where the device does not feel force.
  public var maximumPossible: Double

  public init(ratio: Double, maximumPossible: Double) {
    self.ratio = ratio
    self.maximumPossible = maximumPossible
  }

  /// The force itself, 0…`maximumPossible`.
  public var value: Double { ratio * maximumPossible }

  /// What an iPhone 6s reports when pressed to the full, in steps of 1/60.
  public static let referenceMaximum = 20.0 / 3.0

  /// Grams in one unit of force on that phone: 385 g over 20/3.
  public static let referenceGrams = 57.75
}
