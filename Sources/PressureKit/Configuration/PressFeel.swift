/// A named sensitivity: stages `light`, at the force of a click, and `deep`, at the force of a force click.
public enum PressFeel: String, CaseIterable, Sendable {
  /// Clicks at 90 g.
  case lightest
  /// Clicks at 110 g.
  case light
  /// Clicks at 130 g.
  case medium
  /// Clicks at 145 g.
  case firm
  /// Clicks at 160 g.
  case firmest

  /// A force click as a multiple of a click: most clicks overshoot, but by less.
  private static let deep = 2.4

  /// Where the stage `deep` is left, as a fraction of its press point.
  private static let deepRelease = 0.8

  /// The force of a click in grams, as in the five sensitivities of ChromeOS.
  private var click: (press: Double, release: Double) {
    switch self {
    case .lightest: (90, 80)
    case .light: (110, 95)
    case .medium: (130, 105)
    case .firm: (145, 120)
    case .firmest: (160, 135)
    }
  }

  /// The stages for devices that state units per gram.
  public var gramStages: StageLadder { stages(dividedBy: 1, in: .grams) }

  /// The stages for all other devices, relative to the force at which the pad clicks; `medium` is that force.
  public var clickStages: StageLadder {
    stages(dividedBy: PressFeel.medium.click.press, in: .click)
  }

  private func stages(dividedBy divisor: Double, in unit: PressStage.Unit) -> StageLadder {
    let (press, release) = (click.press / divisor, click.release / divisor)
    let (deep, deepRelease) = (
      press * PressFeel.deep, press * PressFeel.deep * PressFeel.deepRelease
    )
    return StageLadder(known: [
      PressStage(
        name: "light", threshold: Threshold(knownPress: press, release: release), unit: unit),
      PressStage(
        name: "deep", threshold: Threshold(knownPress: deep, release: deepRelease), unit: unit),
    ])
  }
}
