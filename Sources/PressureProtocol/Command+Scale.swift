internal import PressureKit

extension Command {
  /// How long somebody waits for a stable reading who does not say how long, in milliseconds.
  public static let weighTimeoutMilliseconds = 10_000

  /// How long somebody may wait at most: an hour.
  private static let longestWait = 3_600_000.0

  /// Pieces in a sample at most.
  private static let pieces = 1_000_000.0

  /// Understands what is for a scale; nil where the verb is for something else.
  package init?(scale verb: String, _ arguments: inout Arguments) throws(RequestError) {
    switch verb {
    case "tare": self = .scale(.tare, device: try arguments.text("device"))
    case "untare": self = .scale(.clearTare, device: try arguments.text("device"))
    case "zero": self = .scale(.zero, device: try arguments.text("device"))
    case "hold": self = .scale(.hold, device: try arguments.text("device"))
    case "release": self = .scale(.release, device: try arguments.text("device"))
    case "weigh":
      let wait = try arguments.number("timeout_ms", in: 0...Command.longestWait)
      self = .weigh(
        device: try arguments.text("device"),
        timeoutMilliseconds: wait.map { Int($0) } ?? Command.weighTimeoutMilliseconds)
    case "target": self = .target(try .init(&arguments), device: try arguments.text("device"))
    case "count":
      let sample = try arguments.whole("sample", in: 1...Command.pieces)
      self = .count(sample: sample, device: try arguments.text("device"))
    case "history":
      let most = ScaleMemory.historyLength
      let last = try arguments.whole("last", in: 0...Double(most)) ?? most
      self = .history(last: last, device: try arguments.text("device"))
    default: return nil
    }
  }
}

extension Optional<ScaleTarget> {
  /// How far off a target may be of which that is not said, in grams.
  private static let standardTolerance = 1.0

  /// Grams either way that a target may be of.
  private static let mostGrams = 1_000_000.0

  fileprivate init(_ arguments: inout Arguments) throws(RequestError) {
    let grams = try arguments.number("grams", in: -Self.mostGrams...Self.mostGrams)
    let tolerance = try arguments.number("tolerance", in: 0...Self.mostGrams)
    guard let grams else {
      guard tolerance == nil else {
        throw .badArgument("a tolerance needs grams, as in target grams=100 tolerance=2")
      }
      self = nil
      return
    }
    self = ScaleTarget(grams: grams, tolerance: tolerance ?? Self.standardTolerance)
  }
}

extension Arguments {
  fileprivate mutating func whole(
    _ key: String, in range: ClosedRange<Double>
  ) throws(RequestError) -> Int? {
    guard let number = try number(key, in: range) else { return nil }
    guard let whole = Int(exactly: number) else {
      throw .badArgument("\(key) must be a whole number")
    }
    return whole
  }
}
