public import PressureKit

extension ForceMapping {
  /// Maps a contact that a client has read in a `weight` line or in the answer to `state`.
  ///
  /// - Parameters:
  ///   - contact: what presses.
  ///   - region: what is drawn lies here; nil for the whole surface.
  public init(_ contact: ReceivedPressure, in region: Region? = nil) {
    let place = Location(x: contact.x, y: contact.y)
    let target = region.map { Target($0, at: place) }
    self.init(
      Force(ratio: contact.ratio, maximumPossible: contact.maximumPossibleForce),
      contact.grams.map { Weight(grams: $0, error: nil) }, x: target?.x, y: target?.y, at: place)
  }

  /// Maps a press that a client has read, in its own target or else on the whole surface.
  ///
  /// What the line leaves out counts as nothing pressed, in the middle.
  public init(_ press: ReceivedPress) {
    let (ratio, force) = (press.ratio ?? 0, press.force ?? 0)
    self.init(
      Force(ratio: ratio, maximumPossible: ratio > 0 ? force / ratio : 0),
      press.grams.map { Weight(grams: $0, error: nil) }, x: press.targetX, y: press.targetY,
      at: Location(x: press.x ?? 0.5, y: press.y ?? 0.5))
  }
}
