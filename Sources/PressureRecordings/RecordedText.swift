internal import CEvdev
internal import PressureKit

extension InputEvent {
  /// What the event is in the kernel's words, for whoever looks into a recording.
  package var remark: String {
    let type = libevdev_event_type_get_name(UInt32(code.type)).map { String(cString: $0) }
    let name = libevdev_event_code_get_name(UInt32(code.type), UInt32(code.code))
    guard code != .report else { return "------------ SYN_REPORT (0) ----------" }
    return "\(type ?? "?") / \(name.map { String(cString: $0) } ?? "?") \(value)"
  }
}

extension Timestamp {
  /// Whole seconds, and the microseconds beyond them.
  var parts: (seconds: Int64, microseconds: Int64) {
    (microseconds / 1_000_000, microseconds % 1_000_000)
  }
}

extension BinaryInteger {
  /// So many digits, with zeros in front.
  package func decimal(_ digits: Int) -> String {
    let sign = self < 0 ? "-" : ""
    return sign + String(magnitude).preceded(by: "0", to: digits - sign.count)
  }

  /// So many hexadecimal digits, with zeros in front.
  func hexadecimal(_ digits: Int) -> String {
    String(self, radix: 16).preceded(by: "0", to: digits)
  }

  /// So many places, with blanks in front.
  func aligned(_ places: Int) -> String { String(self).preceded(by: " ", to: places) }
}

extension String {
  fileprivate func preceded(by character: Character, to count: Int) -> String {
    String(repeating: character, count: Swift.max(count - self.count, 0)) + self
  }
}
