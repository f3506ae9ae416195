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

  /// The distance in millimeters by which a resting finger may move, and what rounding adds to it.
  private static let tolerance = 3.0 + 1e-9

  private let size: SurfaceSize
  private var twentieths = 0

  /// The location at which the finger began to rest; nil if it does not.
  private(set) var origin: Location?

  /// When the press starts, or its force grows; nil if the force stays as it is.
  private(set) var next: Timestamp?
  private(set) var hasStepped = false

  init(on surface: Surface) {
    size = surface.size
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

  mutating func reset() { (twentieths, origin, next, hasStepped) = (0, nil, nil, false) }

  /// Whether the finger has moved away before the force was full.
  func isLeft(for location: Location) -> Bool {
    guard let origin, !isFull else { return false }
    return size.distance(from: origin, to: location) > HoldRamp.tolerance
  }
}
