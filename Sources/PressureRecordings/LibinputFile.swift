internal import PressureKit
internal import PressureYAML

/// One device of a recording by `libinput record`.
///
/// ```
/// devices:
/// - evdev:
///     name: "Touchpad"
///   events:
///   - evdev:
///     - [  0,      0,   3,  57,    2194]
/// ```
///
/// The initializer descends `devices` ⟶ device ⟶ `events`. From there `next` moves between the states `list`, `item` and
/// `frame`: one level down at the start of a collection, one level up at its end, until the list ends.
final class LibinputFile: RecordingReader {
  /// The position of the next token within the events.
  private enum State {
    /// Between frames.
    case list
    /// Within a frame, between its kinds of events.
    case item
    /// Among the evdev events of a frame.
    case frame
    /// After the last event.
    case end
  }

  private(set) var description = DeviceDescription()
  private let tokens: LibinputTokens
  private let isDescribed: Bool
  private var state = State.end

  /// Reads up to the events of the first touch device.
  ///
  /// If `isDescribed`, another file describes the device, and the first device is selected whatever it is.
  init(_ bytes: ByteReader, isDescribed: Bool) throws(RecordingError) {
    tokens = LibinputTokens(bytes)
    self.isDescribed = isDescribed
    guard try tokens.enter(.mappingStart) else { return }
    while let key = try tokens.key() {
      if key != "devices" {
        try tokens.skipValue()
      } else if try findDevice() {
        return
      }
    }
  }

  /// Advances to the events of the first touch device; returns false if there is none.
  ///
  /// The description is then that of the first device, so that the caller can report why it is not supported.
  private func findDevice() throws(RecordingError) -> Bool {
    guard try tokens.enter(.sequenceStart) else { return false }
    var first: DeviceDescription?
    while try isAtElement() {
      if try readDevice() { return true }
      first = first ?? description
    }
    description = first ?? description
    return false
  }

  /// Whether another device begins, which must be a mapping.
  private func isAtElement() throws(RecordingError) -> Bool {
    switch try tokens.next() {
    case .mappingStart: return true
    case .sequenceEnd: return false
    case .scalar, .sequenceStart, .mappingEnd, .alias, .end:
      throw tokens.error("expected a device")
    }
  }

  /// Reads a device up to its events; returns false if it is not to be selected.
  private func readDevice() throws(RecordingError) -> Bool {
    description = DeviceDescription()
    var isWanted = false
    while let key = try tokens.key() {
      if key == "evdev" {
        description = try LibinputHeader(tokens).description
        tokens.source.comment = SlotComment()
        isWanted = isDescribed || LibinputFile.isCandidate(description)
      } else if key == "events", isWanted {
        state = try tokens.enter(.sequenceStart) ? .list : .end
        return true
      } else {
        try tokens.skipValue()
      }
    }
    return isWanted
  }

  /// Whether a device is a touch device that the engine supports.
  static func isCandidate(_ description: DeviceDescription) -> Bool {
    (try? Surface(description)) != nil
  }

  func next() throws(RecordingError) -> InputEvent? {
    while true {
      switch state {
      case .list: try enterItem()
      case .item: try enterFrame()
      case .frame: if let event = try event() { return event }
      case .end: return nil
      }
    }
  }

  func error(_ reason: String) -> RecordingError { tokens.error(reason) }

  private func enterItem() throws(RecordingError) {
    switch try tokens.next() {
    case .mappingStart: state = .item
    case .sequenceEnd: state = .end
    case .scalar("", plain: true): break
    case .scalar, .sequenceStart, .mappingEnd, .alias, .end:
      throw tokens.error("expected a frame")
    }
  }

  private func enterFrame() throws(RecordingError) {
    guard let key = try tokens.key() else {
      state = .list
      return
    }
    if key != "evdev" {
      try tokens.skipValue()
    } else if try tokens.enter(.sequenceStart) {
      state = .frame
    }
  }

  /// The next event of the frame, or nil at its end.
  private func event() throws(RecordingError) -> InputEvent? {
    switch try tokens.next() {
    case .sequenceStart: break
    case .sequenceEnd:
      state = .item
      return nil
    case .scalar, .mappingStart, .mappingEnd, .alias, .end:
      throw tokens.error("expected an event")
    }
    let time = try time()
    let type = try number("type", as: UInt16.self)
    let code = try number("code", as: UInt16.self)
    let value = try number("value", as: Int32.self)
    guard case .sequenceEnd = try tokens.next() else {
      throw tokens.error("unexpected element after the value")
    }
    return InputEvent(time: time, code: EventCode(type: type, code: code), value: value)
  }

  private func time() throws(RecordingError) -> Timestamp {
    let seconds = try number("time", as: Int64.self)
    let microseconds = try number("microseconds", as: Int64.self)
    do {
      return try Timestamp(recorded: seconds, microseconds)
    } catch {
      throw tokens.error(error.reason)
    }
  }

  private func number<Number: FixedWidthInteger>(
    _ what: StaticString, as type: Number.Type
  ) throws(RecordingError) -> Number {
    guard let number = try tokens.number(what, as: type) else {
      throw tokens.error("the \(what) is missing")
    }
    return number
  }
}

/// Parses the description of a device in a `libinput record` file: its mapping `evdev`.
struct LibinputHeader {
  private(set) var description = DeviceDescription()

  /// Reads the whole mapping.
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
      throw tokens.error("the name is not a string")
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

  /// Lists of codes by event type, of which those of keys and effects are kept.
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
      guard numbers.count == 5 else { throw tokens.error("the axis has no values") }
      description.axes[code] = Axis(
        minimum: numbers[0], maximum: numbers[1], resolution: numbers[4])
      description.filter(code, fuzz: numbers[2], flat: numbers[3])
    }
  }
}
