import PressureKit
internal import PressureYAML

/// The description of one device in a `libinput record` file: the mapping `evdev` of a device.
struct LibinputHeader {
  private(set) var description = DeviceDescription()

  /// Reads the mapping, from its beginning to its end.
  init(_ tokens: LibinputTokens) throws(RecordingError) {
    guard try tokens.enter(.mappingStart) else { return }
    while let key = try tokens.key() {
      switch key {
      case "name": description.name = try LibinputHeader.text(tokens)
      case "id": try readIdentity(tokens)
      case "codes": try readCodes(tokens)
      case "absinfo": try readAxes(tokens)
      case "properties":
        description.properties = Set(try tokens.numbers("property", atMost: 0x1_0000))
      default: try tokens.skipValue()
      }
    }
    description.currentSlot = tokens.source.comment.slot ?? 0
  }

  private static func text(_ tokens: LibinputTokens) throws(RecordingError) -> String {
    guard case .scalar(let text, plain: _) = try tokens.next() else {
      throw tokens.fault("the name is no text")
    }
    return text
  }

  /// Bus, vendor, product and version.
  private mutating func readIdentity(_ tokens: LibinputTokens) throws(RecordingError) {
    let numbers: [UInt16] = try tokens.numbers("number", atLeast: 4, atMost: 4)
    guard numbers.count == 4 else { return }
    (description.bus, description.vendor) = (numbers[0], numbers[1])
    (description.product, description.version) = (numbers[2], numbers[3])
  }

  /// Lists of codes by type, of which those of the keys and effects are wanted.
  private mutating func readCodes(_ tokens: LibinputTokens) throws(RecordingError) {
    guard try tokens.enter(.mappingStart) else { return }
    while let type = try tokens.key() {
      let codes: [UInt16] = try tokens.numbers("code", atMost: 0x1_0000)
      switch UInt16(type) {
      case EventCode.touch.type: description.keys = Set(codes)
      case EventCode.haptic.type: description.effects = Set(codes)
      default: break
      }
    }
  }

  /// Minimum, maximum, fuzz, flat and resolution by code.
  private mutating func readAxes(_ tokens: LibinputTokens) throws(RecordingError) {
    guard try tokens.enter(.mappingStart) else { return }
    while let key = try tokens.key() {
      let code: UInt16 = try tokens.number("axis", key)
      let numbers: [Int32] = try tokens.numbers("number of an axis", atLeast: 5, atMost: 5)
      guard numbers.count == 5 else { throw tokens.fault("the axis has no numbers") }
      description.axes[code] = Axis(
        minimum: numbers[0], maximum: numbers[1], resolution: numbers[4])
      description.filter(code, fuzz: numbers[2], flat: numbers[3])
    }
  }
}
