/// An event of a press (force gesture).
public struct Press: Hashable, Sendable {
  /// The state of a press.
  public enum State: String, CaseIterable, Sendable {
    /// It reached the press point of the first stage or, if simulated, the finger was held long enough.
    case started
    /// Its force or location changed, or it entered another stage.
    case changed
    /// It reached the effective maximum; at most once per press.
    case maximumReached = "fixed"
    /// It fell below the release point of the first stage, or the contact was lifted.
    case ended
    /// It turned out not to be a press: another number of fingers, a palm, or a removed device.
    case cancelled
  }

  /// The contact as of this event.
  public internal(set) var contact: Contact

  /// The event's kind.
  public internal(set) var state: State

  /// The number of fingers on the surface; if the contact was lifted, the number before.
  public internal(set) var fingers: Int

  /// The name of the stage.
  public internal(set) var stage: String

  /// The position between this stage and the next, −1…1, in linear segments.
  ///
  /// 0 at the press point of the stage; 1 at that of the next stage or, in the last stage, at the effective maximum; −1 at
  /// the stage's own release point, where the press returns to the previous stage or ends. A simulated press is at 0 when
  /// it starts and never decreases.
  public internal(set) var transition: Double

  /// The force of the press, measured or simulated.
  public internal(set) var force: Force

  /// Whether the force is simulated from the time that the finger rests.
  public internal(set) var isSimulated: Bool

  /// Whether the pad's own button is down, or has been since the press started; nil if the surface is not a button.
  public internal(set) var hasClicked: Bool?

  /// The direction in which another stage was entered; nil if the stage is unchanged.
  public internal(set) var crossing: Crossing?

  /// The direction in which a press enters a stage.
  public enum Crossing: Sendable {
    /// From the stage below, by increasing force.
    case up
    /// From the stage above, or below the first stage, by decreasing force.
    case down
  }

  /// The region in which the press started, and the contact's location in it; nil outside all regions.
  public internal(set) var target: Target?

  /// The contact's gross weight; nil without a weight source and for a simulated press.
  public var weight: Weight? { isSimulated ? nil : contact.weight }

  /// Whether it entered its stage by increasing force, which triggers actions.
  public var entersStage: Bool { crossing == .up }

  /// Whether this is the last event of the press.
  public var hasEnded: Bool {
    switch state {
    case .ended, .cancelled: true
    case .started, .changed, .maximumReached: false
    }
  }

  /// The completed fraction of the stage, 0…1: `transition` clamped at 0.
  public var progress: Double { max(transition, 0) }
}
