internal import PressureDevices

package enum PadSetting: String, Hashable, CaseIterable, Sendable {
  case clickForce = "click-force"
  /// The strength of the feedback that the pad plays.
  case haptics

  /// The usage that declares it, as a feature of a touch device.
  var usage: Usage {
    switch self {
    case .clickForce: .buttonPressThreshold
    case .haptics: .intensity
    }
  }

  package var name: String {
    switch self {
    case .clickForce: "click force"
    case .haptics: "haptic strength"
    }
  }

  func refusal(_ reason: String) -> PadError {
    PadError(.notDeclared, "the \(name) cannot be set: \(reason)")
  }
}

/// The value that a person wants for a setting.
package enum PadTarget: Hashable, Sendable {
  /// The least force, the middle one, or the greatest.
  case level(Level)
  case number(Double)

  package enum Level: String, Hashable, CaseIterable, Sendable {
    case light, medium, firm
  }

  /// Parses a word such as `click-force=medium` or `haptics=40`.
  package static func parse(_ word: String) throws(PadError) -> (PadSetting, PadTarget) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let setting = PadSetting(rawValue: String(parts[0])) else {
      throw PadError(
        .badRequest,
        "\(word.shortened) is not a setting: write click-force=light, medium, firm or grams, or haptics=0 to 100"
      )
    }
    var text = String(parts[1])
    if setting == .haptics, text.count > 1, text.hasSuffix("%") { text.removeLast() }
    if setting == .clickForce, let level = Level(rawValue: text) { return (setting, .level(level)) }
    // Digits and one decimal point only: no signs, exponents or names of numbers.
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard isPlain, text.utf8.count <= 9, let number = Double(text) else {
      let accepted =
        setting == .clickForce
        ? "light, medium, firm or a number of grams" : "a number from 0 to 100"
      throw PadError(.badRequest, "\(setting.rawValue) is \(accepted), not \(text.shortened)")
    }
    return (setting, .number(number))
  }
}

extension String {
  /// The text in quotes, and no longer than is useful in a message.
  var shortened: String { "\"" + (count > 40 ? String(prefix(40)) + "…" : self) + "\"" }
}

package struct PadError: Error, Hashable {
  /// The kinds of errors, as on the socket.
  package enum Code: String, Hashable, CaseIterable, Sendable {
    case badRequest = "bad_request"
    case notPermitted = "not_permitted"
    case busy
    case noPad = "no_pad"
    /// The pad does not declare the setting in a way that can be written.
    case notDeclared = "not_declared"
    case outOfRange = "out_of_range"
    case unknownValue = "unknown_value"
    case padError = "pad_error"
    case noAnswer = "no_answer"
    case gone
    case notSaved = "not_saved"
    case failed
  }

  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    (self.code, self.message) = (code, message)
  }
}
