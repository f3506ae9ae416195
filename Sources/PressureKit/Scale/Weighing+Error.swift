// How wrong a reading may be.

extension Weighing {
  /// Notes where on the surface the contacts are.
  mutating func notePlace(of frame: Frame, on surface: Surface) {
    guard isLoaded else { return }
    present.contacts = surface.isPerContact ? frame.contacts.count : 1
    mayCarryTotal = frame.mayCarryTotal && surface.isPerContact
    var (places, force) = (0.0, 0.0)
    for contact in frame.contacts where !contact.isHovering {
      places += contact.force.ratio * contact.location.eccentricity
      force += contact.force.ratio
    }
    let only = frame.contacts.count == 1 ? frame.contacts[0].location.eccentricity : 0
    present.place = force > 0 ? places / force : only
  }

  func date(at time: Timestamp) -> Int64? { dateAtZero.map { $0 + time.microseconds / 1_000_000 } }

  /// The load, or its difference from a reference.
  func load(of total: Double, at time: Timestamp) -> Load {
    var load = present
    (load.grams, load.age) = (total, nil)
    if case .fitted(let law) = law, let start = law.date, let now = date(at: time) {
      load.age = Double(now) - Double(start)
    }
    let reference = memory.zeroGrams + memory.tareGrams
    guard reference != 0 || memory.reference != nil || !isLoaded else { return load }
    load.isDifference = true
    load.grams = total - reference
    guard let referred = memory.reference else { return load }
    load.crept = load.crept.map { $0 - referred.crept }
    guard let heaviestSinceReference, isLoaded else { return load }
    let removed = heaviestSinceReference - total
    load.heaviest = removed > signal.limits.range ? removed + load.grams.magnitude : nil
    return load
  }

  /// Sets the errors of the reading: of the law, of its variation, of a known drift that was not zeroed, of what firmware may
  /// have taken away, and of a total that was added up once for each contact.
  mutating func updateErrors(by law: Calibration, at total: Double) {
    guard live.status != .overWeight, !live.isDecaying else {
      return (live.errorGrams, live.repeatGrams) = (nil, nil)
    }
    let load = load(of: total, at: live.time)
    let ofReference =
      memory.reference?.noise ?? (memory.zeroGrams != 0 ? law.rounding(of: load) : 0)
    // Two readings differ by their range at most, and each from the mean by half of it.
    let noise = ofReference + noise(of: load, by: law, varying: signal.variation.ofLoad / 2)
    let ofRepetition = ofReference + self.noise(of: load, by: law, varying: signal.variation.ofMean)
    let isExact = !isLoaded && total == 0 && load.grams == 0 && memory.reference == nil
    live.errorGrams = isExact ? law.zeroWeight.error : law.error(of: load, noise: noise)
    live.repeatGrams = law.repeatability(of: load.grams, noise: ofRepetition)
    guard isLoaded else { return }
    var shift = driftDetector.knownOffset.magnitude
    shift += decayDetector.possibleLoss(of: total - memory.zeroGrams)
    if mayCarryTotal { shift += total.magnitude * (1 - 1 / Double(present.contacts)) }
    live.errorGrams? += shift
  }

  /// The variance of a reading that varies within a range, or of its rounding if it varies less, in square grams.
  private func noise(of load: Load, by law: Calibration, varying range: Double) -> Double {
    max(law.rounding(of: load), (range / SensorError.coverageFactor).squared)
  }

  /// The error of the weight shown as a number of equal pieces, in grams; nil if unknown.
  ///
  /// Without what is proportional to the weight, as that is common to all of them.
  var countingError: Double? {
    guard let law, shown.errorGrams != nil, let own = shown.repeatGrams, let net = shown.netGrams
    else { return nil }
    guard case .fitted(let fit) = law else { return own }
    let bend = fit.sensor.bendVariance(of: Load(grams: net, isDifference: true))
    return (own.squared + SensorError.coverageFactor.squared * bend).squareRoot()
  }

  /// Notes how far a tare or zero that is set now may be off: more in motion, as by then the reading varies.
  mutating func noteReferenceError() {
    guard isLoaded, let law else { return memory.reference = nil }
    let motion = signal.rest != .motion ? 0 : signal.sensorRange.range
    memory.reference = LoadReference(
      noise: noise(of: present, by: law, varying: motion), crept: present.crept ?? 0)
    heaviestSinceReference = signal.filtered
  }
}
