/// One thing that happens in a force gesture.
public struct Press: Hashable, Sendable {
  /// How far a press is.
  public enum State: String, CaseIterable, Sendable {
    /// It has reached the press point of the first stage, or, simulated, the finger was held long enough.
    case started
    /// Its force or its place is another one, or it has crossed into another stage.
    case changed
    /// It has reached the effective maximum; once in a press.
    case maximumReached = "fixed"
    /// It fell below the release point of the first stage, or the contact was lifted.
    case ended
    /// It was no press after all: another number of fingers, a palm, or the device went away.
    case cancelled
  }

  /// Who presses, as it was at this moment.
  public internal(set) var contact: Contact

  public internal(set) var state: State

  /// Fingers on the surface; where the contact is lifted, as many as there were before.
  public internal(set) var fingers: Int

  /// The name of the stage.
  public internal(set) var stage: String

  /// How far the force is on its way to the next stage, −1…1.
  ///
  /// 0 at the stage's own press point and 1 at the next one's, in the last stage at the effective
  /// maximum; below 0 it falls back, to −1 at the stage's own release point, where the stage before
  /// takes over or the press ends. In between it is a straight line. A simulated press has 0 where it
  /// starts, and never falls.
  public internal(set) var transition: Double

  /// The force of the press, made up or measured.
  public internal(set) var force: Force

  /// Whether the force is made up from the time that the finger rests.
  public internal(set) var isSimulated: Bool

  /// The way into another stage; nil where the stage is the same as before.
  public internal(set) var crossing: Crossing?

  /// Which way a press comes into a stage.
  public enum Crossing: Sendable {
    /// By pressing harder.
    case up
    /// By letting go, or to the ground.
    case down
  }

  /// The region in which the press started, and where the contact is in it.
  public internal(set) var target: Target?

  /// The contact's gross grams; nil where the device gives nothing to weigh by, and in a simulated press.
  public var weight: Weight? { isSimulated ? nil : contact.weight }

  /// Whether it has come into its stage by pressing harder, which is what actions are bound to.
  public var entersStage: Bool { crossing == .up }

  /// Whether nothing more will be heard of it.
  public var hasEnded: Bool {
    switch state {
    case .ended, .cancelled: true
    case .started, .changed, .maximumReached: false
    }
  }

  /// How much of the stage is behind, 0…1: `transition` where it is not negative.
  public var progress: Double { max(transition, 0) }
}
