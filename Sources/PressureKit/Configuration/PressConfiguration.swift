/// How presses (force gestures) are recognized.
public struct PressConfiguration: Hashable, Sendable {
  /// On which devices a press is simulated by resting a finger.
  public enum Simulation: String, CaseIterable, Sendable {
    /// On devices without usable pressure.
    case auto
    /// On no device.
    case never
    /// On every device, with or without pressure.
    case always

    package func applies(to capability: Surface.Capability) -> Bool {
      switch (self, capability) {
      case (.always, _), (.auto, .none), (.auto, .broken): true
      case (.auto, .force), (.auto, .size), (.never, _): false
      }
    }
  }

  /// The stages for devices whose grams are estimated or unavailable; by default those of `PressFeel.medium`.
  public var stages = PressFeel.medium.clickStages

  /// The stages for devices that state units per gram; if empty, `stages` applies to them too.
  public var gramStages = PressFeel.medium.gramStages

  /// Maps a measured ratio before it is compared with stages in ratios or in units of force.
  public var curve = ResponseCurve()

  /// The number of fingers that must press.
  public var fingers = Fingers.any

  /// The devices on which presses are simulated.
  public var simulation = Simulation.auto

  /// How long a finger must rest before a simulated press starts, in milliseconds, 0…60 000.
  public var holdMilliseconds = 300

  /// When a press begins and ends, beyond the points of its stages.
  public var rules = PressRules()

  /// Creates the default configuration.
  public init() {}

  /// In microseconds.
  package var hold: Int64 { Int64(holdMilliseconds) * 1000 }

  /// The feel whose stages these are; nil if they have stages of their own, which nil leaves as they are.
  package var feel: PressFeel? {
    get { PressFeel.allCases.first { stages == $0.clickStages && gramStages == $0.gramStages } }
    set {
      if let newValue { (stages, gramStages) = (newValue.clickStages, newValue.gramStages) }
    }
  }

  /// Whether presses are clicks of the pad, where its surface is a button.
  package var followsClicks: Bool { rules != .none && feel != nil && feel != .fixed }

  package func stages(gramsAreTrue: Bool) -> StageLadder {
    gramsAreTrue && !gramStages.stages.isEmpty ? gramStages : stages
  }

  package static var plainSettings: [PlainSetting<PressConfiguration>] {
    [
      PlainSetting(
        "simulated",
        .words(
          Simulation.allCases.map(\.rawValue), get: { $0.simulation.rawValue },
          set: { $0.simulation = Simulation(rawValue: $1) ?? $0.simulation }),
        "When to simulate presses by the time that a finger rests: auto simulates them on devices without pressure."
      ),
      PlainSetting(
        "hold_ms", .whole(\.holdMilliseconds, ConfigurationLimits.holdMilliseconds), unit: "ms",
        "Time that a finger must rest before a simulated press begins."),
      PlainSetting(
        "rules",
        .words(
          ["standard", "none"], get: { $0.rules == .none ? "none" : "standard" },
          set: { $0.rules = $1 == "none" ? .none : .standard }),
        "Whether rules beyond the points of the stages decide when a press begins and ends; see RULES OF PRESSES. With none only "
          + "the stages and the number of fingers decide, as in version 0.1."),
    ]
  }
}

/// The number of fingers that a gesture requires.
public enum Fingers: Hashable, Sendable {
  /// Any number.
  case any
  /// Exactly this number, 1…10; more fingers fail the gesture.
  case exactly(Int)

  package func allows(_ count: Int) -> Bool {
    switch self {
    case .any: true
    case .exactly(let wanted): count == wanted
    }
  }

  /// Whether there are too many fingers, so that waiting for more cannot help.
  func isExceeded(by count: Int) -> Bool {
    switch self {
    case .any: false
    case .exactly(let wanted): count > wanted
    }
  }
}

/// When a press begins and ends, beyond the points of its stages.
///
/// `standard` or `none`: the numbers are fixed, as nobody can tell by trying which of them to change. A rule has its numbers
/// here and an entry in `numbers`; `ForcePress`, its parts (`PressMemory.swift`), `PressLadder`, `Motion` and `Frame` apply them.
public struct PressRules: Hashable, Sendable {
  /// A press ends below this fraction of its peak, if that is above the release point of the first stage; 0…0.95.
  ///
  /// A finger that lets go has ended the press although its remaining force is above the release point.
  package private(set) var peakRelease = 0.5

  /// The highest peak that counts for `peakRelease`, in grams or the corresponding ratio.
  package private(set) var peakLimitGrams = 350.0

  /// The next press of a contact begins at this multiple of the force at which the last one ended.
  ///
  /// A hand that stays heavy would otherwise press twice: at most 1 only if `peakRelease` is 0, too.
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
    package let name: String

    package let set: @Sendable (inout PressRules, Double) -> Void
  }

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

  func releaseFactor(at speed: Double) -> Double {
    guard dragMillimetersPerSecond > 0 else { return 1 }
    let part = speed / dragMillimetersPerSecond
    return max(1 - part * part, PressRules.leastReleaseFactor)
  }

  private static let leastReleaseFactor = 0.1
}

/// The configuration for the touches of one device; each touch keeps the one from its beginning.
///
/// Immutable, so that all touches share one object.
package final class TouchRules: Sendable {
  package let press: PressConfiguration

  /// Whether presses are clicks of the pad, where its surface is a button.
  let followsClicks: Bool

  private let regions: [Region]
  private let boundActions: [Action]

  init(_ configuration: Configuration, device: DeviceID) {
    press = configuration.settings(for: device.text).press
    followsClicks = press.followsClicks
    boundActions = configuration.actions.filter { $0.trigger?.device.matches(device.text) ?? false }
    regions = configuration.regions.filter { $0.device.matches(device.text) }
  }

  var bindsActions: Bool { !boundActions.isEmpty }

  package func actions(for press: Press) -> [Action] {
    boundActions.filter { $0.trigger?.fires(for: press) ?? false }
  }

  /// Touches store an index, as copying a region would retain its strings.
  package func region(at location: Location) -> Int? {
    regions.firstIndex { $0.contains(x: location.x, y: location.y) }
  }

  package func target(in region: Int?, at location: Location) -> Target? {
    region.map { Target(regions[$0], at: location) }
  }
}

/// A named region, and a point in it.
public struct Target: Hashable, Sendable {
  /// The region's name.
  public let name: String

  /// The distance from the region's left edge as a fraction of its width, clamped to 0…1.
  public let x: Double

  /// The distance from the region's upper edge as a fraction of its height, clamped to 0…1.
  public let y: Double

  package init(_ region: Region, at location: Location) {
    name = region.name
    x = min(max((location.x - region.x) / region.width, 0), 1)
    y = min(max((location.y - region.y) / region.height, 0), 1)
  }
}
