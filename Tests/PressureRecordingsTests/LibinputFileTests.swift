import PressureKit
import PressureTestSupport
import Testing

@testable import PressureRecordings

private let head = """
  # libinput record
  version: 1
  ndevices: 2
  libinput:
    version: "1.22.1"
  system:
    os: [{deep: [1, 2]}]
  devices:

  """

private let keyboard = """
  - node: /dev/input/event1
    evdev:
      name: "Keyboard"
      id: [17, 1, 1, 1]
      codes:
        1: [30]
      properties: []
    events:
    - evdev:
      - [  0,      0,   1,  30,       1] # EV_KEY / KEY_A

  """

private let pad = """
  - node: /dev/input/event2
    evdev:
      # Name: Pad
      #   Event code 47 (ABS_MT_SLOT)
      #       Value      1
      name: "Pad"
      id: [24, 1739, 52542, 256]
      codes:
        1: [272, 330] # EV_KEY
        3: [47, 53, 54, 57, 58] # EV_ABS
      absinfo:
        47: [0, 4, 0, 0, 0]
        53: [0, 1000, 0, 0, 10]
        54: [0, 500, 0, 0, 10]
        57: [0, 65535, 0, 0, 0]
        58: [0, 255, 0, 0, 12]
      properties: [0, 2]
      later: {unknown: []}
    hid: [0x05, 0x0d]
    udev:
      properties:
      - ID_INPUT=1
    quirks:
    events:
    # Current time is 14:51:15
    - evdev:
      - [  0,      5,   3,  58,     194] # EV_ABS / ABS_MT_PRESSURE
      - [  0,      5,   0,   0,       0] # SYN_REPORT
      libinput: {type: POINTER_MOTION}
    # Touch device in neutral state
    - hid:
        time: [1, 2]
    - evdev:
    - evdev:
      - [  2, 999999,   3,  57,      -1] # EV_ABS / ABS_MT_TRACKING_ID

  """

private let expected = [
  event(5, .pressure, 194), event(5, .report, 0), event(2_999_999, .trackingID, -1),
]

@Test(arguments: ["", "> ", "> > ", ">", "| "])
func `lines of the recorder in a quotation give no warning`(mark: String) throws {
  let lines = (head + keyboard + pad).split(separator: "\n").map { "\(mark)\($0)\n" }
  let reading = try Reading(lines.joined())
  #expect(reading.events == expected)
  #expect(!reading.notes.contains { $0.contains("skipped") })
}

@Test func `the report descriptor of a recording states its units`() throws {
  let bytes = PadDescriptors.haptic.map { "0x" + String($0, radix: 16) }
  let list = "[\n      \(bytes.joined(separator: ", "))\n    ]"
  let text = head + pad.replacing("[0x05, 0x0d]", with: list)
  let reading = try Reading(text)
  #expect(reading.sentence == nil)
  #expect(reading.events == expected)
  #expect(reading.description.descriptor?.pressure?.unitsPerGram == 4)
  #expect(reading.description.descriptor?.clickGrams == 110...190)
}

private let tooLong = "[\(repeatElement("5", count: 4097).joined(separator: ", "))]"

@Test(
  arguments: [
    ("[0x05, x]", nil), ("[0x05, 256]", nil), ("[0x05, [0x0d]]", nil), ("", nil),
    ("[0x26, 0x0d]", "truncated"), (tooLong, "4096"),
  ] as [(String, String?)])
func `a recording with a damaged report descriptor is read`(list: String, reason: String?) throws {
  let reading = try Reading(head + pad.replacing("[0x05, 0x0d]", with: list))
  #expect(reading.sentence == nil)
  #expect(reading.events == expected)
  #expect(reading.description.descriptor == nil)
  let error = reading.description.descriptorError
  #expect(reason.map { error?.contains($0) == true } ?? (error == nil), "\(error ?? "")")
}

@Test(arguments: ["", "  "])
func `libinput record output is read with any indentation`(indentation: String) throws {
  let lines = (keyboard + pad).split(separator: "\n").map { indentation + $0 + "\n" }
  let reading = try Reading(head + lines.joined())
  #expect(reading.sentence == nil)
  #expect(reading.warnings.count == 2 && reading.warnings[0].contains("slot 1 was down already"))
  #expect(reading.warnings.last?.contains("the last frame has no SYN_REPORT") == true)
  #expect(reading.events == expected)
  let description = reading.description
  #expect(description.name == "Pad")
  #expect((description.bus, description.vendor, description.product) == (24, 1739, 52542))
  #expect(description.keys == [272, 330])
  #expect(description.effects == [])
  #expect(description.properties == [0, 2])
  #expect(description.axis(.slot) == Axis(minimum: 0, maximum: 4))
  #expect(description.axis(.pressure) == Axis(minimum: 0, maximum: 255, resolution: 12))
  #expect(description.currentSlot == 1)
}

@Test func `without a touch device the first one is described`() throws {
  let reading = try Reading(head + keyboard)
  #expect(reading.sentence == nil)
  #expect(reading.description.name == "Keyboard")
  #expect(reading.events.isEmpty)
}

@Test func `a device with a touch button and no slots is a candidate`() {
  var description = DeviceDescription()
  description.axes[EventCode.x.code] = Axis(minimum: 0, maximum: 9)
  description.axes[EventCode.y.code] = Axis(minimum: 0, maximum: 9)
  #expect(!description.isTouchCandidate)
  description.keys = [EventCode.touch.code]
  #expect(description.isTouchCandidate)
}

@Test(arguments: [
  ("[3, 0, 3, 58, 99999999999]", "the value 99999999999 does not fit into 32 bits"),
  ("[3, 0, 3, 65536, 1]", "the code 65536 does not fit into 16 bits"),
  ("[3, 0, 3, 58]", "the comma after the code is missing"),
  ("[3, 0, 3, 58, 1, 2]", "the closing bracket is missing"),
  ("[3, 0, 3, 58, 1] 2", "unexpected text after the value"),
  ("[3, 0, 3, 58, x]", "the value is not a number"),
  ("[3, 1000000, 3, 58, 1]", "the microseconds 1000000 are not in the range 0 to 999999"),
  (
    "[9999999999999, 0, 3, 58, 1]",
    "the time 9999999999999 s does not fit into 64 bits of microseconds"
  ),
])
func `an invalid event of libinput ends the events`(line: String, reason: String) throws {
  let reading = try Reading(head + pad + "    - \(line)\n")
  #expect(reading.sentence == "dump:44: \(reason)")
  #expect(reading.status == 65)
  #expect(reading.events == expected)
}

@Test func `an event that is cut is reported with its line`() throws {
  let reading = try Reading(head + pad + "    - [3, 0, 3, 58")
  #expect(reading.sentence?.hasPrefix("dump:4") == true)
  #expect(reading.status == 65)
  #expect(reading.events == expected)
}

@Test func `an axis with too few numbers is an error at once`() throws {
  let reading = try Reading(head + pad.replacing("[0, 4, 0, 0, 0]", with: "[0, 4, 0]"))
  #expect(reading.sentence == "dump:20: the comma after the fuzz is missing")
  #expect(reading.events.isEmpty)
}

@Test func `the touch device among several is read, and the next recording gives a warning`()
  throws
{
  let second = pad.replacing("event2", with: "event3").replacing("\"Pad\"", with: "\"Second\"")
  let text = head + keyboard + pad + keyboard + second
  let line = (head + keyboard + pad).count { $0 == "\n" } + 1
  let reading = try Reading(text)
  #expect(reading.description.name == "Pad")
  #expect(reading.events == expected)
  #expect(reading.notes.count { $0.hasPrefix("dump:\(line): another recording begins here") } == 1)
  for (device, name) in [(1, "Keyboard"), (3, "Keyboard"), (4, "Second")] {
    let chosen = try Reading(text, device: device)
    #expect(chosen.description.name == name)
    #expect(chosen.events.count == (name == "Keyboard" ? 1 : expected.count))
    #expect(chosen.notes.allSatisfy { !$0.contains("another") })
  }
  #expect(try Reading(text, device: 5).sentence?.contains("there is no device 5") == true)
}
