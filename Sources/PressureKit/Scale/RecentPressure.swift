/// What a sensor has said lately of the one thing that lies on it, or of itself with nothing there.
///
/// A device at rest is silent, so each value counts for as long as it held.
struct RecentPressure: Sendable {
  /// How long a known weight has to lie still to be measured.
  static let span: Int64 = 1_000_000

  /// More values than these are looked through for such as are too old.
  private static let enoughValues = 4096

  private var values: [(time: Timestamp, raw: Int32)] = []
  private var contacts = 0

  /// What it says of a bare surface now, if it does.
  private(set) var bareRaw: Int32?

  /// Why there is nothing to measure.
  enum Fault: Error, Hashable {
    /// Nothing lies there, or the device does not feel it.
    case empty
    /// Several contacts, each with a pressure of its own, share the weight.
    case several(contacts: Int)
    /// It has lain there for less than the span.
    case brief
  }

  mutating func see(_ frame: Frame, isPerContact: Bool) {
    let isOther = !frame.gone.isEmpty || frame.contacts.contains { $0.phase == .began }
    if isOther { values.removeAll(keepingCapacity: true) }
    contacts = frame.contacts.count
    bareRaw = frame.bareRaw
    let raw = bareRaw ?? frame.contacts.first?.raw
    guard let raw, contacts <= 1 || !isPerContact else { return }
    if values.last?.raw != raw || isOther { values.append((frame.time, raw)) }
    forgetOld(at: frame.time)
  }

  var isEmpty: Bool { contacts == 0 }

  /// The mean over the span that ends now.
  func point(_ grams: Double, at now: Timestamp) throws(Fault) -> CalibrationPoint {
    guard contacts > 0 || bareRaw != nil && grams == 0 else { throw .empty }
    guard let oldest = values.first else { throw .several(contacts: contacts) }
    let start = now.advanced(byMicroseconds: -RecentPressure.span).microseconds
    guard oldest.time.microseconds <= start else { throw .brief }
    let first = values.lastIndex { $0.time.microseconds <= start } ?? 0
    let recent = values[first...]
    var (sum, squares) = (0.0, 0.0)
    for index in recent.indices {
      let begin = max(recent[index].time.microseconds, start)
      let end = index + 1 < values.count ? values[index + 1].time.microseconds : now.microseconds
      let part = Double(end - begin) / Double(RecentPressure.span)
      let raw = Double(recent[index].raw)
      sum += part * raw
      squares += part * raw * raw
    }
    return CalibrationPoint(
      grams: grams, raw: sum, spread: max(0, squares - sum * sum).squareRoot(),
      count: recent.count, greatest: recent.reduce(.min) { max($0, $1.raw) })
  }

  private mutating func forgetOld(at now: Timestamp) {
    guard values.count > RecentPressure.enoughValues else { return }
    let start = now.advanced(byMicroseconds: -RecentPressure.span).microseconds
    let first = values.lastIndex { $0.time.microseconds <= start } ?? 0
    // A device that sends more than this in a second costs no more memory.
    values.removeFirst(max(first, values.count - RecentPressure.enoughValues))
  }
}
