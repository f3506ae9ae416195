/// What makes grams of a device's values: grams of two laws cannot be compared.
package struct GramLaw: Hashable {
  private let calibration: Calibration

  /// The values that an estimate's ratio is taken of; nil for a law that makes grams of the value itself.
  private let range: ClosedRange<Int32>?

  /// The law of a surface, or nil if it cannot weigh.
  init?(_ surface: Surface) {
    guard let calibration = surface.calibration else { return nil }
    self.calibration = calibration
    switch calibration {
    case .nominal: range = surface.pressure.map { $0.axis.minimum...$0.effectiveMaximum }
    case .fitted, .kernel: range = nil
    }
  }
}
