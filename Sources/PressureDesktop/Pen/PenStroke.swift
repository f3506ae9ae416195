package import PressureProtocol

/// Makes a pen of the contacts on a pad.
///
///                 a finger                 force ≥ tip
///       away ─────────────────▶ hovering ───────────────▶ drawing
///        ▲                        │  ▲                      │  │
///        │◀── lift, palm, chord ──┘  └──── force < release ─┘  │
///        └◀──────────────── lift, palm, chord ─────────────────┘
///
/// The first finger is the pen until it is lifted. All other contacts are ignored until they are lifted, too, so that the
/// pen never jumps to a resting hand; with a button, a hard press of a second finger presses it. A contact as long as a
/// palm never draws. If the pen turns out to be one, the next finger is the pen.
package struct PenStroke {
  /// How long the fingers of the chord must be held, in microseconds.
  package static let chordTime: Int64 = 1_000_000

  /// From this length in millimeters on, a contact is a palm; the print of a flat thumb has about 15.
  fileprivate static let palmLength = 20.0

  /// How long a contact whose length is known must last before it draws, in microseconds: a palm arrives as a small spot.
  private static let settlingTime: Int64 = 20_000

  /// The forces of the second finger at which the button is pressed and released; a click takes about 2.
  private static let buttonPress = 2.5
  private static let buttonRelease = 1.7

  /// The contacts that are remembered as ignored; devices report at most as many as people have fingers and palms.
  private static let maximumIgnored = 16

  private let force: PenForce
  private let hasButton: Bool

  /// How many fingers end the pen if they are held; nil on a pad that reports too few.
  let chord: Int?

  package private(set) var mapping: PenMapping

  private var pen: Int64?
  private var beganAt: Int64 = 0
  private var isTouching = false
  private var isButtonDown = false

  /// Contacts that do not draw until they are lifted.
  ///
  /// A second finger is ignored only because another one is the pen: it is no palm, and began within the area.
  private var ignored: [(contact: Int64, isSecondFinger: Bool)] = []

  /// When the last finger of the chord came down.
  private var chordSince: Int64?

  /// Whether the pen stays away until all fingers are lifted, because there were as many as in the chord.
  private var isChordUsed = false

  private var current: PenFrame
  package private(set) var hasEnded = false

  /// When `update` is to be called, in microseconds; nil if nothing is pending.
  package private(set) var deadline: Int64?

  package init(_ force: PenForce, _ mapping: PenMapping, hasButton: Bool, chord: Int?) {
    (self.force, self.mapping, self.hasButton, self.chord) = (force, mapping, hasButton, chord)
    ignored.reserveCapacity(PenStroke.maximumIgnored)
    current = PenFrame(x: mapping.x, y: mapping.y)
  }

  /// Processes the contacts, in the order of their slots, that are down at a time in microseconds.
  ///
  /// Emits at most four frames, each of which differs from the one before.
  package mutating func update(with touches: [PenTouch], at now: Int64, emit: (PenFrame) -> Void) {
    deadline = nil
    forgetLifted(touches)
    // Before another finger becomes the pen, or its line would be joined with that of the last one.
    if pen == nil { leave(emit) }
    updateChord(touches.count, at: now)
    let finger = isChordUsed ? nil : choose(from: touches, at: now)
    guard let finger else { return leave(emit) }
    mapping.move(to: finger.point)
    updateTip(finger, at: now)
    if hasButton {
      let limit = isButtonDown ? PenStroke.buttonRelease : PenStroke.buttonPress
      isButtonDown = ignored.contains { each in
        each.isSecondFinger && touches.contains { $0.contact == each.contact && $0.force >= limit }
      }
    }
    let isOnset = isTouching && !current.isTouching
    if !current.isNear {
      // libinput takes a pressure at the beginning as the offset of a worn pen, and programs expect to see the pen first.
      send(pressure: 0, isTouching: false, emit)
    }
    let pressure =
      isTouching
      ? PenForce.axisValue(
        of: force.pressure(of: finger.force, limit: finger.maximumForce), isOnset: isOnset)
      : 0
    send(pressure: pressure, isTouching: isTouching, emit)
  }

  /// Takes the pen away.
  package mutating func leave(_ emit: (PenFrame) -> Void) {
    (pen, isTouching, isButtonDown) = (nil, false, false)
    guard current.isNear else { return }
    send(pressure: 0, isTouching: false, emit)
    send(pressure: 0, isTouching: false, isNear: false, emit)
  }

  private mutating func send(
    pressure: Int32, isTouching: Bool, isNear: Bool = true, _ emit: (PenFrame) -> Void
  ) {
    let frame = PenFrame(
      x: mapping.x, y: mapping.y, pressure: pressure, isNear: isNear, isTouching: isTouching,
      isButtonDown: isButtonDown)
    guard frame != current else { return }
    current = frame
    emit(frame)
  }

  // MARK: - Contacts

  private mutating func forgetLifted(_ touches: [PenTouch]) {
    ignored.removeAll { each in !touches.contains { $0.contact == each.contact } }
    for touch in touches where touch.isPalm {
      for index in ignored.indices where ignored[index].contact == touch.contact {
        ignored[index].isSecondFinger = false
      }
    }
    if let pen, !touches.contains(where: { $0.contact == pen && !$0.isPalm }) {
      self.pen = nil
      if touches.contains(where: { $0.contact == pen }) {
        // A hand came down before the finger that is to draw.
        ignored.removeAll(where: \.isSecondFinger)
        ignore(pen)
      }
    }
    if touches.isEmpty { isChordUsed = false }
  }

  private mutating func ignore(_ contact: Int64, isSecondFinger: Bool = false) {
    guard ignored.count < PenStroke.maximumIgnored else { return }
    ignored.append((contact, isSecondFinger))
  }

  private mutating func choose(from touches: [PenTouch], at now: Int64) -> PenTouch? {
    var finger = touches.last { $0.contact == pen }
    for touch in touches where touch.contact != pen {
      guard !ignored.contains(where: { $0.contact == touch.contact }) else { continue }
      guard !touch.isPalm, mapping.accepts(touch.point) else {
        ignore(touch.contact)
        continue
      }
      guard pen == nil, ignored.count < PenStroke.maximumIgnored else {
        ignore(touch.contact, isSecondFinger: true)
        continue
      }
      (pen, finger, beganAt, isTouching) = (touch.contact, touch, now, false)
      mapping.begin(at: touch.point)
    }
    return finger
  }

  private mutating func updateTip(_ finger: PenTouch, at now: Int64) {
    let limit = isTouching ? force.release : force.tip
    let isHard = finger.force >= limit
    guard isHard, !isTouching, finger.length != nil, now < beganAt + PenStroke.settlingTime else {
      return isTouching = isHard
    }
    setDeadline(beganAt + PenStroke.settlingTime)
  }

  private mutating func updateChord(_ count: Int, at now: Int64) {
    guard let chord, count >= chord else { return chordSince = nil }
    isChordUsed = true
    let since = chordSince ?? now
    chordSince = since
    if now >= since + PenStroke.chordTime {
      hasEnded = true
    } else {
      setDeadline(since + PenStroke.chordTime)
    }
  }

  private mutating func setDeadline(_ time: Int64) { deadline = min(deadline ?? time, time) }
}

package struct PenTouch: Hashable {
  package var contact: Int64

  /// The position; in millimeters if the device states its size.
  package var point: PenPoint

  /// The force as a multiple of an average touch.
  package var force: Double

  /// The force that counts as the maximum of the device.
  package var maximumForce: Double

  /// The length of the contact area in millimeters; nil if unknown.
  package var length: Double?

  fileprivate var isPalm: Bool { (length ?? 0) >= PenStroke.palmLength }
}

extension PenTouch {
  /// The farthest place that is one on a pad, in millimeters: differences of larger numbers need not be numbers.
  private static let places = -1e6...1e6

  /// Uses a contact of a `weight` line on a pad of a size, real or nominal; nil if its position is on no pad.
  package init?(_ contact: ReceivedPressure, on pad: PenArea) {
    guard let x = contact.xMillimeters ?? contact.x.map({ $0 * pad.width }),
      let y = contact.yMillimeters ?? contact.y.map({ $0 * pad.height }),
      PenTouch.places.contains(x), PenTouch.places.contains(y)
    else { return nil }
    self.init(
      contact: contact.contact, point: PenPoint(x: x, y: y), force: contact.force ?? 0,
      maximumForce: contact.maximumPossibleForce, length: contact.majorMillimeters)
  }
}

package struct PenFrame: Hashable {
  /// On the axes of the pen.
  package var x: Int32
  package var y: Int32

  /// The value of the pressure axis; 0 unless the tip touches.
  package var pressure: Int32 = 0

  /// Whether the pen is near the surface, so that a cursor shows where it would draw.
  package var isNear = false

  package var isTouching = false

  package var isButtonDown = false

  /// The pressure that a program gets, 0…1.
  package var programPressure: Double {
    let span = Double(PenForce.maximum - PenForce.lightest)
    return max(Double(pressure - PenForce.lightest), 0) / span
  }
}
