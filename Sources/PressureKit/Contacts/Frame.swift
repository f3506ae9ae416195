/// The state of a surface at one SYN_REPORT.
///
/// The corresponding class of UIKit is `UIEvent`.
public struct Frame: Sendable {
  /// The kernel's own stamp.
  public internal(set) var time = Timestamp(microseconds: 0)

  /// The contacts that are down, by slot.
  public internal(set) var contacts: [Contact] = []

  /// The contacts that ended or were cancelled in this frame.
  public internal(set) var gone: [Contact] = []

  /// How many of `gone` came down in this very frame, at its end: their beginning is still to be said.
  public internal(set) var briefCount = 0

  /// How many slots hold what is no finger: a palm, what hovers, a thumb or palm at rest.
  var othersCount = 0

  /// How many of `contacts` are in the air.
  var hoveringCount = 0

  /// Whether anything lies on the surface that is not in the air.
  var isLoaded: Bool { contacts.count > hoveringCount }

  /// Whether any of `contacts` came down in this frame.
  var hasBeginning = false

  /// Fingers on the surface, those that have no slot included; palms and what hovers are none.
  public internal(set) var fingers = 0

  /// Whether any contact changed, began or ended.
  public internal(set) var isChanged = false

  /// Whether the surface's capability is another one since the frame before.
  public internal(set) var isCapabilityChanged = false

  /// Whether several contacts divide the total of one sensor.
  public internal(set) var sharesSensor = false

  /// All that lies on the surface; nil where the device gives nothing to weigh by.
  public internal(set) var total: Weight?

  /// What a scale reads: the total, or with nothing there what a sensor of true force says of itself.
  public internal(set) var load: Weight?

  /// What a sensor of true force says with nothing there; nil with contacts, and where a bare surface is
  /// silent.
  public internal(set) var bareRaw: Int32?
}

extension Frame {
  /// The force-weighted middle; where nothing presses, the middle of the places alone.
  package var center: Location? {
    let contacts = contacts.span
    guard !contacts.isEmpty else { return nil }
    var sum = 0.0
    for place in contacts.indices { sum += contacts[place].force.value }
    var (x, y) = (0.0, 0.0)
    for place in contacts.indices {
      let part = sum > 0 ? contacts[place].force.value / sum : 1 / Double(contacts.count)
      x += part * contacts[place].location.x
      y += part * contacts[place].location.y
    }
    return Location(x: x, y: y)
  }
}
