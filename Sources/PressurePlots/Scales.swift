internal import PressureRecordings

/// The round numbers along an axis: 1, 2 or 5 times a power of ten apart.
package struct Ticks: Hashable {
  /// One of them, with what is written beside it.
  struct Tick: Hashable {
    var value: Double
    var label: String
  }

  /// From low to high.
  let ticks: [Tick]

  /// Chooses the numbers of a range.
  ///
  /// - Parameters:
  ///   - range: what the axis shows; a tick on either end counts.
  ///   - most: how many there may be, 2 or more.
  init(_ range: ClosedRange<Double>, atMost most: Int) {
    let span = range.upperBound - range.lowerBound
    guard span > 0, span.isFinite, range.upperBound.magnitude < 1e12, span > 1e-9 else {
      ticks = []
      return
    }
    var step = Step(atLeast: span / Double(max(most, 2)))
    while step.numbers(in: range).count > max(most, 2) { step = step.next }
    ticks = step.numbers(in: range).map {
      Tick(value: step.value(of: $0), label: step.label(of: $0))
    }
  }

  /// How far one is from the next: `mantissa` × 10 to the `exponent`.
  private struct Step {
    var mantissa: Int
    var exponent: Int

    init(atLeast width: Double) {
      (mantissa, exponent) = (1, 0)
      while value(of: 1) > width { exponent -= 1 }
      while value(of: 1) < width { self = next }
    }

    /// The next wider one.
    var next: Step {
      var step = self
      (step.mantissa, step.exponent) =
        switch mantissa {
        case 1: (2, exponent)
        case 2: (5, exponent)
        default: (1, exponent + 1)
        }
      return step
    }

    /// Divided and not multiplied below one, so that 3 tenths are 0.3.
    func value(of number: Int) -> Double {
      let power = Step.power(exponent.magnitude)
      let whole = Double(number * mantissa)
      return exponent < 0 ? whole / power : whole * power
    }

    func numbers(in range: ClosedRange<Double>) -> ClosedRange<Int> {
      let width = value(of: 1)
      // What residuals an end by a rounding is on it.
      let low = (range.lowerBound / width - 1e-9).rounded(.up)
      let high = max(low, (range.upperBound / width + 1e-9).rounded(.down))
      return Int(low)...Int(high)
    }

    func label(of number: Int) -> String {
      let decimals = max(0, -exponent)
      return value(of: number).label(decimals: decimals)
    }

    private static func power(_ exponent: UInt) -> Double {
      (0..<exponent).reduce(1.0) { power, _ in power * 10 }
    }
  }
}

extension Double {
  /// The number with exactly so many decimals, 0…9, and a true minus sign.
  func label(decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    guard (self * scale).magnitude < 1e15 else { return "?" }
    let scaled = Int64((self * scale).rounded())
    let sign = scaled < 0 ? "\u{2212}" : ""
    guard decimals > 0 else { return "\(sign)\(scaled.magnitude)" }
    let (whole, part) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
    let digits = String(part)
    return "\(sign)\(whole).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
  }

  /// The number with three digits that count, as people read a measurement.
  package var reading: String {
    label(decimals: magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2)
  }
}

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

/// In what a recording's time is told, by its length.
package enum TimeUnit: String {
  case milliseconds = "ms"
  case seconds = "s"
  case minutes = "min"
  case hours = "h"

  /// The unit for a length in microseconds.
  init(for duration: Int64) {
    self =
      switch duration {
      case ..<1_000_000: .milliseconds
      case ..<600_000_000: .seconds
      case ..<18_000_000_000: .minutes
      default: .hours
      }
  }

  /// Microseconds in one.
  var length: Double {
    switch self {
    case .milliseconds: 1e3
    case .seconds: 1e6
    case .minutes: 60e6
    case .hours: 3600e6
    }
  }

  /// A length in words, as in 10.4 s.
  package static func text(_ duration: Int64) -> String {
    let unit = TimeUnit(for: duration)
    return "\((Double(duration) / unit.length).reading) \(unit.rawValue)"
  }
}
