package import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// A reading as a line of JSON, of the same fields wherever the daemon has said it: those of a `scale` event.
struct ScaleLine {
  private static let event = #"{"event":"scale","#

  private var bytes: [UInt8]

  /// That of a `scale` event.
  init(event line: [UInt8]) { bytes = line }

  /// That of an answer to `weigh`; nil where there is none in it.
  init?(weigh line: [UInt8]) {
    let json = JSONText(bytes: line)
    guard let result = json.values(of: "result", depth: 1).first else { return nil }
    bytes = Array(ScaleLine.event.utf8) + line[result].dropFirst()
  }

  /// Those of an answer to `state`, which is of the moment, in its order.
  static func all(state line: [UInt8], at time: Int64) -> [ScaleLine] {
    let json = JSONText(bytes: line)
    let devices = json.values(of: "device", depth: 3)
    return zip(devices, json.values(of: "scale", depth: 3)).map { device, scale in
      var bytes = Array("\(event)\"time\":\(time),\"device\":".utf8)
      bytes += line[device] + [UInt8(ascii: ",")] + line[scale].dropFirst()
      return ScaleLine(event: bytes)
    }
  }

  /// Puts in the target that this program was given, which the daemon does not know.
  mutating func put(_ target: ReceivedScale.Target?) {
    guard let target,
      let place = JSONText(bytes: bytes).values(of: "target", depth: 1).first
    else { return }
    let numbers = [target.grams, target.tolerance].map { number in
      Int64(exactly: number).map { String($0) } ?? String(number)
    }
    let text = #"{"grams":\#(numbers[0]),"tolerance":\#(numbers[1]),"within":\#(target.within)}"#
    bytes.replaceSubrange(place, with: text.utf8)
  }

  /// The line; characters that a terminal would obey are escaped, as JSON allows within its strings.
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

/// A text that was found to be JSON, of which parts are handed on as they are.
struct JSONText {
  let bytes: [UInt8]

  /// Where the values of a key are.
  ///
  /// - Parameters:
  ///   - key: a name without anything that would be escaped.
  ///   - wanted: in objects that are in so many brackets, their own included.
  /// - Returns: their places, in their order.
  func values(of key: String, depth wanted: Int) -> [Range<Int>] {
    var places: [Range<Int>] = []
    var start: Int?
    var depth = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        let end = endOfString(from: index)
        if depth == wanted, start == nil, bytes[index + 1..<end].elementsEqual(key.utf8),
          end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: ":")
        {
          start = end + 2
        }
        index = end
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        depth += 1
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: ",")
      {
        if depth == wanted, let begin = start {
          places.append(begin..<index)
          start = nil
        }
        if byte != UInt8(ascii: ",") { depth -= 1 }
      }
      index += 1
    }
    return places
  }

  /// The place of the quotation mark that ends a string.
  private func endOfString(from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return max(min(index, bytes.count - 1), start + 1)
  }
}

/// A reading as people read it.
extension ReceivedScale {
  /// Whether something lies there at rest.
  var isStableReading: Bool {
    switch status {
    case .known(.stable), .known(.underZero): true
    case .known(.fault), .known(.stableZero), .known(.inMotion), .known(.overWeight),
      .known(.calibrationNeeded), .known(.rezeroNeeded), .unknown:
      false
    }
  }

  /// The number alone, as in `61.9` and, where the sensor is at its end, `385.0+`.
  package func number(in unit: MassUnit) -> String? {
    grams.map { unit.text($0) + (status == .overWeight ? "+" : "") }
  }

  /// The number, how sure it is, and the unit: `≈ 61.9 g` is an estimate, `61.9 g ± 1.2` a measurement.
  package func text(in unit: MassUnit, isEstimate: Bool) -> String {
    guard let number = number(in: unit) else { return "no reading" }
    return ("\(number) \(unit.rawValue)" + (doubt(in: unit) ?? "")).estimated(isEstimate)
  }

  /// How wrong it may be, where that is known.
  func doubt(in unit: MassUnit) -> String? { errorGrams.map { " ± \(unit.text($0))" } }

  /// Its state in words, and what to do about it.
  package var advice: String {
    if isHeld { return "held" }
    if isDecaying { return "fading: the surface does not take it for a finger" }
    return switch status {
    case .known(.fault): "this device cannot weigh"
    case .known(.stableZero): "zero"
    case .known(.inMotion): "in motion"
    case .known(.stable): "stable"
    case .known(.underZero): "stable, below zero: something tared is gone"
    case .known(.overWeight): "more than it can say"
    case .known(.calibrationNeeded): "no grams yet: pressured calibrate teaches it some"
    case .known(.rezeroNeeded):
      "the zero has moved: with nothing new on it, press z, or t where a jar stays"
    case .unknown: "something new"
    }
  }
}

extension ReceivedScale.Target {
  /// How far a reading is from it.
  package func words(at net: Double?, in unit: MassUnit, isEstimate: Bool) -> String {
    let aim = "target \(unit.text(grams)) ± \(unit.text(tolerance)) \(unit.rawValue)"
    guard let net else { return aim }
    if within { return "\(aim): reached" }
    let rest = grams - net
    let distance = "\(unit.text(rest.magnitude)) \(unit.rawValue)".estimated(isEstimate)
    return "\(aim): \(distance) \(rest > 0 ? "to go" : "too much")"
  }
}
