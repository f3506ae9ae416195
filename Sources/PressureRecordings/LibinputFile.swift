internal import PressureKit
internal import PressureYAML

/// A recording by `libinput record`, of which one device is read.
///
/// ```
/// devices:
/// - evdev:
///     name: "Touchpad"
///   events:
///   - evdev:
///     - [  0,      0,   3,  57,    2194]
/// ```
/// `devices` ⟶ device ⟶ `events` is gone through once, when it is opened; from there on `next` moves between
/// `Place.list`, `.item` and `.frame`, inwards at a beginning and outwards at an end, until the list ends.
final class LibinputFile: RecordingReader {
  /// Where in the events the next piece stands.
  private enum Place {
    /// Between frames.
    case list
    /// Within a frame, between its kinds of events.
    case item
    /// Among the evdev events of a frame.
    case frame
    /// Behind the last event.
    case end
  }

  private(set) var description = DeviceDescription()
  private let tokens: LibinputTokens
  private let isDescribed: Bool
  private var place = Place.end

  /// Reads up to the events of the first touch device.
  ///
  /// With `isDescribed` a description from elsewhere makes that of the file needless, and the first device is taken.
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

  /// Goes to the events of the first touch device; false where there is none.
  ///
  /// The description is then that of the first device, whose unfitness others will explain.
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
      throw tokens.fault("a device was expected")
    }
  }

  /// Reads a device up to its events; false where it is none that is wanted.
  private func readDevice() throws(RecordingError) -> Bool {
    description = DeviceDescription()
    var isWanted = false
    while let key = try tokens.key() {
      if key == "evdev" {
        description = try LibinputHeader(tokens).description
        tokens.source.comment = SlotComment()
        isWanted = isDescribed || LibinputFile.isCandidate(description)
      } else if key == "events", isWanted {
        place = try tokens.enter(.sequenceStart) ? .list : .end
        return true
      } else {
        try tokens.skipValue()
      }
    }
    return isWanted
  }

  /// Whether a device may be the one that was touched.
  static func isCandidate(_ description: DeviceDescription) -> Bool {
    (try? Surface(description)) != nil
  }

  func next() throws(RecordingError) -> InputEvent? {
    while true {
      switch place {
      case .list: try enterItem()
      case .item: try enterFrame()
      case .frame: if let event = try event() { return event }
      case .end: return nil
      }
    }
  }

  func fault(_ reason: String) -> RecordingError { tokens.fault(reason) }

  private func enterItem() throws(RecordingError) {
    switch try tokens.next() {
    case .mappingStart: place = .item
    case .sequenceEnd: place = .end
    case .scalar("", plain: true): break
    case .scalar, .sequenceStart, .mappingEnd, .alias, .end:
      throw tokens.fault("a frame was expected")
    }
  }

  private func enterFrame() throws(RecordingError) {
    guard let key = try tokens.key() else {
      place = .list
      return
    }
    if key != "evdev" {
      try tokens.skipValue()
    } else if try tokens.enter(.sequenceStart) {
      place = .frame
    }
  }

  /// The next event of the frame, nil at its end.
  private func event() throws(RecordingError) -> InputEvent? {
    switch try tokens.next() {
    case .sequenceStart: break
    case .sequenceEnd:
      place = .item
      return nil
    case .scalar, .mappingStart, .mappingEnd, .alias, .end:
      throw tokens.fault("an event was expected")
    }
    let time = try time()
    let type = try number("type", as: UInt16.self)
    let code = try number("code", as: UInt16.self)
    let value = try number("value", as: Int32.self)
    guard case .sequenceEnd = try tokens.next() else {
      throw tokens.fault("the event goes on after the value")
    }
    return InputEvent(time: time, code: EventCode(type: type, code: code), value: value)
  }

  private func time() throws(RecordingError) -> Timestamp {
    let seconds = try number("time", as: Int64.self)
    let microseconds = try number("microseconds", as: Int64.self)
    do {
      return try Timestamp(recorded: seconds, microseconds)
    } catch {
      throw tokens.fault(error.reason)
    }
  }

  private func number<Number: FixedWidthInteger>(
    _ what: StaticString, as type: Number.Type
  ) throws(RecordingError) -> Number {
    guard let number = try tokens.number(what, as: type) else {
      throw tokens.fault("the \(what) is missing")
    }
    return number
  }
}

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
