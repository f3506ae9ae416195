internal import PressureKit
internal import PressureProtocol

/// The words of YAML 1.2's core schema: `yes` and `on` are texts, and so is everything in quotes.
extension YAMLNode {
  /// What stands without quotes.
  private var plain: String? {
    if case .scalar(let text, plain: true) = content { text } else { nil }
  }

  package var isNull: Bool {
    switch plain {
    case "", "~", "null", "Null", "NULL": true
    default: false
    }
  }

  package var truth: Bool? {
    switch plain {
    case "true", "True", "TRUE": true
    case "false", "False", "FALSE": false
    default: nil
    }
  }

  /// A decimal number, with a point and an exponent or without; never infinite.
  package var number: Double? {
    plain.flatMap { text in
      // Swift alone would read `nan`, `infinity` and C's hexadecimal fractions too.
      let isDecimal = text.utf8.allSatisfy { "+-.eE0123456789".utf8.contains($0) }
      return isDecimal ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
    }
  }

  /// A decimal number that was written without point and exponent.
  var wholeNumber: Int? { plain.flatMap { Int($0) } }

  /// What is neither null, truth value nor number.
  package var text: String? {
    guard case .scalar(let text, _) = content else { return nil }
    return isNull || truth != nil || number != nil ? nil : text
  }

  /// The value as an error message names it, on one line and not longer than a glance.
  package var brief: String {
    switch content {
    case .list: "a list"
    case .mapping: "a mapping"
    case .scalar(let text, _):
      isNull ? "null" : self.text == nil ? String(text.prefix(40)) : text.quoted
    }
  }
}

extension String {
  /// The text in quotes on one line, cut where it is longer than a glance.
  package var quoted: String { glance.debugDescription }
}
