package import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// A reading as a JSON line with the fields of a `scale` event, also if it comes from a reply.
struct ScaleLine {
  private static let event = #"{"event":"scale","#

  private var bytes: [UInt8]

  /// The line of a `scale` event.
  init(event line: [UInt8]) { bytes = line }

  /// The reading in a reply to `weigh`; nil if it has none.
  init?(weigh line: [UInt8]) {
    let json = JSONText(bytes: line)
    guard let result = json.values(of: "result", depth: 1).first else { return nil }
    bytes = Array(ScaleLine.event.utf8) + line[result].dropFirst()
  }

  /// The readings in a reply to `state`, in its order, with the present time.
  static func all(state line: [UInt8], at time: Int64) -> [ScaleLine] {
    let json = JSONText(bytes: line)
    let devices = json.values(of: "device", depth: 3)
    return zip(devices, json.values(of: "scale", depth: 3)).map { device, scale in
      var bytes = Array("\(event)\"time\":\(time),\"device\":".utf8)
      bytes += line[device] + [UInt8(ascii: ",")] + line[scale].dropFirst()
      return ScaleLine(event: bytes)
    }
  }

  /// Replaces the target by that of this program.
  mutating func setTarget(_ target: ReceivedScale.Target?) {
    guard let target,
      let range = JSONText(bytes: bytes).values(of: "target", depth: 1).first
    else { return }
    let numbers = [target.grams, target.tolerance].map { number in
      Int64(exactly: number).map { String($0) } ?? String(number)
    }
    let text = #"{"grams":\#(numbers[0]),"tolerance":\#(numbers[1]),"within":\#(target.within)}"#
    bytes.replaceSubrange(range, with: text.utf8)
  }

  /// The line, with control characters, which a terminal would interpret, as JSON escapes.
  var text: String {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar.isControl else { return text.unicodeScalars.append(scalar) }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }
}

/// A valid JSON text, parts of which are copied unchanged.
struct JSONText {
  let bytes: [UInt8]

  /// Finds the values of a key.
  ///
  /// - Parameters:
  ///   - key: a name without characters that JSON escapes.
  ///   - targetDepth: the nesting depth of the objects with the key; 1 is the outermost object.
  /// - Returns: the ranges of the values, in their order.
  func values(of key: String, depth targetDepth: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start: Int?
    var depth = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        let end = endOfString(from: index)
        if depth == targetDepth, start == nil, bytes[index + 1..<end].elementsEqual(key.utf8),
          end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: ":")
        {
          start = end + 2
        }
        index = end
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        depth += 1
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: ",")
      {
        if depth == targetDepth, let begin = start {
          ranges.append(begin..<index)
          start = nil
        }
        if byte != UInt8(ascii: ",") { depth -= 1 }
      }
      index += 1
    }
    return ranges
  }

  /// The index of the quotation mark that ends a string.
  private func endOfString(from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return max(min(index, bytes.count - 1), start + 1)
  }
}

/// A reading as text for people.
extension ReceivedScale {
  /// Whether it is the stable reading of a load.
  var isStableReading: Bool {
    switch status {
    case .known(.stable), .known(.underZero): true
    case .known(.fault), .known(.stableZero), .known(.inMotion), .known(.overWeight),
      .known(.calibrationNeeded), .known(.rezeroNeeded), .unknown:
      false
    }
  }

  /// The number without a unit, such as `61.9` or, if the sensor is saturated, `385.0+`.
  package func number(in unit: MassUnit) -> String? {
    grams.map { unit.text($0) + (status == .overWeight ? "+" : "") }
  }

  /// The number with its unit and its uncertainty: `≈ 61.9 g` is an estimate, `61.9 g ± 1.2` a measurement.
  package func text(in unit: MassUnit, isEstimate: Bool) -> String {
    guard let number = number(in: unit) else { return "no reading" }
    return ("\(number) \(unit.rawValue)" + (errorText(in: unit) ?? "")).estimated(isEstimate)
  }

  /// The uncertainty, or nil if it is unknown.
  func errorText(in unit: MassUnit) -> String? { errorGrams.map { " ± \(unit.text($0))" } }

  /// The status as text, and what to do about it.
  package var advice: String {
    if isHeld { return "held" }
    if isDecaying { return "decaying: the surface does not treat it as a finger" }
    return switch status {
    case .known(.fault): "this device cannot weigh"
    case .known(.stableZero): "zero"
    case .known(.inMotion): "in motion"
    case .known(.stable): "stable"
    case .known(.underZero): "stable, below zero: a tared object was removed"
    case .known(.overWeight): "over the maximum"
    case .known(.calibrationNeeded): "no grams: run pressured calibrate"
    case .known(.rezeroNeeded):
      "zero has drifted: remove the load, then press z, or t with a tared object in place"
    case .unknown: "unknown status"
    }
  }
}

extension ReceivedScale.Target {
  /// The target, and its distance from a reading.
  package func text(at net: Double?, in unit: MassUnit, isEstimate: Bool) -> String {
    let target = "target \(unit.text(grams)) ± \(unit.text(tolerance)) \(unit.rawValue)"
    guard let net else { return target }
    if within { return "\(target): reached" }
    let rest = grams - net
    let distance = "\(unit.text(rest.magnitude)) \(unit.rawValue)".estimated(isEstimate)
    return "\(target): \(distance) \(rest > 0 ? "to go" : "too much")"
  }
}
