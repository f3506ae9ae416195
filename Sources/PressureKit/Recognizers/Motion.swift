/// The recent motion of a device's contacts: how fast each moves, and when several last moved together.
///
/// Locations are sampled every 50 ms, so that frames in between cost one comparison. A contact has moved if it is at least
/// 1 mm from where it was one sample before the last: that is, faster than 10 to 20 mm/s.
struct Motion {
  /// The interval between two samples, in microseconds.
  private static let interval: Int64 = 50_000

  /// The distance in millimeters that counts as moved; a fingertip that only presses rolls by less.
  private static let distance = 1.0

  /// The assumed width of a surface without a resolution, in millimeters.
  private static let assumedWidth = 100.0

  /// A point in millimeters.
  private struct Point {
    var x = 0.0
    var y = 0.0
  }

  private struct Track {
    var order = 0
    var last = Point()
    var earlier = Point()
    var lastTime = Timestamp(microseconds: 0)
    var earlierTime = Timestamp(microseconds: 0)
  }

  /// The track of the contact in each slot.
  private var tracks: [Track]

  /// The size of the surface in millimeters, or in hundredths of its width.
  private let size: Point

  private var nextSample = Timestamp(microseconds: .min)

  /// When two or more fingers last moved together; nil if they never did.
  private(set) var lastGesture: Timestamp?

  init(on surface: Surface) {
    tracks = Array(repeating: Track(), count: surface.slotCount)
    if let width = surface.x.millimeters, let height = surface.y.millimeters {
      size = Point(x: width, y: height)
    } else {
      let (width, height) = (Double(surface.x.span), Double(surface.y.span))
      let isUsable = width > 0 && height > 0
      size = Point(
        x: Motion.assumedWidth,
        y: isUsable ? Motion.assumedWidth * height / width : Motion.assumedWidth)
    }
  }

  /// Follows the contacts of a frame.
  @inline(__always)
  mutating func update(with frame: Frame) {
    if frame.hasBeginning || !frame.ended.isEmpty || frame.time >= nextSample { sample(frame) }
  }

  @inline(never)
  private mutating func sample(_ frame: Frame) {
    if frame.hasBeginning {
      for contact in frame.contacts where contact.phase == .began { begin(contact, at: frame.time) }
    }
    noteGesture(in: frame)
    guard frame.time >= nextSample else { return }
    nextSample = frame.time.advanced(byMicroseconds: Motion.interval)
    for contact in frame.contacts where tracks[contact.slot].order == contact.order {
      tracks[contact.slot].earlier = tracks[contact.slot].last
      tracks[contact.slot].earlierTime = tracks[contact.slot].lastTime
      tracks[contact.slot].last = point(contact.location)
      tracks[contact.slot].lastTime = frame.time
    }
  }

  private mutating func begin(_ contact: Contact, at time: Timestamp) {
    let point = point(contact.location)
    tracks[contact.slot] = Track(
      order: contact.order, last: point, earlier: point, lastTime: time, earlierTime: time)
  }

  /// Checks whether two or more fingers move together now, including those that were lifted in this frame.
  mutating func noteGesture(in frame: Frame) {
    guard frame.contacts.count + frame.ended.count > 1 else { return }
    var moving = 0
    for contact in frame.contacts where contact.isFinger && hasMoved(contact) { moving += 1 }
    for contact in frame.ended where contact.isFinger && hasMoved(contact) { moving += 1 }
    if moving > 1 { lastGesture = frame.time }
  }

  /// Until when no press begins; nil if one may begin at any time.
  func quietEnd(_ rules: PressRules) -> Timestamp? {
    guard rules.quietMilliseconds > 0, let lastGesture else { return nil }
    return lastGesture.advanced(byMicroseconds: rules.quiet)
  }

  /// The speed of a contact over the last 50 to 100 ms, in millimeters per second.
  func speed(of contact: Contact, at time: Timestamp) -> Double {
    let track = tracks[contact.slot]
    let elapsed = time.microseconds(since: track.earlierTime)
    guard track.order == contact.order, elapsed > 0 else { return 0 }
    let here = point(contact.location)
    let (x, y) = (here.x - track.earlier.x, here.y - track.earlier.y)
    return (x * x + y * y).squareRoot() * 1_000_000 / Double(elapsed)
  }

  private func hasMoved(_ contact: Contact) -> Bool {
    let track = tracks[contact.slot]
    guard track.order == contact.order else { return false }
    let here = point(contact.location)
    let (x, y) = (here.x - track.earlier.x, here.y - track.earlier.y)
    return x * x + y * y >= Motion.distance * Motion.distance
  }

  private func point(_ location: Location) -> Point {
    Point(x: location.x * size.x, y: location.y * size.y)
  }
}
