// How wrong a reading may be.

extension Weighing {
  /// Notes where on the law and on the surface the contacts are.
  @inline(__always)
  mutating func noteErrors(of frame: Frame, on surface: Surface) {
    guard isLoaded, let law else { return }
    guard frame.contacts.count > 1 else {
      local = nil
      place = frame.contacts[0].location.eccentricity
      return
    }
    noteErrors(of: frame.contacts, areSummed: surface.isPerContact, by: law)
  }

  @inline(never)
  private mutating func noteErrors(of contacts: [Contact], areSummed: Bool, by law: Calibration) {
    var sum = FittedLaw.LocalError()
    var (places, force) = (0.0, 0.0)
    for contact in contacts where !contact.isHovering {
      if let grams = contact.weight?.grams { sum += law.local(at: grams) }
      places += contact.force.ratio * contact.location.eccentricity
      force += contact.force.ratio
    }
    local = areSummed ? sum : nil
    place = force > 0 ? places / force : 0
  }

  func date(at time: Timestamp) -> Int64? { dateAtZero.map { $0 + time.microseconds / 1_000_000 } }

  func conditions(at time: Timestamp) -> LoadConditions {
    var age: Double?
    if case .fitted(let law) = law, let start = law.date, let now = date(at: time) {
      age = Double(now - start)
    }
    return LoadConditions(
      place: place, crept: crept, heaviest: heaviestLoad, age: age)
  }

  /// Sets the errors of the reading: of the law, of what the filter leaves of a vibration, of a known drift that was not
  /// zeroed, and of what firmware may have taken away.
  mutating func updateErrors(by law: Calibration, at total: Double, variation: Double) {
    guard !isBeyondRange, !live.isDecaying else {
      return (live.errorGrams, live.repeatGrams) = (nil, nil)
    }
    var here = local ?? law.local(at: total)
    let conditions = conditions(at: live.time)
    let reference = memory.zeroGrams + memory.tareGrams
    let net = total - reference
    var error: Double?
    if let referred = memory.reference {
      here += referred.local
      error = law.error(
        ofNet: net, here, remainder: heaviestSinceReference == nil ? referred.remainder : 0,
        in: relative(conditions, net: net, total: total))
    } else if reference != 0 {
      here += law.local(at: reference)
      error = law.error(ofNet: net, here, remainder: 0, in: conditions)
    } else if isLoaded {
      error = law.error(of: total, here, in: conditions)
    } else {
      error =
        total == 0
        ? law.zeroWeight.error : law.error(ofNet: total, here, remainder: 0, in: conditions)
    }
    let vibration = max(0, variation / 2 - 1.2 * limits.noise)
    live.repeatGrams = law.repeatability(of: net, here).map {
      ($0 * $0 + vibration * vibration).squareRoot()
    }
    let shift = isLoaded ? driftDetector.knownOffset.magnitude + decayDetector.possibleLoss : 0
    live.errorGrams = error.map { ($0 * $0 + vibration * vibration).squareRoot() + shift }
  }

  /// The same conditions for the part that was added to a reference, or taken from it.
  private func relative(
    _ conditions: LoadConditions, net: Double, total: Double
  ) -> LoadConditions {
    var conditions = conditions
    conditions.crept = crept - (memory.reference?.crept ?? 0)
    guard let heaviestSinceReference, isLoaded else { return conditions }
    let removed = heaviestSinceReference - total
    conditions.heaviest =
      removed > limits.range ? removed + AssumedError.pressing * net.magnitude : 0
    return conditions
  }

  /// The error of the weight shown as a number of pieces, without what is proportional to it; nil if unknown.
  var countingError: Double? {
    guard let law, shown.errorGrams != nil, let own = shown.repeatGrams, let net = shown.netGrams
    else { return nil }
    return law.countingError(of: net, repeating: own)
  }

  /// Notes how far a tare or zero that is set now may be off: more in motion, as by then the reading varies.
  mutating func noteReferenceError(at time: Timestamp) {
    guard isLoaded, let law else { return forgetReference() }
    let total = filter.mean(at: time)
    var local = local ?? law.local(at: total)
    let motion = isAtRest(at: time) ? 0 : ranges.sensor.range / FittedLaw.coverageFactor
    local.noise += motion * motion
    memory.reference = LoadReference(
      local: local, crept: crept,
      remainder: AssumedError.ofRemainder(of: heaviestLoad, in: total))
    heaviestSinceReference = total
  }

  /// Readings are not relative to a load any more.
  mutating func forgetReference() {
    memory.reference = nil
    heaviestSinceReference = nil
  }
}
