internal import PressureKit
internal import PressureProtocol

extension ReceivedScale {
  /// Its status for people.
  package var words: String {
    switch status {
    case .known(.fault): "cannot weigh"
    case .known(.stableZero): "zero"
    case .known(.inMotion): "in motion"
    case .known(.stable): "at rest"
    case .known(.underZero): "under zero"
    case .known(.overWeight): "too heavy"
    case .known(.calibrationNeeded): "not calibrated"
    case .known(.rezeroNeeded): "zero has drifted"
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
    case .known(.force): "It feels force.\(sharing)"
    case .known(.size): "It feels how large a contact is, not force.\(sharing)"
    case .known(.broken): "Its axis of pressure says nothing."
    case .known(.none):
      simulatesPress ? "It feels no pressure; presses are simulated." : "It feels no pressure."
    case .unknown: "It feels something new."
    }
  }

  private var source: String? {
    switch weightSource {
    case .known(.calibrated): "Grams are calibrated by weights."
    case .known(.kernel): "Grams are the kernel's."
    case .known(.nominal): "Grams are an estimate."
    case .known(.none), .unknown: nil
    }
  }
}
