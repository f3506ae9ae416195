/// On which stage a press stands, and how it gets to another: one at a time, none skipped.
///
///              v ≥ press of 1             v ≥ press of 2
///     ground ──────started────▶ stage 1 ──────changed────▶ stage 2 ──▶ …
///        ▲                      │     ▲                        │
///        └─ended: v < release 1─┘     └─changed: v < release 2─┘
///
/// As each stage's press point lies above its release point, and no stage's points lie below those of
/// the stage under it, one value moves a press in one direction only.
struct StageClimb {
  /// 0 on the ground, 1 on the first stage.
  private(set) var level = 0

  /// The stage that there is to speak of: what has fallen to the ground has left the first one.
  var spoken: Int { max(level, 1) }

  /// Takes one step towards a value, and says what that is; nil where it stands right.
  mutating func step(towards value: Double, on ladder: PressLadder) -> Press.State? {
    if rise(towards: value, on: ladder) { return level == 1 ? .started : .changed }
    if fall(towards: value, on: ladder) { return level == 0 ? .ended : .changed }
    return nil
  }

  /// Takes one step up, if the value is enough for it.
  mutating func rise(towards value: Double, on ladder: PressLadder) -> Bool {
    guard level < ladder.height, value >= ladder.threshold(of: level + 1).press else {
      return false
    }
    level += 1
    return true
  }

  private mutating func fall(towards value: Double, on ladder: PressLadder) -> Bool {
    guard level > 0, value < ladder.threshold(of: level).release else { return false }
    level -= 1
    return true
  }

  /// Stands on the first stage, whatever its press point.
  mutating func mount() {
    level = 1
  }
}
