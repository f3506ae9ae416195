/// A calibration in progress: known weights are measured one after another.
///
///     begin ──▶ point … point ──▶ finish
///
/// Until it is finished, the device keeps its previous calibration.
public struct CalibrationSession: Sendable {
  /// The reason why a step fails.
  public enum StepError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device has no usable pressure axis.
    case noPressure
    /// The surface is empty, or the device does not detect the weight.
    case empty
    /// Several contacts, each with its own pressure, share the weight.
    case several(contacts: Int)
    /// The weight has not been at rest for long enough.
    case tooShort
    /// The reading changed within the second by this many units.
    case inMotion(units: Double)
    /// The points do not make a calibration.
    case calibration(CalibrationError)
    /// Nothing was measured that could be dropped.
    case nothingToDrop

    /// The reason for users, without the device's name.
    public var description: String {
      switch self {
      case .noPressure: "the device has no usable pressure axis"
      case .empty: "the device detects nothing; put the weight on its center"
      case .several(let contacts):
        "the device detects \(contacts) contacts; put the weight on a single foot"
      case .tooShort:
        "a weight is measured over the second before the request; leave it at rest for a second"
      case .inMotion(let units):
        "the reading is in motion: it changed by \(((units * 10).rounded() / 10).shortDescription) units within the last"
          + " second; leave the weight at rest for a second"
      case .calibration(let error): error.description
      case .nothingToDrop: "no such weight was measured"
      }
    }
  }

  /// The tolerance of known weights, as a fraction, unless a point has its own.
  private let tolerance: Double

  private let axis: Axis
  private var recent: RecentPressure

  /// Whether the zero is the single value of the empty surface with which the calibration began.
  private var hasSingleZero: Bool

  /// The points measured so far, in order.
  public private(set) var points: [CalibrationPoint] = []

  /// The checks of them so far, in order.
  public private(set) var checks: [CalibrationCheck] = []

  /// Whether the last measurement was a check.
  private var isCheckLast = false

  /// Begins a calibration of a device after its last frame; on an empty surface its zero is taken at once.
  ///
  /// That zero is a single value at first. The mean of the second before the first weight replaces it, if the empty surface
  /// was at rest, and so does measuring 0 g. If anything is on the surface, such as a pan, it must be measured as 0 g.
  /// Known weights have the tolerance, as a fraction of each, unless another is given with one.
  ///
  /// - Throws: `StepError.noPressure`.
  public init(
    _ surface: Surface, frame: Frame, tolerance: Double = CalibrationPoint.defaultTolerance
  ) throws(StepError) {
    guard let pressure = surface.pressure, surface.capability != .broken else {
      throw .noPressure
    }
    self.tolerance = tolerance
    axis = pressure.axis
    recent = RecentPressure(minimum: axis.minimum, isPerContact: surface.isPerContact)
    recent.update(with: frame)
    hasSingleZero = recent.isEmpty && recent.emptyRaw != nil
    if recent.isEmpty { points = [emptyPoint] }
  }

  /// If the sensor sends nothing on an empty surface, pressure begins at the axis's minimum.
  private var emptyPoint: CalibrationPoint {
    let raw = recent.emptyRaw ?? axis.minimum
    var point = CalibrationPoint(grams: 0, raw: Double(raw), spread: 0, count: 1, greatest: raw)
    point.isAssumed = recent.emptyRaw == nil
    return point
  }

  /// Adds a frame; must be called for every frame of the device.
  public mutating func update(with frame: Frame) {
    if hasSingleZero, !frame.contacts.isEmpty {
      hasSingleZero = false
      if let zero = try? recent.point(0, over: 1, at: frame.time) { points = [zero] }
    }
    recent.update(with: frame)
  }

  /// Measures the known weight on the surface over the second before `now`.
  ///
  /// 0 g replaces the zero. The mean of a weight that was measured before counts.
  ///
  /// - Throws: `StepError`; the points are then unchanged.
  public mutating func measure(
    _ grams: Double, tolerance: Double? = nil, at now: Timestamp
  ) throws(StepError) {
    let point = try newPoint(grams, tolerance: tolerance, at: now)
    let others = grams == 0 ? points.filter { $0.grams > 0 } : points
    guard others.count < CalibrationFit.maximumPoints else {
      throw .calibration(.tooMany(limit: CalibrationFit.maximumPoints))
    }
    points = others + [point]
    (hasSingleZero, isCheckLast) = (false, false)
  }

  /// Compares a known weight on the surface with the points measured so far, anywhere and after any time.
  ///
  /// The date is in seconds since 1970, nil if unknown.
  ///
  /// - Throws: `StepError`; the checks are then unchanged.
  public mutating func check(
    _ grams: Double, tolerance: Double? = nil, date: Int64? = nil, at now: Timestamp
  ) throws(StepError) -> CalibrationCheck {
    let point = try newPoint(grams, tolerance: tolerance, at: now)
    let law: FittedLaw
    do throws(CalibrationError) { law = try fit().law } catch { throw .calibration(error) }
    let check = CalibrationCheck(
      grams: grams, shown: law.grams(raw: point.raw), tolerance: point.tolerance,
      place: recent.place, seconds: recent.seconds(at: now),
      heaviest: max(law.grams(raw: Double(recent.greatest)), 0), date: date)
    guard check.isUsable else { throw .calibration(.unusable(grams: grams)) }
    checks = (checks + [check]).suffix(CalibrationFit.maximumChecks)
    isCheckLast = true
    return check
  }

  /// Drops what was measured last or, if a weight is given, its last point; the zero stays.
  ///
  /// - Throws: `StepError.nothingToDrop`.
  public mutating func drop(grams: Double? = nil) throws(StepError) {
    if grams == nil, isCheckLast, !checks.isEmpty {
      checks.removeLast()
      return
    }
    let index = points.lastIndex { $0.grams > 0 && (grams == nil || $0.grams == grams) }
    guard let index else { throw .nothingToDrop }
    points.remove(at: index)
    isCheckLast = false
  }

  private func newPoint(
    _ grams: Double, tolerance: Double?, at now: Timestamp
  ) throws(StepError) -> CalibrationPoint {
    if grams == 0, recent.isEmpty, recent.emptyRaw == nil { return emptyPoint }
    var point = try recent.point(grams, over: RecentPressure.span, at: now)
    guard point.greatest < axis.maximum else { throw .calibration(.saturated(grams: grams)) }
    (point.tolerance, point.peak) = (tolerance ?? self.tolerance, recent.greatest)
    return point
  }

  /// Fits the points measured so far, and adopts the checks; the date is in seconds since 1970, nil if unknown.
  ///
  /// - Throws: `CalibrationError` if they do not make a calibration.
  public func fit(date: Int64? = nil) throws(CalibrationError) -> CalibrationFit {
    try CalibrationFit(points, axis: axis, checks: checks, date: date)
  }
}

/// What the sensor has reported since contacts began or ended.
///
/// A device at rest sends nothing, so each value is weighted by its duration.
struct RecentPressure: Sendable {
  /// How long a known weight must be at rest to be measured, in microseconds.
  static let span: Int64 = 1_000_000

  private static let capacity = 4096

  /// The change within the second that is permitted, as a fraction of the reading.
  private static let permittedChange = 0.01

  let minimum: Int32
  let isPerContact: Bool
  private var values: [(time: Timestamp, raw: Int32)] = []
  private var contacts = 0
  private(set) var place = 0.0
  private var loadedAt = Timestamp(microseconds: 0)

  /// The greatest value since the load came.
  private(set) var greatest = Int32.min

  /// The latest value of an empty surface; nil if there is none.
  private(set) var emptyRaw: Int32?

  init(minimum: Int32, isPerContact: Bool) {
    (self.minimum, self.isPerContact) = (minimum, isPerContact)
  }

  mutating func update(with frame: Frame) {
    if frame.hasBeginning || !frame.ended.isEmpty {
      values.removeAll(keepingCapacity: true)
      (loadedAt, greatest) = (frame.time, .min)
    }
    contacts = frame.contacts.count
    emptyRaw = frame.emptyRaw
    place = frame.center?.eccentricity ?? 0
    guard let raw = emptyRaw ?? frame.contacts.first?.raw, contacts <= 1 || !isPerContact else {
      return
    }
    greatest = max(greatest, raw)
    if values.last?.raw != raw { values.append((frame.time, raw)) }
    // Limits the memory for a device that sends more values than this within the span.
    guard values.count > RecentPressure.capacity else { return }
    let start = frame.time.advanced(byMicroseconds: -RecentPressure.span)
    let first = values.lastIndex { $0.time <= start } ?? 0
    values.removeFirst(max(first, values.count - RecentPressure.capacity))
  }

  var isEmpty: Bool { contacts == 0 }

  /// For how many seconds the load has been there.
  func seconds(at now: Timestamp) -> Double {
    Double(now.microseconds(since: loadedAt)) / 1_000_000
  }

  /// The mean of the time before now, of which at least `least` microseconds must have been observed.
  ///
  /// - Throws: `StepError.empty`, `.several`, `.tooShort` or `.inMotion`.
  func point(
    _ grams: Double, over least: Int64, at now: Timestamp
  ) throws(CalibrationSession.StepError) -> CalibrationPoint {
    guard contacts > 0 || emptyRaw != nil && grams == 0 else { throw .empty }
    guard let oldest = values.first else { throw .several(contacts: contacts) }
    let start = max(oldest.time, now.advanced(byMicroseconds: -RecentPressure.span))
    let span = now.microseconds(since: start)
    guard span >= least else { throw .tooShort }
    let times = (0...4).map { start.advanced(byMicroseconds: span * $0 / 4) }
    let quarters = zip(times, times.dropFirst()).map { self.mean(from: $0, to: $1) { $0 } }
    let mean = self.mean(from: start, to: now) { $0 }
    let spread = self.mean(from: start, to: now) { ($0 - mean).squared }.squareRoot()
    let recent = values[(values.lastIndex { $0.time <= start } ?? 0)...]
    // A sensor without noise sends few values; the noise of a mean of more is smaller than that of one.
    let noise = recent.count >= 20 ? 9 * spread / Double(recent.count).squareRoot() : 0
    let change = (quarters.max() ?? 0) - (quarters.min() ?? 0)
    let permitted = RecentPressure.permittedChange * (mean - Double(minimum))
    guard change <= max(2, noise, permitted) else { throw .inMotion(units: change) }
    var point = CalibrationPoint(
      grams: grams, raw: mean, spread: spread, count: recent.count,
      greatest: recent.reduce(.min) { max($0, $1.raw) })
    point.drift = (quarters[2] + quarters[3] - quarters[0] - quarters[1]) / 2
    return point
  }

  /// The mean of a function of the values from one time to another.
  private func mean(
    from start: Timestamp, to end: Timestamp, of function: (Double) -> Double
  ) -> Double {
    let ends = values.dropFirst().map(\.time) + [end]
    let area = zip(values, ends).reduce(0.0) { area, piece in
      let duration = min(piece.1, end).microseconds(since: max(piece.0.time, start))
      return area + Double(max(duration, 0)) * function(Double(piece.0.raw))
    }
    return area / Double(end.microseconds(since: start))
  }
}
