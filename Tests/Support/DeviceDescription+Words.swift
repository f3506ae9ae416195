package import PressureKit

extension DeviceDescription {
  /// Parses a device description such as `slots=5 x=0..1216@12 keys=touch,finger`.
  package init(words: some Sequence<Substring>) throws {
    self.init()
    (name, bus, vendor, product) = ("Pad", 0x18, 0x06cb, 0xcd41)
    var pairs = try words.map(wordPair)
    if let slots = pairs.firstIndex(where: { $0.key == "slots" }) {
      let count: Int32 = try wordNumber(pairs.remove(at: slots).value)
      self[.slot] = Axis(minimum: 0, maximum: count - 1)
      self[.trackingID] = Axis(minimum: 0, maximum: 65535)
    } else {
      keys = [EventCode.touch.code]
    }
    for (key, value) in pairs { try add(key, value) }
  }

  private subscript(code: EventCode) -> Axis? {
    get { axes[code.code] }
    set { axes[code.code] = newValue }
  }

  private mutating func add(_ key: Substring, _ value: Substring) throws {
    switch key {
    case "x": self[axis(.slot) == nil ? .x : .positionX] = try Axis(word: value)
    case "y": self[axis(.slot) == nil ? .y : .positionY] = try Axis(word: value)
    case "pressure": self[.pressure] = try Axis(word: value)
    case "single": self[.singlePressure] = try Axis(word: value)
    case "major": self[.touchMajor] = try Axis(word: value)
    case "minor": self[.touchMinor] = try Axis(word: value)
    case "width": self[.widthMajor] = try Axis(word: value)
    case "orientation": self[.orientation] = try Axis(word: value)
    case "tool": self[.toolType] = try Axis(word: value)
    case "distance": self[.distance] = try Axis(word: value)
    case "property": properties = try Set(value.split(separator: ",").map(wordNumber))
    case "effects": effects = try Set(value.split(separator: ",").map(wordNumber))
    case "keys": keys = try Set(value.split(separator: ",").map(DeviceDescription.key))
    case "current_slot": currentSlot = try wordNumber(value)
    default: throw WordError(description: "\(key) is no word of a device")
    }
  }

  private static func key(_ word: Substring) throws -> UInt16 {
    switch word {
    case "touch": EventCode.touch.code
    case "finger": EventCode.toolFinger.code
    case "button": EventCode.leftButton.code
    case "pen": EventCode.toolPen.code
    default: throw WordError(description: "\(word) is no key")
    }
  }
}

extension Axis {
  /// A range such as `0..1216@12`, where 12 is the resolution.
  package init(word: Substring) throws {
    let parts = word.split(separator: "@")
    guard let range = parts.first, let dots = range.firstRange(of: "..") else {
      throw WordError(description: "\(word) is not a range")
    }
    self.init(
      minimum: try wordNumber(range[..<dots.lowerBound]),
      maximum: try wordNumber(range[dots.upperBound...]),
      resolution: parts.count > 1 ? try wordNumber(parts[1]) : 0)
  }
}

/// A word of a test case that has no meaning.
package struct WordError: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) {
    self.description = description
  }
}

/// The parts of a word such as `slots=5`.
package func wordPair(_ word: Substring) throws -> (key: Substring, value: Substring) {
  let parts = word.split(separator: "=", maxSplits: 1)
  guard parts.count == 2 else {
    throw WordError(description: "\(word) is not of the form key=value")
  }
  return (parts[0], parts[1])
}

/// The number that a word states.
package func wordNumber<Number: LosslessStringConvertible>(_ text: Substring) throws -> Number {
  guard let number = Number(String(text)) else {
    throw WordError(description: "\(text) is not a number that fits")
  }
  return number
}
