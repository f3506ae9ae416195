/// A calibration in progress: known weights are measured one after another.
///
///     begin ──▶ point … point ──▶ finish
///
/// Until it is finished, the device keeps its previous calibration.
public struct CalibrationSession: Sendable {
  /// The tolerance of known weights, as a fraction, unless a point has its own.
  private let tolerance: Double

  private let axis: Axis
  private let isPerContact: Bool

  /// What the sensor has reported since contacts began or ended; each value lasts until the next one.
  private var values: [(time: Timestamp, raw: Int32)] = []
  private var frame: Frame
  private var loadedAt = Timestamp(microseconds: 0)

  /// The greatest value since the load came.
  private var greatest = Int32.min

  /// How long a known weight must be at rest to be measured, in microseconds.
  private static let span: Int64 = 1_000_000

  /// The change within that time that is permitted, as a fraction of the reading.
  private static let permittedChange = 0.01

  /// Limits the memory for a device that sends more values than this within the span.
  private static let capacity = 4096

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
  /// - Throws: `CalibrationError.noPressure`.
  public init(
    _ surface: Surface, frame: Frame, tolerance: Double = CalibrationPoint.defaultTolerance
  ) throws(CalibrationError) {
    guard let pressure = surface.pressure, surface.capability != .broken else { throw .noPressure }
    self.tolerance = tolerance
    (axis, isPerContact, self.frame) = (pressure.axis, surface.isPerContact, frame)
    hasSingleZero = frame.contacts.isEmpty && frame.emptyRaw != nil
    update(with: frame)
    if frame.contacts.isEmpty { points = [emptyPoint] }
  }

  /// If the sensor sends nothing on an empty surface, pressure begins at the axis's minimum.
  private var emptyPoint: CalibrationPoint {
    let raw = frame.emptyRaw ?? axis.minimum
    var point = CalibrationPoint(grams: 0, raw: Double(raw), spread: 0, count: 1, greatest: raw)
    point.isAssumed = frame.emptyRaw == nil
    return point
  }

  /// Adds a frame; must be called for every frame of the device.
  public mutating func update(with frame: Frame) {
    if hasSingleZero, !frame.contacts.isEmpty {
      hasSingleZero = false
      if let zero = try? mean(0, over: 1, at: frame.time) { points = [zero] }
    }
    self.frame = frame
    if frame.hasBeginning || !frame.ended.isEmpty {
      values.removeAll(keepingCapacity: true)
      (loadedAt, greatest) = (frame.time, .min)
    }
    guard let raw = frame.emptyRaw ?? frame.contacts.first?.raw,
      frame.contacts.count <= 1 || !isPerContact
    else { return }
    greatest = max(greatest, raw)
    if values.last?.raw != raw { values.append((frame.time, raw)) }
    let start = frame.time.advanced(byMicroseconds: -CalibrationSession.span)
    let past = values.lastIndex { $0.time <= start } ?? 0
    values.removeFirst(max(past, values.count - CalibrationSession.capacity))
  }

  /// Measures the known weight on the surface over the second before `now`.
  ///
  /// 0 g replaces the zero. The mean of a weight that was measured before counts.
  ///
  /// - Throws: `CalibrationError`; the points are then unchanged.
  public mutating func measure(
    _ grams: Double, tolerance: Double? = nil, at now: Timestamp
  ) throws(CalibrationError) {
    let point = try newPoint(grams, tolerance: tolerance, at: now)
    let others = grams == 0 ? points.filter { $0.grams > 0 } : points
    guard others.count < CalibrationFit.maximumPoints else {
      throw .tooMany(limit: CalibrationFit.maximumPoints)
    }
    points = others + [point]
    (hasSingleZero, isCheckLast) = (false, false)
  }

  /// Compares a known weight on the surface with the points measured so far, anywhere and after any time.
  ///
  /// The date is in seconds since 1970, nil if unknown.
  ///
  /// - Throws: `CalibrationError`; the checks are then unchanged.
  public mutating func check(
    _ grams: Double, tolerance: Double? = nil, date: Int64? = nil, at now: Timestamp
  ) throws(CalibrationError) -> CalibrationCheck {
    let point = try newPoint(grams, tolerance: tolerance, at: now)
    let fit = try fit()
    let check = CalibrationCheck(
      grams: grams, shown: fit.grams(raw: point.raw), tolerance: point.tolerance,
      place: frame.center?.eccentricity ?? 0,
      seconds: Double(now.microseconds(since: loadedAt)) / 1_000_000,
      heaviest: max(fit.grams(raw: Double(greatest)), 0), date: date)
    guard check.isUsable else { throw .unusable(grams: grams) }
    checks = (checks + [check]).suffix(CalibrationFit.maximumChecks)
    isCheckLast = true
    return check
  }

  /// Drops what was measured last or, if a weight is given, its last point; the zero stays.
  ///
  /// - Throws: `CalibrationError.nothingToDrop`.
  public mutating func drop(grams: Double? = nil) throws(CalibrationError) {
    if grams == nil, isCheckLast, checks.popLast() != nil { return }
    let index = points.lastIndex { $0.grams > 0 && (grams == nil || $0.grams == grams) }
    guard let index else { throw .nothingToDrop }
    points.remove(at: index)
    isCheckLast = false
  }

  private func newPoint(
    _ grams: Double, tolerance: Double?, at now: Timestamp
  ) throws(CalibrationError) -> CalibrationPoint {
    if grams == 0, frame.contacts.isEmpty, frame.emptyRaw == nil { return emptyPoint }
    var point = try mean(grams, over: CalibrationSession.span, at: now)
    guard point.greatest < axis.maximum else { throw .saturated(grams: grams) }
    (point.tolerance, point.peak) = (tolerance ?? self.tolerance, greatest)
    return point
  }

  /// Fits the points measured so far, and adopts the checks; the date is in seconds since 1970, nil if unknown.
  ///
  /// - Throws: `CalibrationError` if they do not make a calibration.
  public func fit(date: Int64? = nil) throws(CalibrationError) -> CalibrationFit {
    try CalibrationFit(points, axis: axis, checks: checks, date: date)
  }

  // MARK: - Values

  /// The mean of the time before now, of which at least `least` microseconds must have been observed.
  ///
  /// - Throws: `CalibrationError.empty`, `.several`, `.tooShort` or `.inMotion`.
  private func mean(
    _ grams: Double, over least: Int64, at now: Timestamp
  ) throws(CalibrationError) -> CalibrationPoint {
    guard !frame.contacts.isEmpty || frame.emptyRaw != nil && grams == 0 else { throw .empty }
    guard let oldest = values.first else { throw .several(contacts: frame.contacts.count) }
    let start = max(oldest.time, now.advanced(byMicroseconds: -CalibrationSession.span))
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
    let permitted = CalibrationSession.permittedChange * (mean - Double(axis.minimum))
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
