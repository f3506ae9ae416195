/// The range of an absolute axis as its device declares it; values may leave it.
///
/// The corresponding kernel structure is `input_absinfo`.
public struct Axis: Hashable, Sendable {
  public var minimum: Int32
  public var maximum: Int32

  /// Units per millimeter, for a pressure axis units per gram; 0 where the device does not say.
  public var resolution: Int32

  public init(minimum: Int32, maximum: Int32, resolution: Int32 = 0) {
    self.minimum = minimum
    self.maximum = maximum
    self.resolution = resolution
  }

  /// The length of the range in units; 0 or less for an axis that is broken.
  public var span: Int64 { Int64(maximum) - Int64(minimum) }

  /// Millimeters from end to end, or nil where the device does not say.
  public var millimeters: Double? {
    resolution > 0 && span > 0 ? Double(span) / Double(resolution) : nil
  }
}

/// What the kernel and its clients leave out of an axis's values.
///
/// Only recordings carry it on, as a copy of the device is to have it, too.
public struct AxisFilter: Hashable, Sendable {
  /// Changes that are smaller than this, in units, are held back or smoothed.
  public var fuzz: Int32

  /// Values that are nearer than this to the middle, in units, count as the middle.
  public var flat: Int32

  public init(fuzz: Int32 = 0, flat: Int32 = 0) {
    self.fuzz = fuzz
    self.flat = flat
  }
}
