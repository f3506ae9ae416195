/// When a press begins and ends, beyond the points of its stages.
///
/// `standard` or `none`: the numbers are fixed, as nobody can tell by trying which of them to change. A rule has its numbers
/// here, an entry in `numbers`, and one place that applies it: `ForcePress`, `HeldForce`, `Motion` or `Frame`.
public struct PressRules: Hashable, Sendable {
  /// A press ends below this fraction of its peak, if that is above the release point of the first stage; 0…0.95.
  ///
  /// A finger that lets go has ended the press although its remaining force is above the release point.
  package private(set) var peakRelease = 0.5

  /// The highest peak that counts for `peakRelease`, in grams or the corresponding ratio.
  package private(set) var peakLimitGrams = 350.0

  /// The next press of a contact begins at this multiple of the force at which the last one ended.
  ///
  /// A hand that stays heavy would otherwise press twice.
  package private(set) var repress = 1.2

  /// How long the force at which a press ended is remembered, in microseconds.
  ///
  /// The remembered force decreases steadily during this time, but not below the actual force.
  package private(set) var repressMemory: Int64 = 500_000

  /// The speed of a finger, in millimeters per second, from which release points are a tenth of their values.
  ///
  /// While a finger moves at v, release points are multiplied by 1 − (v / this speed)², at least by 0.1, but a value below that of
  /// an average touch releases at any speed. A finger that stops counts as moving for another 500 ms, as it may only pause.
  /// With 60 a finger that moves by no more than a few centimeters in a second holds its press.
  package private(set) var dragMillimetersPerSecond = 60.0

  /// How long after two or more fingers have moved no press begins, in microseconds.
  ///
  /// A scroll, a swipe or a pinch is not a press.
  package private(set) var quiet: Int64 = 100_000

  /// How long after its beginning a contact cannot press, in microseconds, on a sensor of contact area that reports palms.
  ///
  /// The area of a palm exceeds that of a pressing finger before the device recognizes it. A contact that has reached the first stage
  /// by then presses at the end of this time, even if its force has decreased; one that is lifted earlier, when it is lifted. Neither
  /// does if the fingers scroll until then.
  package private(set) var settling: Int64 = 100_000

  /// Whether a thumb that rests at the lower edge of a touchpad counts as a finger only if no other finger touches.
  ///
  /// It is recognized on devices that report the length of contacts.
  package private(set) var ignoresThumbs = true

  /// A number of a rule, which 0 disables.
  package struct Number: Sendable {
    /// The name with its unit; unique.
    package let name: String

    /// Sets the number.
    package let set: @Sendable (inout PressRules, Double) -> Void
  }

  /// All numbers of all rules.
  package static let numbers = [
    Number(name: "peak_release") { $0.peakRelease = $1 },
    Number(name: "peak_limit_grams") { $0.peakLimitGrams = $1 },
    Number(name: "repress") { $0.repress = $1 },
    Number(name: "repress_ms") { $0.repressMemory = Int64($1 * 1000) },
    Number(name: "drag_mm_per_s") { $0.dragMillimetersPerSecond = $1 },
    Number(name: "quiet_ms") { $0.quiet = Int64($1 * 1000) },
    Number(name: "settle_ms") { $0.settling = Int64($1 * 1000) },
    Number(name: "ignore_thumbs") { $0.ignoresThumbs = $1 != 0 },
  ]

  /// All rules apply.
  public static let standard = PressRules()

  /// Presses as in version 0.1: only stages and the number of fingers decide.
  public static let none = numbers.reduce(into: standard) { rules, number in number.set(&rules, 0) }

  /// The factor for release points of a finger that moves at a speed in millimeters per second.
  func releaseFactor(at speed: Double) -> Double {
    guard dragMillimetersPerSecond > 0 else { return 1 }
    let part = speed / dragMillimetersPerSecond
    return max(1 - part * part, PressRules.leastReleaseFactor)
  }

  private static let leastReleaseFactor = 0.1
}
