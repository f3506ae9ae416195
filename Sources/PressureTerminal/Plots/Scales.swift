internal import PressureKit

/// The ticks of an axis, at multiples of 1, 2 or 5 times a power of ten.
struct Ticks: Hashable {
  struct Tick: Hashable {
    var value: Double
    var label: String
  }

  let ticks: [Tick]

  /// Selects at most a number of ticks, 2 or more, of a range that includes both ends.
  init(_ range: ClosedRange<Double>, atMost most: Int) {
    let span = range.upperBound - range.lowerBound
    let steps = (-12...13).lazy.flatMap { exponent in
      [1, 2, 5].map { Step(mantissa: $0, exponent: exponent) }
    }
    guard span > 1e-9, span.isFinite, range.upperBound.magnitude < 1e12,
      let step = steps.first(where: {
        $0.value(of: 1) >= span / Double(most) && $0.numbers(in: range).count <= most
      })
    else {
      ticks = []
      return
    }
    ticks = step.numbers(in: range).map {
      let value = step.value(of: $0)
      return Tick(value: value, label: value.label(decimals: max(0, -step.exponent)))
    }
  }

  private struct Step {
    let mantissa: Int
    let exponent: Int

    /// The value of a multiple; steps below one divide instead of multiplying, so that 3 tenths are exactly 0.3.
    func value(of number: Int) -> Double {
      let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * 10 }
      let whole = Double(number * mantissa)
      return exponent < 0 ? whole / power : whole * power
    }

    func numbers(in range: ClosedRange<Double>) -> ClosedRange<Int> {
      let width = value(of: 1)
      // The tolerance includes ticks that miss an end by a rounding error.
      let low = (range.lowerBound / width - 1e-9).rounded(.up)
      let high = max(low, (range.upperBound / width + 1e-9).rounded(.down))
      return Int(low)...Int(high)
    }
  }
}

extension Double {
  /// The number with a fixed number of decimals, 0…9, and a typographic minus sign.
  func label(decimals: Int) -> String {
    let text = text(decimals: decimals)
    return text.hasPrefix("-") ? "\u{2212}\(text.dropFirst())" : text
  }

  /// The number with about three significant digits.
  var reading: String { label(decimals: magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2) }
}

struct LinearScale {
  let range: ClosedRange<Double>

  /// The coordinates of the two ends; `start` may be the greater one.
  let start: Double
  let end: Double

  func position(of value: Double) -> Double {
    let span = range.upperBound - range.lowerBound
    guard span > 0 else { return start }
    return start + (value - range.lowerBound) / span * (end - start)
  }
}

struct TimeUnit {
  let name: String
  let length: Double

  /// Selects the unit for a duration in microseconds.
  init(for duration: Int64) {
    (name, length) =
      switch duration {
      case ..<1_000_000: ("ms", 1e3)
      case ..<600_000_000: ("s", 1e6)
      case ..<18_000_000_000: ("min", 60e6)
      default: ("h", 3600e6)
      }
  }

  static func text(_ duration: Int64) -> String {
    let unit = TimeUnit(for: duration)
    return "\((Double(duration) / unit.length).reading) \(unit.name)"
  }
}
