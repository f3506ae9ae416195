/// What the stream of a device has shown about its pressure; kept while the device is closed.
package struct StreamEvidence: Hashable, Sendable {
  /// Whether contacts always had the same pressure while it changed; nil if unknown.
  package var carriesTotal: Bool?

  /// Whether the pressure follows the length of the contact exactly; false if it does not depend on it, nil if unknown.
  package var followsArea: Bool?

  /// Whether every contact had the same pressure.
  package var isConstant = false

  /// The effective maximum from use, if the declared range is not believed.
  package var usedMaximum: Int32?

  package init() {}
}

/// What a device has shown of itself, which is kept while it is closed.
package struct Learned: Hashable, Sendable {
  package var clicks: ClickForce
  package var evidence: StreamEvidence

  package init(clicks: ClickForce = ClickForce(), evidence: StreamEvidence = StreamEvidence()) {
    (self.clicks, self.evidence) = (clicks, evidence)
  }

  /// What is kept until the next start: no few clicks or touches, from which nothing follows, and not that the device is broken.
  package var lasting: Learned {
    var lasting = self
    lasting.evidence.isConstant = false
    if !clicks.isKnown { lasting.clicks = ClickForce() }
    return lasting
  }

  /// Whether the same follows from both: single clicks make no difference.
  package func concludes(as other: Learned) -> Bool {
    clicks.concludes(as: other.clicks) && evidence == other.evidence
  }
}

/// Watches what the values of contacts show about their meaning.
///
/// Each finding needs many values, and as many that contradict it to be withdrawn, so that it does not alternate. A detector
/// that has nothing more to find costs nothing.
struct EvidenceMonitor {
  private(set) var evidence: StreamEvidence
  private(set) var total = CommonTotalDetector()
  private var area = AreaDetector()

  init(_ surface: Surface) {
    evidence = surface.evidence
    total.isTotal = surface.carriesTotal
    total.isRefuted = surface.evidence.carriesTotal == false || !surface.hasSlotPressure
    let hasLength = surface.hasSlotPressure && surface.description.has(.touchMajor)
    area.isSettled = !hasLength || evidence.followsArea == false
    area.follows = evidence.followsArea == true
  }

  @inline(__always)
  func isWatching(_ contactCount: Int) -> Bool {
    contactCount > 0 && (!area.isSettled || contactCount > 1 && !total.isRefuted)
  }

  /// Updates with the contacts of a frame, at least one, and the length of the first one in units of its axis.
  @inline(never)
  mutating func update(with contacts: [Contact], length: Int32) {
    if contacts.count > 1, !total.isRefuted, let finding = total.update(with: contacts) {
      evidence.carriesTotal = finding
    }
    if !area.isSettled, let raw = contacts[0].raw, contacts[0].phase == .moved, contacts[0].isFinger
    {
      area.update(length: length, raw: raw, order: contacts[0].order)
      evidence.followsArea = area.finding
    }
  }
}

/// Detects contacts that each carry the total of the surface instead of a pressure of their own.
///
/// The values of such contacts are always equal while they change. Fingers whose values are equal by chance differ soon:
/// a single difference refutes it for as long as the device is open. Once detected or stated by a quirk, as many
/// differences as equal values are needed.
///
/// The Surface Laptop Studio (045e:09af) is such a device.
struct CommonTotalDetector {
  /// The number of different values that several contacts must have in common, or of frames in which they differ.
  private static let required = 8

  private var changes = 0
  private var differences = 0
  private var last: Int32?
  var isTotal = false

  /// Whether values differed, so that no further contacts need to be checked.
  var isRefuted = false

  /// The number of different values in common from which chance is unlikely.
  private static let suspicious = 3

  /// Whether the values of several contacts changed together and never differed so far.
  var isPossible: Bool { !isRefuted && changes >= CommonTotalDetector.suspicious }

  /// Returns whether several contacts carry a common total, if a frame of them has shown it now.
  mutating func update(with contacts: [Contact]) -> Bool? {
    guard let first = contacts[0].raw else { return nil }
    // A contact that just began, hovers or rests may not be measured, or have an older value.
    guard contacts.allSatisfy({ $0.phase == .moved && !$0.isHovering }) else { return nil }
    guard contacts.allSatisfy({ $0.raw == first }) else { return differ() }
    differences = 0
    if first != last { changes += 1 }
    last = first
    guard changes == CommonTotalDetector.required + 1 else { return nil }
    isTotal = true
    return true
  }

  private mutating func differ() -> Bool? {
    differences += 1
    isRefuted = !isTotal || differences >= CommonTotalDetector.required
    guard isTotal, isRefuted else { return nil }
    isTotal = false
    return false
  }
}

/// Detects a pressure that is the length of the contact in other units, and not force.
///
/// Force and length of a fingertip are related, but contacts of the same length have different forces.
struct AreaDetector {
  /// How many lengths are remembered.
  private static let places = 16

  /// How often the pressure of a known length must be the same, for how many changes of length.
  private static let requiredAgreements = 64
  private static let requiredLengths = 8

  /// How often it must differ by more than a part of the values so far, or of 64 units; fewer values than 32 show nothing.
  private static let requiredDifferences = 16
  private static let differencePart: Int64 = 32
  private static let leastScale: Int64 = 64
  private static let leastValues: Int64 = 32

  /// How often it must differ at all, and in which part of the comparisons, for the finding to be withdrawn.
  private static let requiredMismatches = 16
  private static let mismatchPart = 8

  /// The number of comparisons, or of frames without a change, after which the result is final.
  private static let maximumComparisons = 4096
  private static let maximumFrames = 1 << 16

  private var lengths = [Int32](repeating: -1, count: AreaDetector.places)
  private var raws = [Int32](repeating: 0, count: AreaDetector.places)
  private var agreements = 0
  private var changes = 0
  private var mismatches = 0
  private var differences = 0
  private var comparisons = 0
  private var frames = 0

  /// The contact of the last frame, with its values.
  private var last: (order: Int, length: Int32, raw: Int32) = (-1, -1, 0)

  private var lowest = Int32.max
  private var highest = Int32.min
  var follows = false

  var isSettled = false

  var finding: Bool? { follows ? true : isIndependent ? false : nil }

  /// Whether contacts of the same length have different pressures.
  private var isIndependent: Bool { differences >= AreaDetector.requiredDifferences }

  /// A held contact repeats its values: they agree only if the length has changed and returned, or in another contact.
  mutating func update(length: Int32, raw: Int32, order: Int) {
    frames += 1
    if frames >= AreaDetector.maximumFrames { isSettled = true }
    let isHeld = order == last.order && length == last.length
    guard !isHeld || raw != last.raw else { return }
    last = (order, length, raw)
    compare(length: length, raw: raw, isHeld: isHeld)
    if isIndependent {
      (follows, isSettled) = (false, true)
    } else if mismatches == 0, agreements >= AreaDetector.requiredAgreements,
      changes >= AreaDetector.requiredLengths, Int64(highest) - Int64(lowest) >= 8
    {
      follows = true
    } else if mismatches >= AreaDetector.requiredMismatches,
      mismatches * AreaDetector.mismatchPart > agreements
    {
      follows = false
    }
    if comparisons >= AreaDetector.maximumComparisons { isSettled = true }
  }

  /// Compares with the pressure that was last seen with the length.
  private mutating func compare(length: Int32, raw: Int32, isHeld: Bool) {
    let place = Int(length & Int32(AreaDetector.places - 1))
    comparisons += 1
    (lowest, highest) = (min(lowest, raw), max(highest, raw))
    if lengths[place] != length {
      changes += 1
    } else if raws[place] != raw {
      mismatches += 1
      let difference = Int64((Int64(raw) - Int64(raws[place])).magnitude)
      let values = Int64(highest) - Int64(lowest)
      let scale = max(values, AreaDetector.leastScale)
      if values >= AreaDetector.leastValues, difference * AreaDetector.differencePart > scale {
        differences += 1
      }
    } else if !isHeld {
      agreements += 1
    }
    (lengths[place], raws[place]) = (length, raw)
  }
}
