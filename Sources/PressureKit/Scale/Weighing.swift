/// The scale of a device, for everything on its surface.
///
///       the reading leaves its range            in it for a window
///     ┌──────────────────────────▶ in_motion ──────────────────────┐
///     │                             ▲     │ ▲                      │
///     │                             │     │ └─ below the maximum ┐ │
///     │                             │     └─ sensor saturated    │ │
///     │                             │                 ▼          │ │
///     ├─────────────────────────────│───────────▶ over_weight ───┘ │
///     │                             │                              ▼
///     └── stable_zero    counts as zero, net     ◀─────────── at rest: which?
///     └── under_zero     below zero, net              ◀───────┤
///     └── stable         otherwise                    ◀───────┘
///
///     rezero_needed ◀── an empty surface reads something: see DriftDetector ──▶ as before
///     fault ◀── no axis, or an unusable one
///
/// At rest, a creeping reading or a tare changes the status without motion. Zero has hysteresis: it is left at the
/// configured grams and entered at half of them.
///
/// A stable reading is one of a load at rest that does not count as zero. Rest is judged by the sensor's values: a filter
/// would smooth a swinging load. If they vary by no more than noise and a vibrating table explain, it is judged by their mean
/// over the window, which is then shown; its variation widens the error. A load at rest sends no events,
/// so the scale continues by its deadline.
///
/// Functions that only read are inlined or mutating, as a call would copy the whole structure.
struct Weighing {
  var memory: ScaleMemory

  /// The current reading, whether a reading is held or not.
  var live = ScaleReading(time: Timestamp(microseconds: 0), status: .stableZero)

  /// The time at which the scale must be evaluated again; nil if there is none.
  private(set) var deadline: Timestamp?

  var rules: ScaleConfiguration
  private(set) var surface: Surface

  /// The law for grams; nil if there is no usable axis.
  var law: Calibration? { surface.calibration }
  var signal: LoadSignal
  var decayDetector: DecayDetector
  var driftDetector: DriftDetector

  /// Whether zero tracking has set a first zero.
  private var isZeroSet = false

  /// The time of the first frame; before it the load is unknown.
  private var firstFrameAt: Timestamp?

  var isLoaded = false

  /// The load of the reading, with what its error depends on.
  var present = Load(grams: 0, crept: 0)

  /// The greatest total since the last tare or zero of the load that is still there; nil if there is none.
  var heaviestSinceReference: Double?

  /// Whether each contact may carry the total.
  var mayCarryTotal = false

  /// The time since which the load has not changed, except by creep.
  private(set) var restingSince = Timestamp(microseconds: 0)

  /// Seconds since 1970 at timestamp 0; nil if unknown.
  var dateAtZero: Int64?

  /// Whether the weight of the load is unknown; see `Contact.raw`.
  private(set) var isUnknown = false

  /// Whether the sensor has reported a weight for the load, and whether it reports no pressure at all.
  private var isPressed = false
  private var isSilent = false

  /// Whether a contact is heavier than the sensor or the law can measure.
  private var isOverweight = false

  /// The net grams of the last stable reading; nil if there is none.
  private var lastStableNet: Double?

  /// The last emitted reading, rounded as on the wire.
  private var lastEmitted = ScaleReading(time: Timestamp(microseconds: 0), status: .stableZero)

  init(_ rules: ScaleConfiguration, on surface: Surface, memory: ScaleMemory) {
    self.rules = rules
    self.memory = memory
    self.memory.adopt(surface.calibration)
    self.surface = surface
    let law = surface.calibration
    signal = LoadSignal(rules, law, value: 0, at: Timestamp(microseconds: .min))
    decayDetector = DecayDetector(rules, signal.limits, law)
    driftDetector = DriftDetector(rules)
    refresh(at: live.time)
    // The initial zero is not emitted; that a scale cannot weigh is emitted with the first frame.
    if law != nil { lastEmitted = shown.rounded }
    deadline = memory.heldUntil
  }

  var shown: ScaleReading { memory.held ?? live }

  /// The time from which the filter contains only values of the device; nil before the first frame.
  ///
  /// One filter length after the first frame; a load added meanwhile extends it by one filter length.
  var settledAt: Timestamp? {
    guard law != nil else { return Timestamp(microseconds: .min) }
    guard let firstFrameAt else { return nil }
    let latest = firstFrameAt.advanced(byMicroseconds: rules.filter)
    let start = max(firstFrameAt, min(signal.changedAt, latest))
    return start.advanced(byMicroseconds: rules.filter)
  }

  /// The result of `weigh`: the held reading or the load at rest; nil if there is neither.
  ///
  /// A tared load counts too. A reading that has decayed to zero does not represent the load.
  var stable: ScaleReading? {
    guard !live.isDecaying else { return memory.held }
    let isTared = isLoaded && memory.tareGrams != 0 && live.status == .stableZero
    return memory.held ?? (lastStableNet != nil || isTared ? live : nil)
  }

  // MARK: - Surface

  mutating func update(with frame: Frame, on surface: Surface, into output: inout EventBuffer) {
    if !surface.hasSameWeighing(as: self.surface) { adopt(surface, at: frame.time) }
    isLoaded = frame.isLoaded
    isOverweight = surface.isExceeded(in: frame)
    // An unknown load is not zero: the last known one stays in the filter and is not shown.
    let hasUnknownLoad = frame.load == nil && surface.calibration != nil
    let total = frame.load?.grams ?? (hasUnknownLoad ? signal.value : 0)
    if hasUnknownLoad != isUnknown {
      isUnknown = hasUnknownLoad
      restart(with: total, at: frame.time)
    }
    if firstFrameAt == nil {
      firstFrameAt = frame.time
      signal.begin(with: total, at: frame.time)
    }
    notePlace(of: frame, on: surface)
    signal.push(total, at: frame.time)
    // Time at rest of an empty surface does not count for a load, however slowly that is added.
    if isLoaded, total != 0, !isPressed { signal.restartRest(at: frame.time) }
    isPressed = isLoaded && (isPressed || total != 0) && !isUnknown
    isSilent = frame.greatestRatio == 0
    driftDetector.updateContacts(isEmpty: !isLoaded, at: frame.time)
    // A contact that hovered is put down again.
    let isOther = !isLoaded || !frame.ended.isEmpty || frame.hasBeginning
    if isOther { decayDetector.restart(at: frame.time) }
    evaluate(at: frame.time, into: &output)
  }

  mutating func configure(_ rules: ScaleConfiguration, at time: Timestamp) {
    guard rules != self.rules else { return }
    self.rules = rules
    restart(with: signal.value, at: time)
  }

  /// Applies a changed surface while it is empty, and emits the reading if that changes.
  mutating func adopt(_ surface: Surface, at time: Timestamp, into output: inout EventBuffer) {
    guard !surface.hasSameWeighing(as: self.surface) else { return }
    adopt(surface, at: time)
    evaluate(at: time, into: &output)
  }

  /// A new law changes the meaning of grams: zero, tare and a held reading are invalid with it.
  private mutating func adopt(_ surface: Surface, at time: Timestamp) {
    let former = law
    self.surface = surface
    guard law != former else { return }
    memory.adopt(law)
    // An estimate learns its range while nothing is on the surface.
    let isLearned = law?.source == .nominal && former?.source == .nominal
    guard !isLearned, law?.converts(as: former) != true else { return }
    present.heaviest = nil
    restart(with: 0, at: time)
  }

  /// Starts with other rules or another law for grams, or when a load becomes known or unknown.
  private mutating func restart(with value: Double, at time: Timestamp) {
    signal = LoadSignal(rules, law, value: value, at: time)
    decayDetector = DecayDetector(rules, signal.limits, law)
    decayDetector.restart(at: time)
    driftDetector = DriftDetector(rules)
    present.crept = 0
    lastStableNet = nil
  }

  // MARK: - Time

  mutating func evaluate(at time: Timestamp, into output: inout EventBuffer) {
    refresh(at: time)
    memory.releaseHold(at: time)
    let isNewStable = noteStableReading() && memory.held == nil
    let reading = shown.at(time)
    let rounded = reading.rounded
    lastEmitted.time = time
    if rounded != lastEmitted || isNewStable {
      lastEmitted = rounded
      output.emit(.scale(reading, isNewStable: isNewStable), at: time)
    }
    var next = memory.heldUntil ?? .never
    if law != nil {
      next = min(next, signal.deadline(after: time), driftDetector.deadline(after: time) ?? .never)
    }
    deadline = next == .never ? nil : next
  }

  // MARK: - Reading

  mutating func refresh(at time: Timestamp) {
    let seconds = Double(time.microseconds(since: live.time)) / 1_000_000
    live.time = time
    (live.tareGrams, live.target) = (memory.tareGrams, memory.target)
    guard let law, !isUnknown else {
      (live.grossGrams, live.rate, live.errorGrams, live.repeatGrams) = (nil, nil, nil, nil)
      (live.status, live.isDecaying) = (law == nil ? .fault : .inMotion, false)
      return
    }
    signal.advance(to: time)
    if rules.autoZero, !isLoaded { trackZero(after: seconds) }
    // What rests only in the mean of a window is shown as that mean.
    let total = signal.rest == .vibrating ? signal.level : signal.filtered
    live.grossGrams = total - memory.zeroGrams
    // On a slope each mean lags by half of its span.
    live.rate = (signal.filtered - signal.level) / Double(rules.trend - rules.filter) * 2_000_000
    noteLoad(total, after: seconds)
    if isLoaded {
      decayDetector.evaluate(signal, above: memory.zeroGrams, isSilent: isSilent, at: time)
    }
    live.isDecaying = isLoaded && decayDetector.isDecaying
    let limit = max(rules.zeroGrams, law.zeroWeight.error ?? 0)
    driftDetector.evaluate(signal.level - memory.zeroGrams, limit: limit, at: time)
    live.status = status(of: total)
    updateErrors(by: law, at: total)
  }

  /// Notes how heavy the load has been, and since when it has not been moved.
  private mutating func noteLoad(_ total: Double, after seconds: Double) {
    present.creep(for: seconds)
    present.grams = isLoaded ? total : 0
    guard isLoaded else {
      return (present.heaviest, restingSince, heaviestSinceReference) = (nil, live.time, nil)
    }
    present.heaviest = max(present.heaviest ?? 0, total)
    heaviestSinceReference = heaviestSinceReference.map { max($0, total) }
    let moved = max(signal.limits.vibration, Weighing.movedPart * total)
    if signal.sensorRange.range > moved { restingSince = live.time }
  }

  /// A change within a window that is more than creep, as a fraction of the load.
  private static let movedPart = 0.03

  /// Whether a load beyond the heaviest known weight never read more than it does, which is constant for half of a window: a
  /// sensor that clips cannot read more, while a hand presses on what it puts down.
  @inline(__always)
  private func isClipped(_ total: Double) -> Bool {
    guard isLoaded, present.contacts == 1,
      signal.changedAt.advanced(byMicroseconds: rules.settlingTime / 2) <= live.time,
      case .fitted(let law) = law, law.breakpoints.contains(where: \.isNoiseVisible)
    else { return false }
    return total > law.heaviest && present.heaviest ?? 0 < total * (1 + 1e-9)
  }

  /// Follows the reading of an empty surface at rest, by at most half a division a second.
  ///
  /// The first zero is set at once. OIML R 76 limits both in this way.
  private mutating func trackZero(after seconds: Double) {
    let total = signal.filtered
    guard firstFrameAt != nil, signal.rest != .motion,
      total.magnitude <= surface.zeroingRange(rules)
    else { return }
    // The division is 0.1 g as on the wire, or a unit of the sensor if that is larger.
    let most = isZeroSet ? max(seconds, 0) * max(signal.limits.step, 0.1) / 2 : .infinity
    memory.zeroGrams += min(max(total - memory.zeroGrams, -most), most)
    isZeroSet = true
  }

  @inline(__always)
  private func status(of total: Double) -> WeighingStatus {
    if isOverweight || isClipped(total) { return .overWeight }
    if driftDetector.hasDrifted { return .rezeroNeeded }
    guard signal.rest != .motion else { return .inMotion }
    let (net, last) = (total - memory.zeroGrams - memory.tareGrams, live.status)
    let wasOther = last == .stable || last == .underZero || last == .rezeroNeeded
    if net.magnitude <= (wasOther ? rules.zeroGrams / 2 : rules.zeroGrams) { return .stableZero }
    // An empty surface that reads something needs a new zero, or was not observed for long enough.
    if !isLoaded, memory.tareGrams == 0 {
      return driftDetector.deadline(after: live.time) == nil ? .stableZero : .inMotion
    }
    return net < 0 ? .underZero : .stable
  }

  /// Stores a stable reading that differs from the last one; returns whether there is one.
  private mutating func noteStableReading() -> Bool {
    guard isLoaded, !live.isDecaying, live.status == .stable || live.status == .underZero,
      let net = live.netGrams
    else {
      lastStableNet = nil
      return false
    }
    if let lastStableNet, (net - lastStableNet).magnitude <= signal.limits.range { return false }
    lastStableNet = net
    memory.note(live)
    return true
  }
}
