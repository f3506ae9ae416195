/// When a press begins and ends, beyond the points of its stages.
///
/// `standard` or `none`: the numbers are fixed, as nobody can tell by trying which of them to change.
public struct PressRules: Hashable, Sendable {
  /// A press ends below this fraction of its peak, if that is above the release point of the first stage; 0…0.95.
  ///
  /// A finger that lets go has ended the press although its remaining force is above the release point. 0 disables the rule.
  package var peakRelease = 0.5

  /// The highest peak that counts for `peakRelease`, in grams or the corresponding ratio.
  package var peakLimitGrams = 350.0

  /// The next press of a contact begins at this multiple of the force at which the last one ended.
  ///
  /// A hand that stays heavy would otherwise press twice. 0 disables the rule.
  package var repress = 1.2

  /// How long the force at which a press ended is remembered, in milliseconds.
  ///
  /// The remembered force decreases steadily during this time, but not below the actual force.
  package var repressMilliseconds = 500

  /// The speed of a finger, in millimeters per second, from which release points are a tenth of their values.
  ///
  /// While a finger moves at v, release points are multiplied by 1 − (v / this speed)², at least by 0.1, but a value below that of
  /// an average touch releases at any speed. A finger that stops counts as moving for another 500 ms, as it may only pause. 0
  /// disables the rule.
  /// With 60 a finger that moves by no more than a few centimeters in a second holds its press.
  package var dragMillimetersPerSecond = 60.0

  /// How long after two or more fingers have moved no press begins, in milliseconds.
  ///
  /// A scroll, a swipe or a pinch is not a press. 0 disables the rule.
  package var quietMilliseconds = 100

  /// How long after its beginning a contact cannot press, in milliseconds, on a sensor of contact area that reports palms.
  ///
  /// The area of a palm exceeds that of a pressing finger before the device recognizes it. A contact that has reached the first stage
  /// by then presses at the end of this time, even if its force has decreased; one that is lifted earlier, when it is lifted. Neither
  /// does if the fingers scroll until then. 0 disables the rule.
  package var settleMilliseconds = 100

  /// Whether a thumb that rests at the lower edge of a touchpad counts as a finger only if no other finger touches.
  ///
  /// It is recognized on devices that report the length of contacts.
  package var ignoresThumbs = true

  /// All rules apply.
  public static let standard = PressRules()

  /// Presses as in version 0.1: only stages and the number of fingers decide.
  public static let none: PressRules = {
    var rules = PressRules()
    (rules.peakRelease, rules.repress, rules.dragMillimetersPerSecond) = (0, 0, 0)
    (rules.quietMilliseconds, rules.settleMilliseconds, rules.ignoresThumbs) = (0, 0, false)
    return rules
  }()

  /// `quietMilliseconds` in microseconds.
  package var quiet: Int64 { Int64(quietMilliseconds) * 1000 }

  /// `repressMilliseconds` in microseconds.
  package var repressMemory: Int64 { Int64(repressMilliseconds) * 1000 }

  /// `settleMilliseconds` in microseconds.
  package var settling: Int64 { Int64(settleMilliseconds) * 1000 }

  /// The factor for release points of a finger that moves at a speed in millimeters per second.
  func releaseFactor(at speed: Double) -> Double {
    guard dragMillimetersPerSecond > 0 else { return 1 }
    let part = speed / dragMillimetersPerSecond
    return max(1 - part * part, PressRules.leastReleaseFactor)
  }

  private static let leastReleaseFactor = 0.1
}
