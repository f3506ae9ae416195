extension Double {
  /// The number with exactly so many decimals, 0 or 1, as a label that does not jump.
  package func text(decimals: Int) -> String {
    guard magnitude < 1e12 else { return "?" }
    let scale = decimals > 0 ? 10.0 : 1
    let rounded = Int64((self * scale).rounded())
    guard decimals > 0 else { return String(rounded) }
    let sign = rounded < 0 ? "-" : ""
    return "\(sign)\(rounded.magnitude / 10).\(rounded.magnitude % 10)"
  }

  /// The nearest number of a range; its lower end for what is no number.
  func clamped(to range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }

  /// A part as percent.
  var percent: String { "\((self * 100).text(decimals: 0)) %" }
}
