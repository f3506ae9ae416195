/// The state of a surface at one SYN_REPORT.
///
/// The corresponding class of UIKit is `UIEvent`.
public struct Frame: Sendable {
  /// The kernel's timestamp of the report.
  public internal(set) var time = Timestamp(microseconds: 0)

  /// The contacts on the surface, ordered by slot.
  public internal(set) var contacts: [Contact] = []

  /// The contacts that ended or were cancelled in this frame.
  public internal(set) var ended: [Contact] = []

  /// The number of contacts, before `replacedCount` at the end of `ended`, that also began in this frame; their beginning is
  /// not yet emitted.
  public internal(set) var transientCount = 0

  /// The number of contacts, at the end of `ended`, that began in this frame and were replaced by another in the same slot;
  /// both their beginning and their end precede the beginning of the other.
  package internal(set) var replacedCount = 0

  /// The number of slots that do not hold a finger: palms, hovering contacts, resting thumbs.
  var nonFingerCount = 0

  /// The number of contacts that may be thumbs at rest; see `RestingThumb`.
  var thumbCount = 0

  /// The number of these for which it is still undecided; they are not among `fingers`.
  var undecidedCount = 0

  /// Whether the pad's own button is down.
  var isClicked = false

  /// Whether the pad clicked in this frame.
  var hasClicked = false

  /// The number of `contacts` that hover.
  var hoveringCount = 0

  /// Whether anything touches the surface.
  var isLoaded: Bool { contacts.count > hoveringCount }

  /// Whether any of `contacts` began in this frame.
  var hasBeginning = false

  /// The number of fingers on the surface, including those without a slot; palms, hovering contacts and resting thumbs do not count.
  public internal(set) var fingers = 0

  /// Whether any contact changed, began or ended.
  public internal(set) var isChanged = false

  /// Whether the surface's capability has changed since the previous frame.
  public internal(set) var isCapabilityChanged = false

  /// Whether several contacts share the total of one sensor.
  public internal(set) var sharesSensor = false

  /// The weight of everything on the surface; nil if the device has no weight source.
  public internal(set) var total: Weight?

  /// The input of the scale: the total, or, on an empty surface, the reading of a true force sensor.
  public internal(set) var load: Weight?

  /// The reading of a true force sensor on an empty surface, in units of its axis.
  ///
  /// Nil while there are contacts, and for devices that report nothing on an empty surface.
  public internal(set) var emptyRaw: Int32?
}

extension Frame {
  /// The force-weighted center of the contacts; if no contact presses, their unweighted center.
  package var center: Location? {
    let contacts = contacts.span
    guard !contacts.isEmpty else { return nil }
    var sum = 0.0
    for index in contacts.indices { sum += contacts[index].force.value }
    var (x, y) = (0.0, 0.0)
    for index in contacts.indices {
      let part = sum > 0 ? contacts[index].force.value / sum : 1 / Double(contacts.count)
      x += part * contacts[index].location.x
      y += part * contacts[index].location.y
    }
    return Location(x: x, y: y)
  }
}
