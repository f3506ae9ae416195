internal import CEvdev
internal import PressureKit

/// The output of Android's getevent, with or without times (-t), names (-l) and paths, of one device or several.
///
/// ```
/// add device 1: /dev/input/event2
///   name:     "touch_dev"
///     ABS (0003): ABS_MT_PRESSURE       : value 0, min 0, max 255, fuzz 0, flat 0, resolution 0
/// [  414624.659047] /dev/input/event2: EV_ABS       ABS_MT_PRESSURE      0000001d
/// 0003 003a 0000001d
/// ```
struct GeteventFormat: TextFormat {
  static let name: StaticString = "getevent"

  private struct Listed {
    let path: String
    var description = DeviceDescription()
    var hasTouches = false
  }

  /// The maximum number of devices; Android has about ten.
  private static let mostDevices = 64

  /// Microseconds between two frames if the file has no times.
  private static let assumedInterval: Int64 = 10_000

  private var devices: [Listed] = []

  private var selected: Int?

  /// The device that is being described, and the type of its codes.
  private var described: Int?
  private var type: UInt16?

  private var assumedTime: Int64 = 0
  private var hasAssumedTimes = false

  /// Whether values are decimal numbers, as other programs write them, and not eight hexadecimal digits, as the first value
  /// shows; nil before it.
  private var isDecimal: Bool?

  // MARK: - Events

  static func findEvent(_ cursor: inout LineCursor) -> Bool {
    var start = cursor
    start.skipQuoteMarks()
    if GeteventLine(start) != nil {
      cursor = start
      return true
    }
    return cursor.seek { previous, place in
      switch place.peek {
      case UInt8(ascii: "["), UInt8(ascii: "/"), UInt8(ascii: "E"):
        previous?.isWordPart != true && GeteventLine(place) != nil
      default: false
      }
    }
  }

  static func startsRecording(_ line: LineCursor) -> Bool { false }

  mutating func selects(_ cursor: LineCursor, of device: Int?) throws(LineError) -> Bool {
    guard let line = GeteventLine(cursor) else { return false }
    let index = try index(of: line.path)
    if let device {
      if index + 1 == device { selected = index }
    } else if line.code?.isTouch == true {
      selected = index
    }
    return selected != nil
  }

  var selectedDevice: Int? { selected.map { $0 + 1 } }

  var deviceCount: Int? { devices.count }

  mutating func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent? {
    guard var line = GeteventLine(cursor) else {
      throw LineError(reason: "not an event of getevent")
    }
    let index = try index(of: line.path)
    defer { cursor = line.cursor }
    let value = try line.readValue(&isDecimal)
    let code = line.code
    guard index == selected else {
      if code?.isTouch == true { devices[index].hasTouches = true }
      return nil
    }
    let time = line.time ?? assumedTime(at: code)
    return code.map { InputEvent(time: time, code: $0, value: value) }
  }

  private mutating func assumedTime(at code: EventCode?) -> Timestamp {
    hasAssumedTimes = true
    defer { if code == .report { assumedTime += GeteventFormat.assumedInterval } }
    return Timestamp(microseconds: assumedTime)
  }

  /// The index of a device; devices are numbered in the order in which they appear.
  private mutating func index(of path: String) throws(LineError) -> Int {
    if let index = devices.firstIndex(where: { $0.path == path }) { return index }
    guard devices.count < GeteventFormat.mostDevices else {
      throw LineError(reason: "more than \(GeteventFormat.mostDevices) devices")
    }
    devices.append(Listed(path: path))
    return devices.count - 1
  }

  var warnings: [String] {
    var warnings: [String] = []
    if isDecimal == true {
      warnings.append(
        "the values are read as decimal numbers; those of getevent have eight hexadecimal digits")
    }
    if hasAssumedTimes {
      warnings.append(
        "no times; frames are assumed to be 10 ms apart (getevent -t prints their times)")
    }
    for (index, device) in devices.enumerated() where device.hasTouches {
      warnings.append("\(device.path) also has touches; --device \(index + 1) reads it")
    }
    return warnings
  }

  // MARK: - The description

  var description: DeviceDescription {
    if let selected { return devices[selected].description }
    // Without events, the first touch device that is described.
    let touch = devices.first { $0.description.problem == nil }
    return (touch ?? devices.first)?.description ?? DeviceDescription()
  }

  mutating func readHeader(_ cursor: inout LineCursor) throws(LineError) -> HeaderLine {
    cursor = cursor.afterMarks
    let line = cursor
    if cursor.skip("add device ") {
      cursor.skip { $0 == UInt8(ascii: "/") }
      let start = cursor
      cursor.skip { $0.isBlank }
      described = try index(of: start.prefix(to: cursor))
      type = nil
      return .part
    }
    if let described,
      try GeteventFormat.read(&cursor, &type, into: &devices[described].description)
    {
      return .part
    }
    return line.isGeteventChatter ? .silent : .unknown
  }

  private static func read(
    _ cursor: inout LineCursor, _ type: inout UInt16?, into description: inout DeviceDescription
  ) throws(LineError) -> Bool {
    if cursor.skip("name:") {
      cursor.skip { $0 == UInt8(ascii: "\"") }
      cursor.skip()
      description.name = cursor.quotedText
    } else if cursor.skipColumn("bus:") {
      description.bus = try cursor.number("bus", radix: 16)
    } else if cursor.skipColumn("vendor") {
      description.vendor = try cursor.number("vendor", radix: 16)
    } else if cursor.skipColumn("product") {
      description.product = try cursor.number("product", radix: 16)
    } else if cursor.skipColumn("version") {
      description.version = try cursor.number("version", radix: 16)
    } else if let property = cursor.geteventProperty {
      description.properties.insert(property)
    } else {
      return try readCodes(&cursor, &type, into: &description)
    }
    return true
  }

  /// Reads "ABS (0003): 002f  : value 0, min 0, max 9, …" or a list of keys, or a line that continues one.
  private static func readCodes(
    _ cursor: inout LineCursor, _ type: inout UInt16?, into description: inout DeviceDescription
  ) throws(LineError) -> Bool {
    var place = cursor
    if !place.readName().isEmpty, place.skip(" (") {
      type = try place.number("type", radix: 16)
      guard place.skip("):") else { return false }
      cursor = place
    }
    guard let type else { return false }
    cursor.skipBlanks()
    var hasCode = false
    while let code = cursor.readCode(ofType: type) {
      hasCode = true
      cursor.skipBlanks()
      if type == EventCode.x.type {
        guard cursor.skip(UInt8(ascii: ":")) else { return false }
        description.axes[code] = try GeteventFormat.axis(&cursor)
      } else if type == EventCode.touch.type {
        if description.keys == nil { description.keys = [] }
        description.keys?.insert(code)
      }
    }
    return hasCode
  }

  private static func axis(_ cursor: inout LineCursor) throws(LineError) -> Axis {
    func number(_ word: StaticString) throws(LineError) -> Int32 {
      cursor.skipBlanks()
      guard cursor.skip(word) else { throw LineError(reason: "the \(word) is missing") }
      let number: Int32 = try cursor.number(word)
      _ = cursor.skip(UInt8(ascii: ","))
      return number
    }
    _ = try number("value")
    var axis = Axis(minimum: try number("min"), maximum: try number("max"))
    _ = (try number("fuzz"), try number("flat"))
    // Old versions do not print the resolution.
    if !cursor.isAtEnd() { axis.resolution = try number("resolution") }
    return axis
  }
}

/// An event, of which the value is not parsed yet.
struct GeteventLine {
  private(set) var cursor: LineCursor
  private(set) var time: Timestamp?

  /// The path of the device, or an empty string if the line has none.
  private(set) var path = ""

  /// The type and code; nil if a name is unknown.
  private(set) var code: EventCode?

  /// Parses time and path, both of which may be missing, type and code; nil if this is another line.
  init?(_ start: LineCursor) {
    cursor = start
    if cursor.skip(UInt8(ascii: "[")) {
      guard let seconds: Int64 = try? cursor.number("time"), cursor.skip(UInt8(ascii: ".")) else {
        return nil
      }
      var place = cursor
      // Six digits, except for tools that print nanoseconds.
      guard let fraction: Int64 = try? cursor.number("time"), cursor.skip(UInt8(ascii: "]")),
        let time = try? Timestamp(recorded: seconds, fraction), place.skipDigits() == 6
      else { return nil }
      self.time = time
      cursor.skipBlanks()
    }
    var place = cursor
    if place.skip("/dev/input/event") {
      guard place.skipDigits(atMost: 4) > 0 else { return nil }
      path = cursor.prefix(to: place)
      guard place.skip(": ") else { return nil }
      place.skipBlanks()
      cursor = place
    }
    guard cursor.starts(with: "EV_") ? readNames() : readNumbers() else { return nil }
  }

  /// Parses the names of type and code, of which the second may be a number; returns false if they do not follow.
  private mutating func readNames() -> Bool {
    let type = UInt16(exactly: libevdev_event_type_from_name(cursor.readName()))
    cursor.skipBlanks()
    guard cursor.peek?.isUppercaseLetter == true || cursor.isFourDigits else { return false }
    if let type { code = cursor.readCode(ofType: type).map { EventCode(type: type, code: $0) } }
    if code == nil { _ = cursor.readName() }
    return true
  }

  private mutating func readNumbers() -> Bool {
    guard cursor.isFourDigits, let type: UInt16 = try? cursor.number("type", radix: 16),
      cursor.skip(UInt8(ascii: " ")), cursor.isFourDigits,
      let number: UInt16 = try? cursor.number("code", radix: 16), cursor.peek?.isBlank != false
    else { return false }
    code = EventCode(type: type, code: number)
    return true
  }

  /// Parses the value, up to the end of the event: a number, or the state of a key.
  ///
  /// All values of a file must be in the notation of the first one.
  mutating func readValue(_ isDecimal: inout Bool?) throws(LineError) -> Int32 {
    cursor.skipBlanks()
    if cursor.skip("DOWN") { return 1 }
    if cursor.skip("UP") { return 0 }
    if cursor.skip("REPEAT") { return 2 }
    var digits = cursor
    let isNegative = digits.skip(UInt8(ascii: "-"))
    let startsWithZero = digits.peek == UInt8(ascii: "0")
    var decimals = digits
    let count = digits.skipDigits(radix: 16)
    let isFull = count == 8 && !isNegative
    let isPlain = decimals.skipDigits() == count && (!startsWithZero || count == 1)
    if isDecimal == nil, count > 0, isFull || isPlain { isDecimal = !isFull }
    guard count == 0 || (isDecimal == true ? isPlain : isFull) else {
      var end = cursor
      end.skip { $0.isBlank }
      let problem =
        isDecimal == true
        ? "is not decimal, as others are"
        : "does not have eight hexadecimal digits, as those of getevent"
      throw LineError(
        reason: "the value \(cursor.prefix(to: end).prefix(32)) \(problem); "
          + "write all values of the file as decimal numbers, or all with eight hexadecimal digits")
    }
    let value: Int32 =
      isDecimal == true
      ? try cursor.number("value") : Int32(bitPattern: try cursor.number("value", radix: 16))
    cursor.skipBlanks()
    // getevent -r appends the frame rate.
    if cursor.skip("rate ") { _ = cursor.skipDigits() }
    return value
  }
}

extension LineCursor {
  mutating func skipColumn(_ word: StaticString) -> Bool {
    var cursor = self
    guard cursor.skip(word), cursor.peek?.isBlank == true else { return false }
    self = cursor
    return true
  }

  /// Reads a name of the kernel, at most 40 bytes; empty if there is none.
  mutating func readName() -> String {
    let start = self
    var count = 0
    while count < 40, let byte = peek,
      byte.isUppercaseLetter || byte.isDecimalDigit || byte == UInt8(ascii: "_")
    {
      skip()
      count += 1
    }
    return start.prefix(to: self)
  }

  /// Reads a code of a type, as a number or by its name; nil if there is none.
  mutating func readCode(ofType type: UInt16) -> UInt16? {
    if isFourDigits {
      defer { skipBlanks() }
      return try? number("code", radix: 16)
    }
    var place = self
    let name = place.readName()
    guard !name.isEmpty,
      let code = UInt16(exactly: libevdev_event_code_from_name(UInt32(type), name))
    else { return nil }
    self = place
    // "KEY_POWER*" is down.
    _ = skip(UInt8(ascii: "*"))
    skipBlanks()
    return code
  }

  /// The property in a line that consists of its name, or nil.
  var geteventProperty: UInt16? {
    var place = self
    return UInt16(exactly: libevdev_property_from_name(place.readName()))
  }

  /// Whether getevent writes such a line, which describes nothing.
  var isGeteventChatter: Bool {
    let words: [StaticString] = [
      "could not get driver version for", "events:", "input props:", "none>", "location:", "id:",
      "poll ", "removed device", "remove device", "bus:", "vendor", "product", "version", "Path:",
      "descriptor:",
    ]
    return peek == nil || words.contains { starts(with: $0) }
  }

  /// Whether exactly four hexadecimal digits come next.
  fileprivate var isFourDigits: Bool {
    var place = self
    return place.skipDigits(radix: 16, atMost: 5) == 4 && place.peek?.isWordPart != true
  }
}

extension UInt8 {
  fileprivate var isUppercaseLetter: Bool { self &- UInt8(ascii: "A") < 26 }
}

extension EventCode {
  /// Whether only touch devices send such an event.
  var isTouch: Bool {
    self == .touch || self == .toolFinger || self == .singlePressure || isMultitouch
  }

  /// Whether this is a value of a slot, or the slot itself.
  var isMultitouch: Bool {
    type == EventCode.slot.type && (EventCode.slot.code...0x3d).contains(code)
  }
}
