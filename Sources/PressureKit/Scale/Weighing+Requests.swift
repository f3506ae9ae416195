extension Weighing {
  mutating func perform(
    _ request: ScaleRequest, at time: Timestamp, into output: inout EventBuffer
  ) throws(ScaleError) {
    refresh(at: time)
    switch request {
    case .tare, .zero:
      guard let gross = live.grossGrams else { throw noReadingError }
      guard live.status != .overWeight else { throw .overWeight }
      if request == .zero { try zero(gross + memory.zeroGrams, at: time) }
      noteReferenceError()
      if request == .tare { set(tare: max(gross, 0)) }
    case .clearTare:
      set(tare: 0)
      if memory.zeroGrams == 0 { memory.reference = nil }
    case .hold:
      guard live.grossGrams != nil else { throw noReadingError }
      // A repeated request does not extend the hold, which would otherwise never end.
      guard memory.held == nil else { break }
      memory.held = live
      memory.held?.isHeld = true
    case .release: memory.held = nil
    case .aim(let target):
      if target != nil, live.grossGrams == nil { throw noReadingError }
      memory.target = target
      memory.held?.target = target
    case .sample(let pieces): try sample(pieces)
    }
    evaluate(at: time, into: &output)
  }

  var pieces: Int? {
    guard let piece = memory.pieceGrams, let net = shown.netGrams else { return nil }
    return Int(exactly: (net / piece).rounded())
  }

  /// What is proportional to the weight is common to the sample and the pieces; the error of the sample counts as often as it
  /// goes into the pieces.
  var piecesError: Double? {
    guard let piece = memory.pieceGrams, piece > 0, let sample = memory.sampleError,
      let net = shown.netGrams, let error = countingError
    else { return nil }
    let ofSample = sample * net / piece
    return (error * error + ofSample * ofSample).squareRoot() / piece
  }

  var reasonForNoReading: String {
    func tenths(_ grams: Double) -> String { grams.shortDescription(decimals: 1) }
    let status = "the scale is \(live.status.rawValue)"
    if live.isDecaying { return status + ": the reading decays, although the load stays" }
    switch live.status {
    case .inMotion where isUnknown: return "the weight of the load is unknown"
    case .inMotion:
      let (range, limit) = (signal.sensorRange.range, signal.limits.range)
      return status
        + ": its readings varied by \(tenths(range)) g within the last window, and rest permits \(tenths(limit)) g"
    case .stableZero: return status + ": nothing heavier than zero_grams is on it"
    case .overWeight: return status + ": the load exceeds the range of the sensor"
    case .rezeroNeeded: return status + ": its zero has drifted; send zero when it is empty"
    case .fault, .stable, .underZero, .calibrationNeeded: return status
    }
  }

  private var noReadingError: ScaleError { law == nil ? .cannotWeigh : .unknownLoad }

  /// Releases a held reading too, so that the effect of the tare is visible.
  private mutating func set(tare: Double) {
    memory.tareGrams = tare
    driftDetector.tare(tare)
    memory.held = nil
  }

  private mutating func zero(_ total: Double, at time: Timestamp) throws(ScaleError) {
    let limit = surface.zeroingRange(rules)
    guard total.magnitude <= limit else { throw .farFromZero(grams: total, limit: limit) }
    memory.zeroGrams = total
    driftDetector.zero()
    decayDetector.restart(at: time)
    memory.held = nil
  }

  private mutating func sample(_ pieces: Int) throws(ScaleError) {
    guard let net = shown.netGrams else { throw noReadingError }
    switch shown.status {
    case .stable where net > 0 && pieces > 0:
      memory.pieceGrams = net / Double(pieces)
      memory.sampleError = countingError.map { $0 / Double(pieces) }
    case .inMotion: throw .inMotion
    case .overWeight: throw .overWeight
    case .stable, .stableZero, .underZero, .rezeroNeeded, .fault, .calibrationNeeded:
      throw .nothingToCount
    }
  }

  /// Compares the stable reading with a known weight.
  func check(
    of grams: Double, tolerance: Double?, at time: Timestamp
  ) throws(ScaleError) -> CalibrationCheck {
    guard case .fitted = law else { throw law == nil ? .cannotWeigh : .notCalibrated }
    guard let shown = live.netGrams else { throw .unknownLoad }
    guard live.status != .overWeight else { throw .overWeight }
    guard isLoaded, !live.isDecaying, live.status != .stableZero else { throw .nothingToCheck }
    guard live.status == .stable else { throw .inMotion }
    let total = shown + memory.tareGrams + memory.zeroGrams
    let check = CalibrationCheck(
      grams: grams, shown: shown, tolerance: tolerance ?? CalibrationPoint.defaultTolerance,
      place: present.place, seconds: Double(time.microseconds(since: restingSince)) / 1_000_000,
      heaviest: load(of: total, at: time).heaviest ?? 0, date: date(at: time))
    guard check.isUsable else { throw .unusableWeight(grams: grams) }
    return check
  }
}
