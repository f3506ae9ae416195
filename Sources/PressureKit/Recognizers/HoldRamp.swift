/// The force of a simulated press: a finger that rests presses harder and harder.
///
///              fingers match            hold time: ratio 0.1      every 10 ms, by 0.05
///     absent ───────────────▶ resting ─────────────────────▶ growing ─────────────────▶ full
///       ▲                        │
///       └──other fingers, hover──┘
///
/// `ForcePress` recognizes a press from this force as from a measured one. A finger that moves away before the ramp is full
/// fails its press. It has no clock: at `next` the press must be updated.
struct HoldRamp {
  /// The interval between two steps of the force, in microseconds.
  private static let interval: Int64 = 10_000

  /// The ratio at which a press starts.
  static let firstRatio = Double(first) / Double(last)

  // The ratio is counted in twentieths, so that steps of 0.05 reach exactly 1.
  private static let first = 2
  private static let last = 20

  private let tolerance: MoveTolerance
  private var twentieths = 0

  /// The location at which the finger began to rest; nil if it does not.
  private(set) var origin: Location?

  /// When the press starts, or its force grows; nil if the force stays as it is.
  private(set) var next: Timestamp?

  /// Whether the force has grown at the time of the last update.
  private(set) var hasStepped = false

  init(tolerance: MoveTolerance) {
    self.tolerance = tolerance
  }

  var ratio: Double { Double(twentieths) / Double(HoldRamp.last) }

  var force: Force { Force(ratio: ratio, maximumPossible: Force.referenceMaximum) }

  var isFull: Bool { twentieths == HoldRamp.last }

  /// The finger rests; the press starts at a time, or is postponed to it.
  mutating func rest(at location: Location, until time: Timestamp) {
    (origin, next) = (location, time)
  }

  mutating func start(at time: Timestamp) {
    twentieths = HoldRamp.first
    next = time.advanced(byMicroseconds: HoldRamp.interval)
  }

  mutating func advance(to time: Timestamp) {
    hasStepped = next.map { $0 <= time } ?? false
    guard hasStepped else { return }
    twentieths += 1
    next = isFull ? nil : time.advanced(byMicroseconds: HoldRamp.interval)
  }

  /// The finger does not rest any more.
  mutating func reset() { (twentieths, origin, next, hasStepped) = (0, nil, nil, false) }

  /// Whether the finger has moved away before the force was full.
  func isLeft(for location: Location) -> Bool {
    guard let origin, !isFull else { return false }
    return tolerance.isExceeded(from: origin, to: location)
  }
}

/// The distance that a resting finger may move on one surface.
struct MoveTolerance {
  /// In millimeters, or as a fraction of the width of a surface without a resolution.
  private static let millimeters = 3.0
  private static let partOfWidth = 0.03

  /// The surface's height divided by its width; without a resolution both axes are assumed to have equal units.
  private let heightInWidths: Double

  init(on surface: Surface) {
    let (width, height) = (surface.x.span, surface.y.span)
    heightInWidths = width > 0 && height > 0 ? Double(height) / Double(width) : 1
  }

  func isExceeded(from start: Location, to end: Location) -> Bool {
    if let here = start.millimeters, let there = end.millimeters {
      return MoveTolerance.isBeyond(MoveTolerance.millimeters, there.x - here.x, there.y - here.y)
    }
    let widths = (end.x - start.x, (end.y - start.y) * heightInWidths)
    return MoveTolerance.isBeyond(MoveTolerance.partOfWidth, widths.0, widths.1)
  }

  /// Relative tolerance for the rounding error of a difference of two decimal fractions.
  private static let rounding = 1e-9

  private static func isBeyond(_ limit: Double, _ x: Double, _ y: Double) -> Bool {
    x * x + y * y > limit * limit * (1 + rounding)
  }
}
