@testable import PressureKit

extension DeviceDescription {
  /// Parses a device description such as `slots=5 x=0..1216@12 keys=touch,finger`.
  init(words: some Sequence<Substring>) throws {
    self.init()
    (name, bus, vendor, product) = ("Pad", 0x18, 0x06cb, 0xcd41)
    var pairs = try words.map(Scenario.pair)
    if let slots = pairs.firstIndex(where: { $0.key == "slots" }) {
      let count: Int32 = try Scenario.number(pairs.remove(at: slots).value)
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
    case "property": properties = try Set(value.split(separator: ",").map(Scenario.number))
    case "effects": effects = try Set(value.split(separator: ",").map(Scenario.number))
    case "keys": keys = try Set(value.split(separator: ",").map(DeviceDescription.key))
    case "current_slot": currentSlot = try Scenario.number(value)
    default: throw Scenario.Fault(description: "\(key) is no word of a device")
    }
  }

  private static func key(_ word: Substring) throws -> UInt16 {
    switch word {
    case "touch": EventCode.touch.code
    case "finger": EventCode.toolFinger.code
    case "button": EventCode.leftButton.code
    case "pen": EventCode.toolPen.code
    default: throw Scenario.Fault(description: "\(word) is no key")
    }
  }
}

extension Axis {
  /// A range such as `0..1216@12`, where 12 is the resolution.
  init(word: Substring) throws {
    let parts = word.split(separator: "@")
    guard let range = parts.first, let dots = range.firstRange(of: "..") else {
      throw Scenario.Fault(description: "\(word) is not a range")
    }
    self.init(
      minimum: try Scenario.number(range[..<dots.lowerBound]),
      maximum: try Scenario.number(range[dots.upperBound...]),
      resolution: parts.count > 1 ? try Scenario.number(parts[1]) : 0)
  }
}
