extension Weighing {
  /// Performs a request immediately, based on the current reading.
  mutating func perform(
    _ request: ScaleRequest, at time: Timestamp, into output: inout EventBuffer
  ) throws(ScaleError) {
    refresh(at: time)
    switch request {
    case .tare: try tare(at: time)
    case .clearTare:
      set(tare: 0)
      driftDetector.forget()
    case .zero: try zero(at: time)
    case .hold:
      guard live.grossGrams != nil else { throw .cannotWeigh }
      // A repeated request does not extend the hold, which would otherwise never end.
      if held == nil { heldUntil = time.advanced(byMicroseconds: rules.hold) }
      held = held ?? live
      held?.isHeld = true
    case .release: held = nil
    case .aim(let target):
      if target != nil, live.grossGrams == nil { throw .cannotWeigh }
      memory.target = target
      held?.target = target
    case .sample(let pieces): try sample(pieces)
    }
    evaluate(at: time, into: &output)
  }

  /// The number of pieces shown; nil without a sample.
  var pieces: Int? {
    guard let piece = memory.pieceGrams, let net = shown.netGrams else { return nil }
    return Int(exactly: (net / piece).rounded())
  }

  private mutating func tare(at time: Timestamp) throws(ScaleError) {
    guard let gross = live.grossGrams else { throw .cannotWeigh }
    guard !isOverweight else { throw .overWeight }
    set(tare: max(gross, 0))
    if isLoaded { driftDetector.watch(from: time) }
  }

  /// Releases a held reading too, so that the effect of the tare is visible.
  private mutating func set(tare: Double) {
    memory.tareGrams = tare
    driftDetector.tare(tare)
    held = nil
  }

  private mutating func zero(at time: Timestamp) throws(ScaleError) {
    guard let gross = live.grossGrams else { throw .cannotWeigh }
    guard !isOverweight else { throw .overWeight }
    let total = gross + memory.zeroGrams
    guard total.magnitude <= zeroingRange else {
      throw .farFromZero(grams: total, limit: zeroingRange)
    }
    memory.zeroGrams = total
    driftDetector.zero()
    held = nil
    if isLoaded, memory.tareGrams == 0 { driftDetector.watch(from: time) }
  }

  private mutating func sample(_ pieces: Int) throws(ScaleError) {
    let reading = shown
    guard let net = reading.netGrams else { throw .cannotWeigh }
    switch reading.status {
    case .stable where net > 0 && pieces > 0: memory.pieceGrams = net / Double(pieces)
    case .inMotion: throw .inMotion
    case .overWeight: throw .overWeight
    case .stable, .stableZero, .underZero, .rezeroNeeded, .fault, .calibrationNeeded:
      throw .nothingToCount
    }
  }
}
