// How wrong a reading may be.

extension Weighing {
  /// Adds up the absolute errors of several contacts, as one law causes them all.
  @inline(__always)
  mutating func noteErrors(of frame: Frame, on surface: Surface) {
    guard frame.contacts.count > 1, surface.isPerContact, let law = surface.calibration else {
      (errorOfContacts, hasContactErrors) = (nil, true)
      return
    }
    addErrors(of: frame.contacts, by: law)
  }

  @inline(never)
  private mutating func addErrors(of contacts: [Contact], by law: Calibration) {
    var sum = 0.0
    for contact in contacts where !contact.isHovering {
      guard let grams = contact.weight?.grams, let error = law.absoluteErrorGrams(at: grams) else {
        (errorOfContacts, hasContactErrors) = (nil, false)
        return
      }
      sum += error
    }
    (errorOfContacts, hasContactErrors) = (sum, true)
  }

  /// The error of the law, plus a known drift that was not zeroed; nil if unknown.
  mutating func error(by law: Calibration, at total: Double) -> Double? {
    guard hasContactErrors, !isOverweight, !live.isDecaying else { return nil }
    let reference = memory.zeroGrams + memory.tareGrams
    let error: Double?
    if !isLoaded, reference == 0, total == 0 {
      error = law.zeroWeight.error
    } else if errorOfContacts == nil, memory.referenceError == nil {
      error = law.errorGrams(at: total, since: reference)
    } else {
      error = combinedError(by: law, at: total, since: reference)
    }
    // Noise is part of the law's error; what the filter leaves of a vibration, or of a decay, is not.
    let isResting = isAtRest(at: live.time)
    let vibration = isResting ? max(0, ranges.filtered.range / 2 - 1.2 * limits.noise) : 0
    let remainder = remainder(of: heaviestSinceReference ?? heaviestLoad, in: total, by: law)
    // While the load of a reference is still there, what an earlier one has left is in both.
    let earlier = heaviestSinceReference == nil ? memory.referenceRemainder : 0
    let drift = isLoaded ? driftDetector.knownOffset.magnitude + decayDetector.possibleLoss : 0
    return error.map {
      ($0 * $0 + vibration * vibration + remainder * remainder + earlier * earlier).squareRoot()
        + drift
    }
  }

  /// What a heavier load has left in the reading of a lighter one, in grams.
  @inline(__always)
  private func remainder(of heavier: Double, in total: Double, by law: Calibration) -> Double {
    guard isLoaded, total < heavier - limits.range else { return 0 }
    return law.unloadingErrorGrams(from: heavier, to: total) ?? 0
  }

  /// The error of several contacts, or since a tare or zero with an error of its own.
  @inline(never)
  private func combinedError(
    by law: Calibration, at total: Double, since reference: Double
  ) -> Double? {
    let nothing = isLoaded ? nil : law.zeroWeight.error
    guard let now = errorOfContacts ?? nothing ?? law.absoluteErrorGrams(at: total),
      let then = memory.referenceError
        ?? (reference == 0 ? 0 : law.absoluteErrorGrams(at: reference))
    else { return nil }
    return law.errorGrams(of: total - reference, since: reference, now, then)
  }

  /// The error of the weight shown as a number of pieces, without what is proportional to it; nil if unknown.
  var countingError: Double? {
    guard let law, let error = shown.errorGrams, let net = shown.netGrams else { return nil }
    // The proportional part is common to a sample and to all pieces; how well a weight is repeated is not.
    guard let common = law.proportionalErrorGrams(of: net),
      let own = law.repetitionErrorGrams(of: net)
    else { return nil }
    return (max(error * error - common * common, 0) + own * own).squareRoot()
  }

  /// Notes how far a tare or zero that is set now may be off: more in motion, as by then the reading varies.
  mutating func noteReferenceError(at time: Timestamp) {
    guard isLoaded, let law else { return forgetReference() }
    let total = filter.mean(at: time)
    memory.referenceRemainder = remainder(of: heaviestLoad, in: total, by: law)
    heaviestSinceReference = total
    let motion = isAtRest(at: time) ? 0 : ranges.sensor.range
    memory.referenceError = (errorOfContacts ?? law.absoluteErrorGrams(at: total)).map {
      ($0 * $0 + motion * motion).squareRoot()
    }
  }

  /// Readings are not relative to a load any more.
  mutating func forgetReference() {
    (memory.referenceError, memory.referenceRemainder) = (nil, 0)
    heaviestSinceReference = nil
  }
}
