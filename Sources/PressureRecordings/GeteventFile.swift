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
struct GeteventDialect: TextDialect {
  static let name: StaticString = "getevent"
  static let eventWord: StaticString = "/dev/input/event"

  /// One of the devices.
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

  /// The number of the device that is to be read, counted from 1, if the user has chosen one.
  private var wanted: Int?

  /// The index of the device that is read.
  private var selected: Int?

  /// The device that is being described, and the type of its codes.
  private var described: Int?
  private var type: UInt16?

  private var assumedTime: Int64 = 0
  private var hasAssumedTimes = false

  private var notation = ValueNotation.unknown
}

// MARK: - Events

extension GeteventDialect {
  static func findEvent(_ cursor: inout LineCursor) -> Bool {
    var start = cursor
    start.skip { !$0.isBlank && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "|") }
    if GeteventLine(start)?.hasCode == true {
      cursor = start
      return true
    }
    return cursor.seek { previous, place in
      switch place.peek {
      case UInt8(ascii: "["), UInt8(ascii: "/"), UInt8(ascii: "E"):
        previous?.isWordPart != true && GeteventLine(place)?.hasCode == true
      default: false
      }
    }
  }

  static func startsRecording(_ line: LineCursor) -> Bool { false }

  mutating func select(device: Int) -> Bool {
    wanted = device
    return true
  }

  mutating func selects(_ cursor: LineCursor) throws(LineError) -> Bool {
    guard var line = GeteventLine(cursor) else { return false }
    let index = try index(of: line)
    let code = try line.readCode()
    if let wanted {
      if index + 1 == wanted { selected = index }
    } else if code?.isTouch == true {
      selected = index
    }
    return selected != nil
  }

  var selectedDevice: Int? { selected.map { $0 + 1 } }

  var certainty: ValueCertainty {
    switch notation {
    case .unknown, .hexadecimal: .known
    case .decimal: .assumed
    case .refutedDecimal: .refuted
    }
  }

  var missingDevice: Int? {
    wanted.flatMap { selected == nil && $0 > devices.count ? $0 : nil }
  }

  mutating func event(_ cursor: inout LineCursor) throws(LineError) -> InputEvent? {
    guard var line = GeteventLine(cursor) else {
      throw LineError(reason: "not an event of getevent")
    }
    let index = try index(of: line)
    defer { cursor = line.cursor }
    let code = try line.readCode()
    let value = try line.readValue(in: &notation)
    guard index == selected else {
      if code?.isTouch == true { devices[index].hasTouches = true }
      return nil
    }
    let time = line.time ?? assumedTime(at: code)
    return code.map { InputEvent(time: time, code: $0, value: value) }
  }

  private mutating func assumedTime(at code: EventCode?) -> Timestamp {
    hasAssumedTimes = true
    defer { if code == .report { assumedTime += GeteventDialect.assumedInterval } }
    return Timestamp(microseconds: assumedTime)
  }

  /// The index of the device of an event; devices are numbered in the order in which they appear.
  private mutating func index(of line: GeteventLine) throws(LineError) -> Int {
    try index(of: line.path)
  }

  private mutating func index(of path: String) throws(LineError) -> Int {
    if let index = devices.firstIndex(where: { $0.path == path }) { return index }
    guard devices.count < GeteventDialect.mostDevices else {
      throw LineError(reason: "more than \(GeteventDialect.mostDevices) devices")
    }
    devices.append(Listed(path: path))
    return devices.count - 1
  }

  var remarks: [String] {
    var remarks: [String] = []
    if notation == .decimal {
      remarks.append(
        "the values are read as decimal numbers; those of getevent have eight hexadecimal digits")
    }
    if hasAssumedTimes {
      remarks.append(
        "no times; frames are assumed to be 10 ms apart (getevent -t prints their times)")
    }
    for (index, device) in devices.enumerated() where device.hasTouches {
      remarks.append(
        "\(device.path) has touches, too; --device \(index + 1) reads it")
    }
    return remarks
  }
}

// MARK: - The description

extension GeteventDialect {
  var description: DeviceDescription {
    if let selected { return devices[selected].description }
    // Without events, the first touch device that is described.
    let touch = devices.first { (try? Surface($0.description)) != nil }
    return (touch ?? devices.first)?.description ?? DeviceDescription()
  }

  mutating func readHeader(_ cursor: inout LineCursor) throws(LineError) -> HeaderLine {
    cursor.skipMarks()
    let line = cursor
    if cursor.skip("add device ") {
      cursor.skip { $0 == UInt8(ascii: "/") }
      let start = cursor
      cursor.skip { $0.isBlank }
      described = try index(of: start.prefix(to: cursor))
      type = nil
      return .part
    }
    guard let described else { return line.isGeteventChatter ? .silent : .unknown }
    var description = devices[described].description
    defer { devices[described].description = description }
    return try read(&cursor, into: &description)
      ? .part : line.isGeteventChatter ? .silent : .unknown
  }

  private mutating func read(
    _ cursor: inout LineCursor, into description: inout DeviceDescription
  ) throws(LineError) -> Bool {
    if cursor.skip("name:") {
      cursor.skip { $0 == UInt8(ascii: "\"") }
      cursor.skip()
      let text = cursor.text
      description.name = String(text.prefix(upTo: text.lastIndex(of: "\"") ?? text.endIndex))
    } else if cursor.skipColumn("bus:") {
      description.bus = try cursor.hexadecimal("bus")
    } else if cursor.skipColumn("vendor") {
      description.vendor = try cursor.hexadecimal("vendor")
    } else if cursor.skipColumn("product") {
      description.product = try cursor.hexadecimal("product")
    } else if cursor.skipColumn("version") {
      description.version = try cursor.hexadecimal("version")
    } else if let property = cursor.geteventProperty {
      description.properties.insert(property)
    } else {
      return try readCodes(&cursor, into: &description)
    }
    return true
  }

  /// Reads "ABS (0003): 002f  : value 0, min 0, max 9, …" or a list of keys, or a line that continues one.
  private mutating func readCodes(
    _ cursor: inout LineCursor, into description: inout DeviceDescription
  ) throws(LineError) -> Bool {
    var place = cursor
    if place.skipName() > 0, place.skip(" (") {
      type = try place.hexadecimal("type")
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
        description.axes[code] = try GeteventDialect.axis(&cursor)
      } else if type == EventCode.touch.type {
        description.keys = (description.keys ?? []).union([code])
      }
    }
    return hasCode
  }

  private static func axis(_ cursor: inout LineCursor) throws(LineError) -> Axis {
    func number(_ word: StaticString) throws(LineError) -> Int32 {
      cursor.skipBlanks()
      guard cursor.skip(word) else { throw LineError(reason: "the \(word) is missing") }
      let number: Int32 = try cursor.decimal(word)
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
