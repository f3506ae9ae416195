/// A device's scale, over all that lies on it.
///
///       the reading leaves its range            in it for a window
///     ┌──────────────────────────▶ in_motion ──────────────────────┐
///     │                             ▲     │ ▲                      │
///     │                             │     │ └─── below the end ──┐ │
///     │                             │     └─ at the sensor's end │ │
///     │                             │                 ▼          │ │
///     ├─────────────────────────────│───────────▶ over_weight ───┘ │
///     │                             │                              ▼
///     └── stable_zero    as good as nothing, net ◀─────────── at rest: which?
///     └── under_zero     less than nothing, net      ◀───────┤
///     └── stable         all else                      ◀─────┘
///
///     rezero_needed ◀── what weighs nothing reads something, at rest or not: see DriftDetector ──▶ as before
///     fault ◀── no axis, or one that says nothing ── any ── no law for grams ──▶ calibration_needed
///
/// At rest it goes from one state to another without motion where the reading creeps, or somebody tares.
/// What is as good as nothing has hysteresis: it is left at the configured grams and reached at half.
///
/// A stable reading is one of something that lies there, at rest and not as good as nothing. Rest is
/// judged by what the sensor says, not by what the filter makes of it: a filter would calm a load that
/// swings. A load at rest sends no events, so the scale goes on by its deadline.
///
/// What only looks at it is put where it is called, as all of it would be copied for a call.
struct Weighing {
  private enum Sensor: Hashable {
    /// There is no axis, or it says nothing.
    case faulty
    /// There is no law for it.
    case uncalibrated
    /// It weighs.
    case weighing(Calibration)
  }

  private(set) var memory: ScaleMemory

  /// What is so now, whether the reading is held or not.
  private(set) var live: ScaleReading

  /// When it goes on by itself, or nil.
  private(set) var deadline: Timestamp?

  private var rules: ScaleConfiguration

  /// What it stands on, and what that can weigh by.
  private var surface: Surface
  private var sensor: Sensor
  private var zeroingRange: Double
  private var stability: StabilityWindow
  private var filter: MovingMean
  private var trend: MovingMean
  private var decayDetector: DecayDetector
  private var driftDetector: DriftDetector
  private var changedAt = Timestamp(microseconds: .min)

  /// The time of the first frame; before it nothing is known of what lies there.
  private var firstFrameAt: Timestamp?

  private var isLoaded = false

  /// Whether what lies there weighs anything, by the sensor.
  private var isPressed = false
  private var isOverweight = false

  /// The net grams of the last stable reading, while there is one.
  private var lastStableNet: Double?

  private var held: ScaleReading?

  /// When what is held is released by itself.
  private var heldUntil = Timestamp.never

  /// What was said last, to the digits that are said.
  private var lastEmitted: ScaleReading

  init(_ rules: ScaleConfiguration, on surface: Surface, memory: ScaleMemory) {
    self.rules = rules
    self.memory = memory
    self.memory.adopt(GramLaw(surface))
    self.surface = surface
    sensor = Weighing.sensor(of: surface)
    zeroingRange = surface.zeroingRange(rules)
    stability = StabilityWindow(range: rules.rangeGrams, value: 0)
    filter = MovingMean(spanMicroseconds: rules.filter, value: 0)
    trend = MovingMean(spanMicroseconds: rules.trend, value: 0)
    decayDetector = DecayDetector(rules)
    driftDetector = DriftDetector(rules)
    live = ScaleReading(at: Timestamp(microseconds: 0), memory: self.memory)
    lastEmitted = live
    refresh(at: live.time)
    // A scale begins at zero, which goes without saying; that it cannot weigh is said with the first frame.
    if case .weighing = sensor { lastEmitted = live.rounded }
  }

  /// What is shown: the reading, or the one that is held.
  var shown: ScaleReading { held ?? live }

  /// From when on the filter has seen only what the device has reported; nil before the first frame.
  ///
  /// One filter length after the first frame. A load that is laid on meanwhile gets one more.
  var settledAt: Timestamp? {
    guard case .weighing = sensor else { return Timestamp(microseconds: .min) }
    guard let firstFrameAt else { return nil }
    let latest = firstFrameAt.advanced(byMicroseconds: rules.filter)
    return max(firstFrameAt, min(stability.since, latest)).advanced(byMicroseconds: rules.filter)
  }

  /// What `weigh` answers: the reading that is held, or what lies there at rest; nil if neither.
  ///
  /// What was tared lies there too. A reading that has decayed to nothing says nothing of what lies there.
  var stable: ScaleReading? {
    if let held { return held }
    let isTared =
      isLoaded && memory.tareGrams != 0 && live.status == .stableZero && !live.isDecaying
    return lastStableNet != nil || isTared ? live : nil
  }

  private static func sensor(of surface: Surface) -> Sensor {
    if let law = surface.calibration { return .weighing(law) }
    switch surface.capability {
    case .none, .broken: return .faulty
    case .force, .size: return .uncalibrated
    }
  }
}

// MARK: - The surface

extension Weighing {
  /// Follows all that lies there through a frame.
  mutating func update(with frame: Frame, on surface: Surface, into output: inout EventBuffer) {
    adopt(surface, at: frame.time)
    if firstFrameAt == nil { firstFrameAt = frame.time }
    isLoaded = frame.isLoaded
    isOverweight = surface.isExceeded(by: frame.contacts.span)
    let total = frame.load?.grams ?? 0
    if total != stability.value {
      stability.push(total, at: frame.time)
      filter.push(total, at: frame.time)
      trend.push(total, at: frame.time)
      changedAt = frame.time
    }
    // The rest of a bare surface says nothing of what is laid on it, however gently that begins.
    if isLoaded, total != 0, !isPressed { stability.restart(with: total, at: frame.time) }
    isPressed = isLoaded && total != 0
    let isOther = !frame.ended.isEmpty || frame.hasBeginning
    driftDetector.updateContacts(isEmpty: !isLoaded, isOther: isOther, at: frame.time)
    if isLoaded, !isOther {
      decayDetector.push(total - memory.zeroGrams, at: frame.time)
    } else {
      decayDetector.restart(with: total - memory.zeroGrams, at: frame.time)
    }
    evaluate(at: frame.time, into: &output)
  }

  /// Weighs by other rules from the next touch on, which begins now.
  mutating func configure(_ rules: ScaleConfiguration, on surface: Surface, at time: Timestamp) {
    guard rules != self.rules else { return }
    self.rules = rules
    zeroingRange = surface.zeroingRange(rules)
    let value = stability.value
    stability = StabilityWindow(range: rules.rangeGrams, value: value)
    filter = MovingMean(spanMicroseconds: rules.filter, value: value)
    trend = MovingMean(spanMicroseconds: rules.trend, value: value)
    decayDetector = DecayDetector(rules)
    driftDetector = DriftDetector(rules)
    restart(with: value, at: time)
  }

  /// Weighs by what a bare surface has become, and reports what is another reading with that.
  mutating func adopt(_ surface: Surface, at time: Timestamp, into output: inout EventBuffer) {
    guard !surface.hasSameWeighing(as: self.surface) else { return }
    adopt(surface, at: time)
    evaluate(at: time, into: &output)
  }

  /// The grams of another law are other grams: zero, tare and what is held would be wrong by it.
  private mutating func adopt(_ surface: Surface, at time: Timestamp) {
    guard !surface.hasSameWeighing(as: self.surface) else { return }
    self.surface = surface
    zeroingRange = surface.zeroingRange(rules)
    let sensor = Weighing.sensor(of: surface)
    let law = GramLaw(surface)
    guard sensor != self.sensor || law != nil && law != memory.law else { return }
    self.sensor = sensor
    memory.adopt(law)
    memory.zeroGrams = 0
    held = nil
    restart(with: 0, at: time)
  }

  private mutating func restart(with value: Double, at time: Timestamp) {
    stability.restart(with: value, at: time)
    filter.restart(with: value)
    trend.restart(with: value)
    decayDetector.restart(with: value - memory.zeroGrams, at: time)
    driftDetector.restart()
    lastStableNet = nil
  }
}

// MARK: - The time

extension Weighing {
  /// Does what was to be done at the deadline, if it is this one's.
  mutating func deadlineReached(_ deadline: Timestamp, into output: inout EventBuffer) {
    if deadline == self.deadline { evaluate(at: deadline, into: &output) }
  }

  /// Looks at what is so now, says what is new of it, and when to look again.
  private mutating func evaluate(at time: Timestamp, into output: inout EventBuffer) {
    refresh(at: time)
    if held != nil, time >= heldUntil { held = nil }
    let isNewStable = noteStableReading()
    emitIfChanged(at: time, isNewStable: isNewStable, into: &output)
    deadline = nextDeadline(after: time)
  }

  @inline(__always)
  private func nextDeadline(after time: Timestamp) -> Timestamp? {
    guard case .weighing = sensor else { return held == nil ? nil : heldUntil }
    let atRest = stability.since.advanced(byMicroseconds: rules.settlingTime)
    let filtered = changedAt.advanced(byMicroseconds: rules.filter)
    let level = changedAt.advanced(byMicroseconds: rules.trend)
    var next = min(
      future(atRest, after: time), future(filtered, after: time), future(level, after: time))
    if let decayed = decayDetector.deadline(after: time) { next = min(next, decayed) }
    if let bare = driftDetector.deadline(after: time) { next = min(next, bare) }
    if held != nil { next = min(next, heldUntil) }
    return next == .never ? nil : next
  }

  private func future(_ deadline: Timestamp, after time: Timestamp) -> Timestamp {
    deadline > time ? deadline : .never
  }

  private func isAtRest(at time: Timestamp) -> Bool {
    stability.since.advanced(byMicroseconds: rules.settlingTime) <= time
  }
}

// MARK: - The reading

extension Weighing {
  private mutating func refresh(at time: Timestamp) {
    live.time = time
    guard case .weighing(let law) = sensor else {
      (live.grossGrams, live.rate, live.errorGrams) = (nil, nil, nil)
      (live.status, live.isDecaying) = (sensor == .faulty ? .fault : .calibrationNeeded, false)
      return copyMemory()
    }
    let total = filter.mean(at: time)
    if rules.autoZero, !isLoaded, isAtRest(at: time), total.magnitude <= zeroingRange {
      memory.zeroGrams = total
    }
    let gross = total - memory.zeroGrams
    live.grossGrams = gross
    let level = trend.mean(at: time)
    live.rate = rate(filtered: total, level: level)
    live.isDecaying = isLoaded && decayDetector.isDecaying(at: time)
    updateDrift(by: law, level: level, at: time)
    live.errorGrams = error(by: law, at: total)
    live.status = status(of: gross, isAtRest: isAtRest(at: time))
    copyMemory()
  }

  private mutating func updateDrift(by law: Calibration, level: Double, at time: Timestamp) {
    let nothing = memory.zeroGrams + (isLoaded ? memory.tareGrams : 0)
    let error = law.errorGrams(at: nothing, since: nothing)
    driftDetector.evaluate(level - nothing, error: error, at: time)
  }

  /// What the law says, and a drift that is known and that nobody has set to zero.
  @inline(__always)
  private func error(by law: Calibration, at total: Double) -> Double? {
    let drift = isLoaded ? driftDetector.knownOffset.magnitude : 0
    return law.errorGrams(at: total, since: memory.zeroGrams + memory.tareGrams).map { $0 + drift }
  }

  private mutating func copyMemory() {
    live.tareGrams = memory.tareGrams
    live.target = memory.target
  }

  /// On a slope each mean is behind by half its span, so their difference over that of the halves is it.
  private func rate(filtered: Double, level: Double) -> Double {
    let lag = Double(rules.trend - rules.filter) / 2
    return (filtered - level) / lag * 1_000_000
  }

  @inline(__always)
  private func status(of gross: Double, isAtRest: Bool) -> WeighingStatus {
    if isOverweight { return .overWeight }
    if driftDetector.hasDrifted { return .rezeroNeeded }
    guard isAtRest else { return .inMotion }
    let net = gross - memory.tareGrams
    if isZero(net) { return .stableZero }
    // A bare surface that reads something is either in need of a new zero, or not looked at for long enough.
    if !isLoaded, memory.tareGrams == 0 {
      return driftDetector.deadline(after: live.time) == nil ? .stableZero : .inMotion
    }
    return net < 0 ? .underZero : .stable
  }

  private func isZero(_ grams: Double) -> Bool {
    switch live.status {
    case .stable, .underZero, .rezeroNeeded: grams.magnitude <= rules.zeroGrams / 2
    case .fault, .stableZero, .inMotion, .overWeight, .calibrationNeeded:
      grams.magnitude <= rules.zeroGrams
    }
  }

  /// Remembers a stable reading that is another one than the last; true where there is one.
  private mutating func noteStableReading() -> Bool {
    guard isLoaded, live.status == .stable || live.status == .underZero, let net = live.netGrams
    else {
      lastStableNet = nil
      return false
    }
    if let lastStableNet, (net - lastStableNet).magnitude <= rules.rangeGrams { return false }
    lastStableNet = net
    memory.note(live)
    return true
  }

  private mutating func emitIfChanged(
    at time: Timestamp, isNewStable: Bool, into output: inout EventBuffer
  ) {
    var reading = shown
    reading.time = time
    let rounded = reading.rounded
    lastEmitted.time = time
    guard rounded != lastEmitted || (isNewStable && held == nil) else { return }
    lastEmitted = rounded
    output.emit(.scale(reading, isNewStable: isNewStable && held == nil), at: time)
  }
}

extension ScaleReading {
  /// A reading of nothing.
  fileprivate init(at time: Timestamp, memory: ScaleMemory) {
    self.init(
      time: time, status: .stableZero, grossGrams: nil, tareGrams: memory.tareGrams,
      errorGrams: nil, rate: nil, isHeld: false, isDecaying: false, target: memory.target)
  }
}

// MARK: - Requests

extension Weighing {
  /// Does what is asked for at once, from what is so now.
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
      // Once more does not extend it: it would never end.
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

  /// How many pieces of the sample's kind are shown; nil without a sample.
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

  /// Whoever tares wants to see that.
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

extension Timestamp {
  /// Later than all that happens.
  fileprivate static let never = Timestamp(microseconds: .max)
}
