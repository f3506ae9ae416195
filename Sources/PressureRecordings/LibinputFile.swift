internal import PressureDevices
internal import PressureKit
internal import PressureSettings
internal import PressureSystem

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
  private let remarks: Remarks
  private let isDescribed: Bool
  private var state = State.end

  /// The number of the device that the user has chosen, counted from 1; nil for the first touch device with events.
  private let wanted: Int?

  /// The number of the device that was read last.
  private var number = 0

  /// An event that was read to find out whether there are any.
  private var first: InputEvent?

  /// The error in place of the first event.
  private var pendingError: RecordingError?

  /// Reads up to the events of the device.
  ///
  /// If `isDescribed`, another file describes the device, and the first device with events is selected whatever it is.
  init(
    _ bytes: ByteReader, _ remarks: Remarks, device: Int?, isDescribed: Bool
  ) throws(RecordingError) {
    tokens = LibinputTokens(bytes, remarks)
    self.remarks = remarks
    wanted = device
    self.isDescribed = isDescribed
    guard try tokens.enter(.mappingStart) else { return }
    while let key = try tokens.key() {
      if key != "devices" {
        try tokens.skipValue()
      } else if try findDevice() {
        return
      }
    }
    if let wanted, wanted > number { throw .missingDevice(remarks.path, wanted) }
    if let (line, quote) = tokens.source.firstUnknown {
      throw .data(
        remarks.path, location: ":\(line)",
        "not an event of libinput record, and none follows: \(quote)")
    }
  }

  /// Advances to the events of the device; returns false if there is none.
  ///
  /// The description is then that of the first touch device, or of the first device, so that the caller can report why it is
  /// not supported.
  private func findDevice() throws(RecordingError) -> Bool {
    guard try tokens.enter(.sequenceStart) else { return false }
    var described: DeviceDescription?
    while try isAtElement() {
      if try readDevice() { return true }
      if described.map(LibinputFile.isCandidate) != true,
        described == nil || LibinputFile.isCandidate(description)
      {
        described = description
      }
    }
    description = described ?? description
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

  /// Reads a device up to its first event; returns false if it is not to be selected.
  private func readDevice() throws(RecordingError) -> Bool {
    description = DeviceDescription()
    number += 1
    var isWanted = false
    var descriptor: [UInt8] = []
    while let key = try tokens.key() {
      if key == "evdev" {
        description = try LibinputHeader(tokens).description
        description.use(descriptor: descriptor)
        tokens.source.comment = SlotComment()
        isWanted =
          wanted.map { $0 == number } ?? (isDescribed || LibinputFile.isCandidate(description))
      } else if key == "hid" {
        descriptor = try tokens.bytes(atMost: ReportDescriptor.maximumLength)
        description.use(descriptor: descriptor)
      } else if key == "events", isWanted {
        if try isAtEvents() { return true }
      } else {
        try tokens.skipValue()
      }
    }
    return wanted == number
  }

  /// Enters the events of the device; returns false if it has none.
  private func isAtEvents() throws(RecordingError) -> Bool {
    guard try tokens.enter(.sequenceStart) else { return false }
    state = .list
    do throws(RecordingError) {
      first = try nextEvent()
    } catch {
      // Reported when the events are read.
      pendingError = error
    }
    return first != nil || pendingError != nil
  }

  /// Whether a device is a touch device that the engine supports, or can be with slots.
  static func isCandidate(_ description: DeviceDescription) -> Bool {
    do throws(UnsupportedDeviceError) {
      _ = try Surface(description)
      return true
    } catch {
      return error == .protocolA && description.has(.pressure)
    }
  }

  func next() throws(RecordingError) -> InputEvent? {
    if let event = first {
      first = nil
      return event
    }
    if let pendingError { throw pendingError }
    guard state != .end else { return nil }
    let event = try nextEvent()
    if event == nil { try remarkOtherDevices() }
    return event
  }

  private func nextEvent() throws(RecordingError) -> InputEvent? {
    while true {
      switch state {
      case .list: try enterItem()
      case .item: try enterFrame()
      case .frame: if let event = try event() { return event }
      case .end: return nil
      }
    }
  }

  /// Mentions touch devices after this one that have events, too.
  private func remarkOtherDevices() throws(RecordingError) {
    guard wanted == nil, !isDescribed else { return }
    let own = (number, description)
    defer { (number, description) = own }
    // The rest of a damaged file does not matter here.
    while (try? tokens.key()) != nil { guard (try? tokens.skipValue()) != nil else { return } }
    while (try? isAtElement()) == true {
      guard let hasEvents = try? readDevice() else { return }
      guard hasEvents else { continue }
      (first, pendingError, state) = (nil, nil, .end)
      let name = description.name.onOneLine
      return try remarks.add(
        "device \(number) (\(name)) has events, too; --device \(number) reads it")
    }
  }

  func error(_ reason: String) -> RecordingError { tokens.error(reason) }

  var line: Int { tokens.line }

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
