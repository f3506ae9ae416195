internal import PressureKit
internal import PressureProtocol

extension ReceivedScale {
  /// Its status for people.
  package var words: String {
    switch status {
    case .fault: "cannot weigh"
    case .stableZero: "zero"
    case .inMotion: "in motion"
    case .stable: "at rest"
    case .underZero: "under zero"
    case .overWeight: "too heavy"
    case .calibrationNeeded: "not calibrated"
    case .rezeroNeeded: "zero has drifted"
    case .unknown: "something new"
    }
  }

  var isAtRest: Bool { status == .stable || status == .stableZero }
}

extension ReceivedDevice {
  /// What it can do, in honest words, a sentence each.
  var abilities: [String] {
    [meaning, source].compactMap(\.self)
      + (sizeMillimeters == nil ? ["It does not say how large it is."] : [])
  }

  private var meaning: String {
    let sharing = isPerContact ? "" : " One sensor for all contacts."
    return switch capability {
    case .force: "It feels force.\(sharing)"
    case .size: "It feels how large a contact is, not force.\(sharing)"
    case .broken: "Its axis of pressure says nothing."
    case .none:
      simulatesPress ? "It feels no pressure; presses are simulated." : "It feels no pressure."
    case .unknown: "It feels something new."
    }
  }

  private var source: String? {
    switch weightSource {
    case .calibrated: "Grams are calibrated by weights."
    case .kernel: "Grams are the kernel's."
    case .nominal: "Grams are an estimate."
    case .none, .unknown: nil
    }
  }
}
