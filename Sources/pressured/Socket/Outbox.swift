internal import PressureKit

/// The lines that a client's socket has not taken yet, within a bound.
///
/// While there is room, lines wait in order. If there is none, coalescible lines are removed: first the oldest one of the
/// same kind and device, then the oldest of any, then the oldest that a request has caused; lossless lines never are. A state for which even that
/// makes no room does not wait.
struct Outbox {
  /// What a state is of: a newer line with the same key makes it worthless.
  struct Key: Hashable {
    var name: EventName
    var device: Int
    var contact: Int32 = 0

    /// Whether a request caused them: these lines name a user, and are removed after readings.
    var isRequested = false
  }

  private struct Line {
    var start: Int
    var length: Int
    var key: Key?
    var isDead = false

    /// Whether it tells how many were missed.
    var tellsMissed = false

    /// The place of the next line with the same key, so that none has to be looked for.
    var next: Int?
  }

  /// The first and the last place of the lines with one key.
  private struct Chain {
    var first: Int
    var last: Int
  }

  /// The most that may wait, in bytes.
  let limit: Int

  /// How many lines did not fit since this was last told.
  private(set) var missed = 0

  /// How many did not fit in all.
  private(set) var missedInAll = 0

  /// Whether a line that tells of it waits.
  private(set) var tellsMissed = false

  private var bytes: [UInt8] = []
  private var lines: [Line] = []
  private var chains: [Key: Chain] = [:]
  private var first = 0

  /// Bytes that are neither sent nor dropped.
  private(set) var waiting = 0

  /// How many of them may be dropped.
  private var droppable = 0

  init(limit: Int) {
    self.limit = limit
  }

  var isEmpty: Bool { waiting == 0 }

  /// How many bytes are kept, those that are sent or dropped among them.
  var footprint: Int { bytes.count }

  /// How many bytes are kept at most: the bound, and a quarter of it for what is sent or dropped.
  private var most: Int { limit + limit / 4 }

  /// For how many bytes there is memory.
  var room: Int { bytes.capacity }

  /// Whether so many bytes fit as they are.
  func hasRoom(for length: Int) -> Bool { waiting + length <= limit }

  /// Adds a line.
  ///
  /// - Parameters:
  ///   - line: its bytes.
  ///   - key: what makes it worthless, where it is a state.
  /// - Returns: false when happenings leave no room for it. Nothing was dropped then for a state.
  mutating func append(_ line: UnsafeBufferPointer<UInt8>, key: Key?) -> Bool {
    guard key == nil || waiting - droppable + line.count <= limit else { return false }
    while !hasRoom(for: line.count) {
      guard let victim = victim(for: key) else { return false }
      drop(victim)
    }
    add(line, key: key)
    return true
  }

  /// Adds the rest of a line that the socket has taken in part, with nothing waiting before it.
  ///
  /// It must follow, so it goes beyond the bound if need be, by less than one line.
  mutating func append(restOfLine rest: UnsafeBufferPointer<UInt8>) {
    add(rest, key: nil)
  }

  private mutating func add(_ line: UnsafeBufferPointer<UInt8>, key: Key?) {
    if isEmpty { reset() }
    if bytes.count + line.count > most { compact() }
    // At once, as the kernel gives a page only when it is written to, and memory that grows leaves holes.
    if bytes.capacity < most { bytes.reserveCapacity(most) }
    lines.append(Line(start: bytes.count, length: line.count, key: key))
    chain(lines.count - 1)
    bytes.append(contentsOf: line)
    waiting += line.count
  }

  /// Counts a line that did not fit.
  mutating func miss() {
    missed += 1
    missedInAll += 1
  }

  /// The count has been told.
  mutating func forgetMissed() {
    missed = 0
  }

  /// Adds a line that tells the count, for which there must be room.
  mutating func tellMissed(_ line: UnsafeBufferPointer<UInt8>) {
    guard append(line, key: nil) else { return }
    lines[lines.count - 1].tellsMissed = true
    tellsMissed = true
    forgetMissed()
  }

  /// Hands what waits to `write`, piece by piece, until it takes less than a whole piece.
  ///
  /// - Parameter write: gives how many bytes it took, or nil where the socket is broken.
  /// - Returns: false where the socket is broken.
  mutating func drain(_ write: (UnsafeBufferPointer<UInt8>) -> Int?) -> Bool {
    while let piece = nextPiece() {
      let taken = bytes.withUnsafeBufferPointer { write(.init(rebasing: $0[piece])) }
      guard let taken else { return false }
      advance(by: taken)
      if taken < piece.count { break }
    }
    if isEmpty { reset() }
    return true
  }
}

extension Outbox {
  /// As many lines as lie side by side.
  private func nextPiece() -> Range<Int>? {
    guard let start = lines[first...].firstIndex(where: { !$0.isDead }) else { return nil }
    var end = lines[start].start + lines[start].length
    for line in lines[(start + 1)...] {
      guard !line.isDead else { break }
      end = line.start + line.length
    }
    return lines[start].start..<end
  }

  private mutating func advance(by taken: Int) {
    var rest = taken
    waiting -= taken
    while rest > 0, first < lines.count {
      if !lines[first].isDead {
        let step = min(rest, lines[first].length)
        rest -= step
        // What is half sent must be sent to its end.
        unchain(first)
        lines[first].start += step
        lines[first].length -= step
        if lines[first].length > 0 { break }
        if lines[first].tellsMissed { tellsMissed = false }
      }
      first += 1
    }
  }

  /// Puts a line at the end of its key's chain.
  private mutating func chain(_ place: Int) {
    guard let key = lines[place].key else { return }
    droppable += lines[place].length
    if let last = chains[key]?.last {
      lines[last].next = place
      chains[key]?.last = place
    } else {
      chains[key] = Chain(first: place, last: place)
    }
  }

  /// Takes the first line of its key's chain out of it: it goes, or must stay to its end.
  private mutating func unchain(_ place: Int) {
    guard let key = lines[place].key else { return }
    lines[place].key = nil
    droppable -= lines[place].length
    if let next = lines[place].next {
      chains[key]?.first = next
    } else {
      chains[key] = nil
    }
  }

  /// The line to remove for one with a key: a reading of the same key, else the oldest reading, else the oldest line of a
  /// request.
  ///
  /// Readings will come again, while a line of a request names a user.
  private func victim(for key: Key?) -> Int? {
    if let key, !key.isRequested, let first = chains[key]?.first { return first }
    return oldest(isRequested: false) ?? oldest(isRequested: true)
  }

  private func oldest(isRequested: Bool) -> Int? {
    chains.lazy.filter { $0.key.isRequested == isRequested }.map(\.value.first).min()
  }

  private mutating func drop(_ place: Int) {
    unchain(place)
    lines[place].isDead = true
    waiting -= lines[place].length
    miss()
  }

  /// Moves what waits to the front, over the dropped and sent lines.
  private mutating func compact() {
    var (end, count) = (0, 0)
    chains.removeAll(keepingCapacity: true)
    droppable = 0
    for place in first..<lines.count where !lines[place].isDead {
      var line = lines[place]
      move(line.start, to: end, count: line.length)
      (line.start, line.next) = (end, nil)
      lines[count] = line
      chain(count)
      end += line.length
      count += 1
    }
    bytes.removeLast(bytes.count - end)
    lines.removeLast(lines.count - count)
    first = 0
  }

  private mutating func move(_ start: Int, to place: Int, count: Int) {
    bytes.withUnsafeMutableBytes { bytes in
      let source = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
      UnsafeMutableRawBufferPointer(rebasing: bytes[place...]).copyMemory(from: source)
    }
  }

  /// An idle client keeps no memory.
  private mutating func reset() {
    (bytes, lines, chains, tellsMissed) = ([], [], [:], false)
    (first, waiting, droppable) = (0, 0, 0)
  }
}
