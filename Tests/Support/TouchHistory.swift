internal import PressureKit

/// Where contacts were, and when the button was down, as a bound on what a recognizer can know that samples locations now and then.
struct TouchHistory {
  /// Where a contact was, in millimeters, from a time on.
  private struct Position {
    var time: Timestamp
    var x: Double
    var y: Double

    func distance(to other: Position) -> Double {
      let (x, y) = (x - other.x, y - other.y)
      return (x * x + y * y).squareRoot()
    }
  }

  private struct Track {
    var positions: [Position] = []
    var isFinger = true
    var hasMoved = false

    /// Whether no other contact was down, and since when none had been at its beginning.
    var isAlone = true
    var aloneFor = Int64.max
  }

  /// More frames and positions than a recognizer can remember; older ones are removed.
  private static let capacity = 48

  /// Whether the surface is a button.
  let hasButton: Bool

  /// A time not after that of the last gesture of several fingers, which a recognizer must have noticed; nil if it may not have.
  private(set) var knownGesture: Timestamp?

  /// The size of the surface in millimeters; the width counts as 100 mm if it is unknown.
  private let size: (width: Double, height: Double)

  private var tracks: [Int: Track] = [:]
  private var lastCompany: Timestamp?

  /// The times of frames; those in which two fingers moved for certain, without a break.
  private var frames: [Timestamp] = []
  private var moving: [Timestamp] = []

  /// The button: in the events of the next frame, in the last frame and in the one before it.
  private var pending = false
  private var current = false
  private var previous = false
  private var lastDown: Timestamp?
  private var isDropping = false

  /// The latest time of an event, and whether an earlier one came later: the engine clamps such times.
  private var latest = Timestamp(microseconds: .min)
  private var isIrregular = false

  init(on surface: Surface) {
    hasButton = surface.clicksBySurface
    let (width, height) = (Double(surface.x.span), Double(surface.y.span))
    size =
      if let width = surface.x.millimeters, let height = surface.y.millimeters {
        (width, height)
      } else {
        (100, width > 0 && height > 0 ? 100 * height / width : 100)
      }
  }
}

// MARK: - The button and frames

extension TouchHistory {
  mutating func receive(_ event: InputEvent) {
    advance(to: event.time)
    switch event.code {
    case .dropped: (pending, isDropping) = (current, true)
    case .leftButton where !isDropping: pending = event.value != 0
    case .report:
      let time = max(event.time, frames.last ?? event.time)
      if !isDropping { (previous, current) = (current, pending) }
      isDropping = false
      if current || previous { lastDown = current ? time : frames.last }
      frames.append(time)
      if frames.count > 2 * TouchHistory.capacity { frames.removeFirst(TouchHistory.capacity) }
    default: break
    }
  }

  /// Time has passed without an event.
  mutating func advance(to time: Timestamp) {
    if time < latest { isIrregular = true }
    latest = max(latest, time)
  }

  mutating func removed() { (pending, current, previous) = (false, false, false) }

  /// Whether the button is down for certain; at the time of a frame, a deadline may precede it.
  func isDown(at time: Timestamp) -> Bool {
    guard let last = frames.last, !isIrregular else { return false }
    return time > last ? current : time < last ? previous : previous && current
  }

  func wasDown(since time: Timestamp) -> Bool {
    isIrregular || lastDown.map { $0 >= time } ?? false
  }
}

// MARK: - Contacts

extension TouchHistory {
  mutating func began(_ contact: Contact, at time: Timestamp) {
    var track = Track()
    track.isAlone = tracks.isEmpty
    track.aloneFor = lastCompany.map { time.microseconds(since: $0) } ?? .max
    tracks[contact.order] = track
    guard tracks.count > 1 else { return }
    lastCompany = time
    for order in tracks.keys { tracks[order]?.isAlone = false }
  }

  mutating func ended(_ contact: Contact, at time: Timestamp) {
    if tracks.count > 1 { lastCompany = time }
    tracks[contact.order] = nil
  }

  /// Whether a contact was always alone, and began so long after others that no gesture of theirs counts any more.
  func wasAlone(_ order: Int, _ rules: PressRules) -> Bool {
    tracks[order].map { $0.isAlone && $0.aloneFor > rules.quiet } ?? false
  }

  func hasMoved(_ order: Int) -> Bool { tracks[order]?.hasMoved ?? true }

  mutating func note(_ contacts: [Contact], at time: Timestamp) {
    for contact in contacts {
      let position = Position(
        time: time, x: contact.location.x * size.width, y: contact.location.y * size.height)
      guard var track = tracks.removeValue(forKey: contact.order) else { continue }
      if let last = track.positions.last, !(last.distance(to: position) == 0) {
        track.hasMoved = true
      }
      track.isFinger = contact.isFinger
      track.positions.append(position)
      if track.positions.count > 2 * TouchHistory.capacity {
        track.positions.removeFirst(TouchHistory.capacity)
      }
      tracks[contact.order] = track
    }
    noteGesture(at: time)
  }

  /// A recognizer takes a sample at one of the frames of any 25 ms, and notices a gesture there.
  private mutating func noteGesture(at time: Timestamp) {
    guard isMovingTogether(at: time) else { return moving.removeAll(keepingCapacity: true) }
    moving.append(time)
    let latest = time.advanced(byMicroseconds: -TouchHistory.interval)
    if let gesture = moving.last(where: { $0 <= latest }) { knownGesture = gesture }
  }
}

// MARK: - Motion

extension TouchHistory {
  /// A recognizer samples locations not more often than in this interval, in microseconds, if there are frames.
  private static let interval: Int64 = 25_000

  /// After a pause of 250 ms between a sample and a frame contacts are at rest where they are; a sample may be 25 ms old.
  private static let pause: Int64 = 225_000

  /// The times between which the oldest of three samples was taken; nil after a pause.
  private func sampled(before time: Timestamp) -> ClosedRange<Timestamp>? {
    guard !isIrregular else { return nil }
    var start = time
    for _ in 0..<2 {
      start = frame(before: frame(after: start.advanced(byMicroseconds: -TouchHistory.interval)))
    }
    start = start.advanced(byMicroseconds: -TouchHistory.interval)
    let end = time.advanced(byMicroseconds: -2 * TouchHistory.interval)
    let resumed = frame(after: end)
    guard resumed.microseconds(since: frame(before: resumed)) < TouchHistory.pause else {
      return nil
    }
    return min(start, end)...end
  }

  /// The places at which the oldest of three samples may have been taken; nil if none was yet.
  private func places(
    of track: Track, within range: ClosedRange<Timestamp>
  ) -> ArraySlice<Position>? {
    guard let first = track.positions.first, first.time <= range.upperBound else { return nil }
    let positions = track.positions
    let end = positions.firstIndex { $0.time > range.upperBound } ?? positions.endIndex
    let start = positions.lastIndex { $0.time <= range.lowerBound } ?? positions.startIndex
    return positions[min(start, end)..<end]
  }

  /// Whether two fingers move, that is, both are away from where they were 50 ms ago and some time before.
  func isMovingTogether(at time: Timestamp) -> Bool {
    guard tracks.count > 1, let range = sampled(before: time) else { return false }
    let count = tracks.values.count { track in
      guard track.isFinger, let now = track.positions.last,
        let places = places(of: track, within: range), !places.isEmpty
      else { return false }
      return places.allSatisfy { $0.distance(to: now) >= 1 }
    }
    return count > 1
  }

  /// A speed that a contact has had for certain over the last 50 ms and more, in millimeters per second; nil if it is unknown.
  func certainSpeed(of order: Int, at time: Timestamp) -> Double? {
    guard let track = tracks[order], track.hasMoved, let now = track.positions.last,
      let range = sampled(before: time), let places = places(of: track, within: range)
    else { return nil }
    // A place was left when the next one was reached: the sample was taken at the earliest at its own time.
    let elapsed = places.map { time.microseconds(since: max($0.time, range.lowerBound)) }
    let speeds = zip(places, elapsed).map { place, elapsed in
      place.distance(to: now) * 1_000_000 / Double(max(elapsed, 1))
    }
    // NaN if a position is unknown.
    return speeds.contains { $0.isNaN } ? nil : speeds.min()
  }

  private func frame(after time: Timestamp) -> Timestamp {
    var after = time
    for frame in frames.reversed() {
      if frame <= time { break }
      after = frame
    }
    return after
  }

  private func frame(before time: Timestamp) -> Timestamp { frames.last { $0 < time } ?? time }
}
