/// A range of numbers along a line of a drawing.
package struct LinearScale {
  /// The numbers at the two ends.
  package let range: ClosedRange<Double>

  /// The places of the two ends, of which the first may be the greater.
  package let start: Double
  package let end: Double

  package func place(of value: Double) -> Double {
    let span = range.upperBound - range.lowerBound
    guard span > 0 else { return start }
    return start + (value - range.lowerBound) / span * (end - start)
  }
}
