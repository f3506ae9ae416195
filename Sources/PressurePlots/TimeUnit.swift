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
