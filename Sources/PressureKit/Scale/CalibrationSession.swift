/// Known weights being laid on a device, one after another.
///
///     begin ──▶ point … point ──▶ finish
///
/// Until it is finished the device weighs as it did.
public struct CalibrationSession: Sendable {
  /// Why a step is not done.
  public enum StepError: Error, Hashable, Sendable {
    /// The device gives nothing to weigh by.
    case noPressure
    /// Nothing lies there, or the device does not feel it.
    case empty
    /// Several contacts, each with a pressure of its own, share the weight.
    case several(contacts: Int)
    /// The weight has not lain still for long enough.
    case tooShort
    /// The points make no calibration.
    case calibration(CalibrationError)

    /// One sentence for people.
    public var sentence: String {
      switch self {
      case .noPressure: "the device says nothing of pressure that could be calibrated"
      case .empty: "the device feels nothing there; lay the weight on its middle"
      case .several(let contacts):
        "the device feels \(contacts) contacts; stand the weight on one foot"
      case .tooShort: "a weight is measured over the second before the request; let it lie for one"
      case .calibration(let error): error.sentence
      }
    }
  }

  private let axis: Axis
  private let isPerContact: Bool
  private var recent = RecentPressure()

  /// The points so far, in their order.
  public private(set) var points: [CalibrationPoint] = []

  /// Begins on a surface, whose zero is taken at once where nothing lies on it.
  ///
  /// Where the sensor speaks of a bare surface that is a single value; the mean of a second is better,
  /// and `measure` of 0 g takes it.
  /// Where something does, such as a pan, it is to be measured as a weight of 0 g.
  public init(_ surface: Surface, frame: Frame) throws(StepError) {
    guard let pressure = surface.pressure, surface.capability != .broken else {
      throw .noPressure
    }
    axis = pressure.axis
    isPerContact = surface.isPerContact
    recent.update(with: frame, isPerContact: isPerContact)
    if recent.isEmpty { points = [emptyPoint] }
  }

  /// Where a bare surface is silent, a pressure begins at the axis's minimum.
  private var emptyPoint: CalibrationPoint {
    let raw = recent.emptyRaw ?? axis.minimum
    return CalibrationPoint(grams: 0, raw: Double(raw), spread: 0, count: 1, greatest: raw)
  }

  public mutating func update(with frame: Frame) {
    recent.update(with: frame, isPerContact: isPerContact)
  }

  /// Measures a known weight that lies there; one of 0 g is a new zero.
  public mutating func measure(_ grams: Double, at now: Timestamp) throws(StepError) {
    let point = try newPoint(grams, at: now)
    let others = grams == 0 ? points.filter { $0.grams > 0 } : points
    guard point.greatest < axis.maximum else { throw .calibration(.saturated(grams: grams)) }
    guard !others.contains(where: { $0.grams == grams }) else {
      throw .calibration(.equal(grams: grams))
    }
    guard others.count < CalibrationFit.maximumPoints else {
      throw .calibration(.tooMany(limit: CalibrationFit.maximumPoints))
    }
    points = others + [point]
  }

  private func newPoint(_ grams: Double, at now: Timestamp) throws(StepError) -> CalibrationPoint {
    if grams == 0, recent.isEmpty, recent.emptyRaw == nil { return emptyPoint }
    return try recent.point(grams, at: now)
  }

  /// What the points so far make.
  public func fit() throws(CalibrationError) -> CalibrationFit {
    try CalibrationFit(points, axis: axis)
  }
}

/// What a sensor has said lately of the one thing that lies on it, or of itself with nothing there.
///
/// A device at rest is silent, so each value counts for as long as it held.
struct RecentPressure: Sendable {
  /// How long a known weight has to lie still to be measured.
  static let span: Int64 = 1_000_000

  /// More values than these are looked through for such as are too old.
  private static let capacity = 4096

  private var values: [(time: Timestamp, raw: Int32)] = []
  private var contacts = 0

  /// What it says of a bare surface now, if it does.
  private(set) var emptyRaw: Int32?

  mutating func update(with frame: Frame, isPerContact: Bool) {
    let isOther = !frame.ended.isEmpty || frame.contacts.contains { $0.phase == .began }
    if isOther { values.removeAll(keepingCapacity: true) }
    contacts = frame.contacts.count
    emptyRaw = frame.emptyRaw
    let raw = emptyRaw ?? frame.contacts.first?.raw
    guard let raw, contacts <= 1 || !isPerContact else { return }
    if values.last?.raw != raw || isOther { values.append((frame.time, raw)) }
    removeOld(at: frame.time)
  }

  var isEmpty: Bool { contacts == 0 }

  /// The mean over the span that ends now.
  func point(_ grams: Double, at now: Timestamp) throws(CalibrationSession.StepError)
    -> CalibrationPoint
  {
    guard contacts > 0 || emptyRaw != nil && grams == 0 else { throw .empty }
    guard let oldest = values.first else { throw .several(contacts: contacts) }
    let start = now.advanced(byMicroseconds: -RecentPressure.span).microseconds
    guard oldest.time.microseconds <= start else { throw .tooShort }
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

  private mutating func removeOld(at now: Timestamp) {
    guard values.count > RecentPressure.capacity else { return }
    let start = now.advanced(byMicroseconds: -RecentPressure.span).microseconds
    let first = values.lastIndex { $0.time.microseconds <= start } ?? 0
    // A device that sends more than this in a second costs no more memory.
    values.removeFirst(max(first, values.count - RecentPressure.capacity))
  }
}
