/// What a scale is doing, in the words of the HID usage tables for point-of-sale scales.
///
/// The corresponding usages are those of `Scale Status` on the Weighing Devices page, without the
/// report that a scale is missing.
public enum WeighingStatus: String, CaseIterable, Sendable {
  /// The device cannot weigh: it has no axis of pressure, or one that says nothing.
  case fault
  /// At rest, and as good as nothing, net.
  case stableZero = "stable_zero"
  /// The reading has left its range within the last window, or has not stayed in it for long enough.
  case inMotion = "in_motion"
  /// At rest.
  case stable
  /// At rest, and less than nothing: what was tared has been taken away.
  case underZero = "under_zero"
  /// The sensor, or the law that makes grams of it, is at its end; it may be any weight above.
  case overWeight = "over_weight"
  /// The device feels pressure, but there is no law that makes grams of it.
  case calibrationNeeded = "calibration_needed"
  /// What is known to weigh nothing, a bare surface or what was tared, reads something: the zero has
  /// drifted by half of what readings say that they may be wrong, or by what counts as nothing where
  /// they say nothing of it.
  case rezeroNeeded = "rezero_needed"
}
