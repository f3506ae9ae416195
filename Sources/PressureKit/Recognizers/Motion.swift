/// The recent motion of a device's contacts: how fast each moves, and when several last moved together.
///
/// Locations are sampled every 25 ms, so that frames in between cost one comparison. A contact has moved if it is at least
/// 1 mm from where it was two samples before the last: that is, faster than 13 to 20 mm/s. A device sends nothing while nothing
/// changes, so samples from before a pause show where a contact has moved to, not that it moves.
struct Motion {
  /// The interval between two samples, in microseconds.
  private static let interval: Int64 = 25_000

  /// The time without a sample after which the contacts were at rest, in microseconds.
  private static let pause: Int64 = 250_000

  /// The shortest time over which a speed is measured, in microseconds: less would measure the noise of the location.
  private static let shortest: Int64 = 5_000

  /// The time within which the force at rest follows the actual one, in microseconds.
  static let resting = 125_000.0

  /// The distance in millimeters that counts as moved; a fingertip that only presses rolls by less.
  private static let distance = 1.0

  /// A point in millimeters.
  private typealias Point = (x: Double, y: Double)

  private struct Sample {
    var point: Point = (0, 0)
    var time = Timestamp(microseconds: 0)
  }

  /// The latest three samples of a contact; after its beginning all are the first one.
  private struct Track {
    var order = 0
    var last = Sample()
    var middle = Sample()
    var earliest = Sample()

    /// The force at rest, which follows the actual one; see `resting`.
    var rest = 0.0

    /// The greatest value of the samples, in units of the pressure axis.
    var peak = Int32.min
  }

  private var tracks: [Track]

  private let size: SurfaceSize

  private var nextSample = Timestamp(microseconds: .min)
  private(set) var hasSampled = false

  /// When two or more fingers last moved together; nil if they never did.
  private var lastGesture: Timestamp?

  init(on surface: Surface) {
    tracks = Array(repeating: Track(), count: surface.slotCount)
    size = surface.size
  }

  @inline(__always)
  mutating func update(with frame: Frame) {
    hasSampled = frame.time >= nextSample
    if frame.hasBeginning || !frame.ended.isEmpty || hasSampled { sample(frame) }
  }

  @inline(never)
  private mutating func sample(_ frame: Frame) {
    if frame.hasBeginning {
      for contact in frame.contacts where contact.phase == .began { begin(contact, at: frame.time) }
    }
    if frame.time > nextSample.advanced(byMicroseconds: Motion.pause - Motion.interval) {
      for contact in frame.contacts { begin(contact, at: frame.time) }
      for contact in frame.ended where tracks[contact.slot].order == contact.order {
        begin(contact, at: frame.time)
      }
    }
    noteGesture(in: frame)
    guard hasSampled else { return }
    nextSample = frame.time.advanced(byMicroseconds: Motion.interval)
    for contact in frame.contacts where tracks[contact.slot].order == contact.order {
      let elapsed = frame.time.microseconds(since: tracks[contact.slot].last.time)
      let part = min(Double(elapsed) / Motion.resting, 1)
      tracks[contact.slot].rest += (contact.force.ratio - tracks[contact.slot].rest) * part
      tracks[contact.slot].peak = max(tracks[contact.slot].peak, contact.raw ?? .min)
      tracks[contact.slot].earliest = tracks[contact.slot].middle
      tracks[contact.slot].middle = tracks[contact.slot].last
      tracks[contact.slot].last = Sample(point: point(contact.location), time: frame.time)
    }
  }

  private mutating func begin(_ contact: Contact, at time: Timestamp) {
    let isNew = contact.phase == .began
    let ratio = isNew ? 0 : contact.force.ratio
    let peak = isNew ? .min : tracks[contact.slot].peak
    let first = Sample(point: point(contact.location), time: time)
    tracks[contact.slot] = Track(
      order: contact.order, last: first, middle: first, earliest: first, rest: ratio,
      peak: max(peak, contact.raw ?? .min))
  }

  /// Checks whether two or more fingers move together now, including those that were lifted in this frame.
  mutating func noteGesture(in frame: Frame) {
    guard frame.contacts.count + frame.ended.count > 1 else { return }
    var moving = 0
    for contact in frame.contacts where contact.isFinger && hasMoved(contact) { moving += 1 }
    for contact in frame.ended where contact.isFinger && hasMoved(contact) { moving += 1 }
    if moving > 1 { lastGesture = frame.time }
  }

  /// Until when no press begins; nil if one may begin at this time.
  func quietEnd(_ rules: PressRules, after time: Timestamp) -> Timestamp? {
    guard rules.quiet > 0, let lastGesture else { return nil }
    let end = lastGesture.advanced(byMicroseconds: rules.quiet)
    return time < end ? end : nil
  }

  /// Notes whether fingers move together now, if this contact may have moved; then the same after the frame.
  mutating func quietEnd(
    _ rules: PressRules, with contact: Contact, in frame: Frame
  ) -> Timestamp? {
    if contact.phase != .stationary { noteGesture(in: frame) }
    return quietEnd(rules, after: frame.time)
  }

  /// By how much the force of a contact exceeds that at rest, as a ratio; a new contact has rested with 0.
  func growth(of contact: Contact) -> Double {
    let track = tracks[contact.slot]
    return contact.force.ratio - (track.order == contact.order ? track.rest : 0)
  }

  /// The greatest value of a contact, in units of the pressure axis; nil without one.
  func peak(of contact: Contact) -> Int32? {
    let track = tracks[contact.slot]
    return track.order == contact.order && track.peak > .min ? track.peak : nil
  }

  /// The highest over up to 25, 50 and 75 ms, in millimeters per second: the shortest of them notices the beginning of a drag.
  func speed(of contact: Contact, at time: Timestamp) -> Double {
    let track = tracks[contact.slot]
    guard track.order == contact.order else { return 0 }
    let here = point(contact.location)
    return max(
      Motion.speed(from: track.last, to: here, at: time),
      Motion.speed(from: track.middle, to: here, at: time),
      Motion.speed(from: track.earliest, to: here, at: time))
  }

  private static func speed(from sample: Sample, to point: Point, at time: Timestamp) -> Double {
    let elapsed = time.microseconds(since: sample.time)
    guard elapsed >= shortest else { return 0 }
    return squaredDistance(sample.point, point).squareRoot() * 1_000_000 / Double(elapsed)
  }

  private static func squaredDistance(_ first: Point, _ second: Point) -> Double {
    let (x, y) = (second.x - first.x, second.y - first.y)
    let square = x * x + y * y
    // NaN if a position is unknown.
    return square > 0 ? square : 0
  }

  private func hasMoved(_ contact: Contact) -> Bool {
    let track = tracks[contact.slot]
    guard track.order == contact.order else { return false }
    let square = Motion.squaredDistance(track.earliest.point, point(contact.location))
    return square >= Motion.distance * Motion.distance
  }

  private func point(_ location: Location) -> Point {
    (location.x * size.width, location.y * size.height)
  }
}

/// The size of a surface in millimeters; one without a resolution counts as 100 mm wide, with equal units on both axes.
struct SurfaceSize {
  let width: Double
  let height: Double

  func distance(from start: Location, to end: Location) -> Double {
    let (x, y) = ((end.x - start.x) * width, (end.y - start.y) * height)
    return (x * x + y * y).squareRoot()
  }
}

extension Surface {
  var size: SurfaceSize {
    if let width = x.millimeters, let height = y.millimeters {
      return SurfaceSize(width: width, height: height)
    }
    let (width, height) = (Double(x.span), Double(y.span))
    return SurfaceSize(width: 100, height: width > 0 && height > 0 ? 100 * height / width : 100)
  }
}
