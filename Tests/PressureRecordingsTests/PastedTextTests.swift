import Glibc
import PressureKit
import Testing

@testable import PressureRecordings

/// The lines of a short touch in evtest's format.
private let touch = """
  Event: time 1.0, type 3 (EV_ABS), code 57 (ABS_MT_TRACKING_ID), value 71
  Event: time 1.0, type 3 (EV_ABS), code 53 (ABS_MT_POSITION_X), value 300
  Event: time 1.0, type 3 (EV_ABS), code 54 (ABS_MT_POSITION_Y), value 250
  Event: time 1.0, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value 40
  Event: time 1.0, -------------- SYN_REPORT ------------

  """

private let events = [
  event(1_000_000, .trackingID, 71), event(1_000_000, .positionX, 300),
  event(1_000_000, .positionY, 250), event(1_000_000, .pressure, 40),
  event(1_000_000, .report, 0),
]

// MARK: - Lines

@Test(arguments: [
  ("Event: time 3.0, type 3 (EV_ABS), code 58\n(ABS_MT_PRESSURE), value 22", 22),
  ("Event: time 3.0, type 3 (EV_ABS),\ncode 58 (ABS_MT_PRESSURE),\n  value\n22", 22),
  ("> Event: time 3.0, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE),\n> value -5", -5),
])
func `an event that is wrapped is joined`(lines: String, value: Int32) throws {
  let reading = try Reading(touch + lines + "\n")
  #expect(reading.error == nil)
  #expect(reading.events.last == event(3_000_000, .pressure, value))
  #expect(reading.notes.last == "dump:6: joined an event that is wrapped")
}

@Test func `an event in more lines than mail programs write is an error at its first line`() throws
{
  let reading = try Reading(
    touch + "Event: time 3.0, type 3 (EV_ABS),\ncode 58\n(ABS_MT_PRESSURE),\nvalue\n22\n")
  #expect(reading.sentence == "dump:6: the code is missing")
}

@Test func `a value that is wrapped is ambiguous, and an error`() throws {
  let reading = try Reading(touch + "Event: time 3.0, type 3 (EV_ABS), code 58 (x), value 2\n2\n")
  #expect(reading.sentence == "dump:6: the line seems to be wrapped within its value")
}

@Test func `bytes of UTF-16 may be cut between two reads`() throws {
  let text = String(repeating: touch, count: 500)
  for mark: [UInt8] in [[0xff, 0xfe], [0xfe, 0xff]] {
    let bytes = text.utf8.flatMap { mark[0] == 0xff ? [$0, 0] : [0, $0] }
    let reading = try Reading(bytes: mark + bytes)
    #expect(reading.error == nil)
    #expect(reading.events.count == 2500)
  }
}

@Test(arguments: [
  (
    "evtest",
    "Input driver version is 1.0.1\n  Event type 3 (EV_ABS)\n    Event code 58 (ABS_MT_PRESSURE)\n"
      + "      Min        0\n      Max      255\nTesting ... (interrupt to exit)\n"
  ),
  (
    "evtest",
    "Device name: Pad\n  Type EV_ABS 3:\n    Code ABS_MT_PRESSURE 58:\n"
      + "      value 0, min 0, max 255, fuzz 0, flat 0, res 0\n"
  ),
  ("evemu", "# EVEMU 1.3\nN: Pad\nA: 3a 0 255 0 0 0\n"),
  ("libinput record", "# libinput record\n- evdev:\n    absinfo:\n      58: [0, 255, 0, 0, 0]\n"),
  (
    "getevent",
    "add device 1: /dev/input/event2\n  name:     \"Pad\"\n"
      + "    ABS (0003): 003a  : value 0, min 0, max 255, fuzz 0, flat 0, resolution 0\n"
  ),
])
func `a description that only other text follows is an error`(format: String, text: String) throws {
  let line = text.count { $0 == "\n" } + 1
  #expect(
    try Reading(text + "Nothing happens.\n").sentence
      == "dump:\(line): not an event of \(format), and none follows: \"Nothing happens.\"")
}

// MARK: - Descriptions

@Test func `axes that were cut from a description are completed`() throws {
  let header =
    "Input device name: \"Pad\"\n  Event type 3 (EV_ABS)\n    Event code 53 (ABS_MT_POSITION_X)\n      Min        0\n      Max     1000\n"
  let reading = try Reading(header + touch)
  #expect(reading.error == nil)
  #expect(reading.description.axis(.positionX) == Axis(minimum: 0, maximum: 1000))
  #expect(reading.description.axis(.pressure) == Axis(minimum: 0, maximum: 40))
  #expect(reading.description.axis(.slot) == Axis(minimum: 0, maximum: 0))
  #expect(reading.description.inferredAxes.contains(EventCode.pressure.code))
  #expect(!reading.description.inferredAxes.contains(EventCode.positionX.code))
  #expect(
    reading.notes == [
      "dump: the description is incomplete; inferred from the recorded values: ABS_MT_SLOT, "
        + "ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID, ABS_MT_PRESSURE",
      "dump: no range is known of ABS_MT_POSITION_Y, which never changes: positions are null",
    ])
}

@Test func `a position that is never reported is unknown`() throws {
  let reading = try Reading(
    touch.split(separator: "\n").filter { !$0.contains("POSITION_X") }.joined(separator: "\n"))
  #expect(reading.description.axis(.positionX) == Axis(minimum: 0, maximum: 0))
  // A single finger has a slot as well.
  #expect(reading.description.axis(.slot) == Axis(minimum: 0, maximum: 0))
  #expect(
    reading.notes.last
      == "dump: no range is known of ABS_MT_POSITION_X, ABS_MT_POSITION_Y, which never change: positions are null"
  )
}

@Test func `contacts that were down already begin with the first event`() throws {
  let reading = try Reading(
    """
    E: 1.0 0003 003a 41
    E: 1.0 0003 002f 2
    E: 1.0 0003 003a 30
    E: 1.0 0000 0000 0
    E: 1.1 0003 0039 -1
    E: 1.1 0000 0000 0

    """)
  #expect(reading.error == nil)
  let ids = (reading.initialEvents + reading.events).filter { $0.code == .trackingID }.map(\.value)
  #expect(ids == [0, 1, -1])
  #expect(reading.initialEvents.allSatisfy { $0.time.microseconds == 1_000_000 })
  #expect(reading.initialEvents.last == event(1_000_000, .slot, 0))
  #expect(
    reading.notes.last
      == "dump: the contacts in slots 0, 2 were down already; their tracking IDs are invented")
}

@Test func `an invented ID is none that the recording has`() throws {
  let reading = try Reading(
    "E: 1.0 0003 003a 41\nE: 1.0 0 0 0\nE: 1.1 0003 0039 -1\nE: 1.1 0 0 0\nE: 1.2 0003 0039 7\nE: 1.2 0 0 0\n"
  )
  let ids = (reading.initialEvents + reading.events).filter { $0.code == .trackingID }
  #expect(ids.map(\.value) == [8, -1, 7])
}

@Test func `a log with tilt and without a description is a pen's`() throws {
  let reading = try Reading(
    "E: 1.0 0003 0000 5\nE: 1.0 0003 0001 5\nE: 1.0 0003 0018 9\nE: 1.0 0003 001a 1\nE: 1.0 0 0 0\n"
  )
  #expect(throws: UnsupportedDeviceError.pen) { try Surface(reading.description) }
}

@Test func `a description without slots and events that show none is refused for that reason`()
  throws
{
  let reading = try Reading("N: Pad\nA: 35 0 9 0 0\nA: 36 0 9 0 0\nA: 3a 0 9 0 0\nE: 1.0 0 0 0\n")
  #expect(reading.sentence?.contains("no event shows whether the device has slots") == true)
}

// MARK: - Several devices

@Test func `a second recording in the file is read on request`() throws {
  func recording(_ name: String, _ value: Int) -> String {
    "# EVEMU 1.3\nN: \(name)\nA: 3a 0 9 0 0\nE: 1.0 0003 003a \(value)\nE: 1.0 0 0 0\n"
  }
  let text = recording("One", 1) + recording("Two", 2)
  let first = try Reading(text)
  #expect(first.description.name == "One")
  #expect(
    first.notes.last
      == "dump:6: another recording begins here; --device reads it, and --list shows all")
  let second = try Reading(text, device: 2)
  #expect(second.description.name == "Two")
  #expect(second.events.contains { $0.code == .pressure && $0.value == 2 })
  let third = try Reading(text, device: 3)
  #expect(third.sentence == "dump: there is no device 3; --list shows the devices of a recording")
}

// MARK: - Getevent

@Test(arguments: [
  "[       1.000000] /dev/input/event2: EV_ABS       ABS_MT_PRESSURE      00000028",
  "[       1.000000] /dev/input/event2: 0003 003a 00000028",
  "[       1.000000] EV_ABS       ABS_MT_PRESSURE      00000028            ",
  "[       1.000000] 0003 003a 00000028",
  "> [       1.000000] /dev/input/event2: EV_ABS       003a                 00000028",
])
func `an event of getevent is read with a time`(line: String) throws {
  let reading = try Reading(line + "\n")
  #expect(reading.error == nil)
  #expect(reading.events.contains(event(1_000_000, .pressure, 40)))
}

@Test func `without times the frames of getevent are 10 ms apart`() throws {
  let reading = try Reading(
    "0003 0039 0000000a\n0003 003a 00000028\n0000 0000 00000000\n0003 0039 ffffffff\n0000 0000 00000000\n"
  )
  #expect(reading.events.map(\.time.microseconds) == [0, 0, 0, 10_000, 10_000])
  #expect(reading.events.map(\.value) == [10, 40, 0, -1, 0])
  #expect(reading.warnings.contains { $0.contains("10 ms apart") })
}

private let several = """
  add device 1: /dev/input/event4
    name:     "accelerometer"
    events:
      ABS (0003): 0000  : value 0, min -9, max 9, fuzz 0, flat 0
  add device 2: /dev/input/event2
    bus:      0018
    vendor    06cb
    name:     "touch"
    events:
      KEY (0001): 014a
      ABS (0003): 002f  : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0
                  003a  : value 0, min 0, max 255, fuzz 0, flat 0, resolution 2
    input props:
      INPUT_PROP_DIRECT
  /dev/input/event4: 0003 0000 00000001
  /dev/input/event2: 0003 0039 00000005
  /dev/input/event4: 0003 0000 00000002
  /dev/input/event2: 0001 014a 00000001
  /dev/input/event2: EV_KEY       BTN_TOUCH            UP
  /dev/input/event2: 0000 0000 00000000 rate 60

  """

@Test func `of several devices in getevent's output the touch device is read`() throws {
  let reading = try Reading(several)
  #expect(reading.error == nil)
  #expect(reading.description.name == "touch")
  #expect((reading.description.bus, reading.description.vendor) == (0x18, 0x6cb))
  #expect(reading.description.properties == [1])
  #expect(reading.description.keys == [330])
  #expect(reading.description.axis(.slot) == Axis(minimum: 0, maximum: 9))
  #expect(reading.description.axis(.pressure) == Axis(minimum: 0, maximum: 255, resolution: 2))
  #expect(reading.events.map(\.value) == [5, 1, 0, 0])
  let other = try Reading(several, device: 1)
  #expect(other.description.name == "accelerometer")
  #expect(other.events.map(\.value) == [1, 2])
}

@Test(arguments: [
  ("[ 1.000000] 0003 003a 000000zz", "the value"),
  ("[ 1.000000] 0003 003a", "the value is missing"),
  ("[ 1.000000] 0003 003a 00000028 x", "unexpected text"),
])
func `an invalid event of getevent is an error`(line: String, reason: String) throws {
  let reading = try Reading("0003 003a 00000028\n\(line)\n0000 0000 00000000\n")
  #expect(reading.sentence?.hasPrefix("dump:2: ") == true)
  #expect(reading.sentence?.contains(reason) == true)
}

@Test func `the first frame of a single-touch device is read as a whole`() throws {
  let reading = try Reading(
    """
    /dev/input/event4: EV_ABS ABS_X        00000001
    /dev/input/event7: EV_ABS ABS_X        00000b00
    /dev/input/event7: EV_ABS ABS_Y        00000400
    /dev/input/event7: EV_ABS ABS_PRESSURE 00000030
    /dev/input/event7: EV_KEY BTN_TOUCH    DOWN
    /dev/input/event7: EV_SYN SYN_REPORT   00000000

    """)
  #expect(reading.events.map(\.value) == [0xb00, 0x400, 0x30, 1, 0])
  #expect(!reading.notes.contains { $0.contains("skipped") })
}

@Test(arguments: [("60", 60), ("-12345678", -12_345_678)])
func `values are decimal if the first one has fewer than eight digits`(first: String, value: Int32)
  throws
{
  let reading = try Reading(
    """
    EV_ABS ABS_MT_TRACKING_ID \(first)
    EV_KEY BTN_TOUCH DOWN
    EV_ABS ABS_MT_PRESSURE 60
    EV_ABS ABS_MT_POSITION_X 12345678
    EV_SYN SYN_REPORT 0
    EV_ABS ABS_MT_TRACKING_ID -1
    EV_SYN SYN_REPORT 0

    """)
  #expect(reading.error == nil)
  #expect(reading.events.map(\.value) == [value, 1, 60, 12_345_678, 0, -1, 0])
  #expect(
    reading.notes.contains(
      "dump: the values are read as decimal numbers; those of getevent have eight hexadecimal digits"
    ))
}

@Test func `values of eight digits alone are hexadecimal`() throws {
  let reading = try Reading("0003 003a 12345678\n0003 003a 0000003c\n0000 0000 00000000\n")
  #expect(reading.error == nil)
  #expect(reading.events.map(\.value) == [0x1234_5678, 60, 0])
  #expect(!reading.notes.contains { $0.contains("decimal") })
}

@Test func `a decimal value that does not fit is an error in its line`() throws {
  let reading = try Reading("0003 003a 60\n0003 003a 2147483648\n")
  #expect(reading.sentence == "dump:2: the value 2147483648 does not fit into 32 bits")
  #expect(reading.events.map(\.value) == [60])
}

@Test(arguments: [
  ("60", "3c", "3c is not decimal, as others are"),
  ("60", "007", "007 is not decimal, as others are"),
  ("60", "0000003c", "0000003c is not decimal, as others are"),
  ("60", "ffffffff", "ffffffff is not decimal, as others are"),
  ("0000003c", "60", "60 does not have eight hexadecimal digits, as those of getevent"),
  ("0000003c", "-1", "-1 does not have eight hexadecimal digits, as those of getevent"),
  (
    "0000003c", "00000003c",
    "00000003c does not have eight hexadecimal digits, as those of getevent"
  ),
  ("3c", "60", "3c does not have eight hexadecimal digits, as those of getevent"),
])
func `values that are written in two ways are refused`(
  first: String, second: String, reason: String
) throws {
  let many = String(repeating: "0003 003a \(first)\n", count: 3000)
  let reading = try Reading(many + "0003 003a \(second)\n")
  #expect(
    reading.sentence == "dump:\(first == "3c" ? 1 : 3001): the value \(reason); "
      + "write all values of the file as decimal numbers, or all with eight hexadecimal digits")
  #expect(reading.status == 65)
  #expect(reading.events.isEmpty == (first == "3c"))
}

@Test func `the number of devices of getevent is limited`() throws {
  let lines = (0..<65).map { "/dev/input/event\($0): 0003 0000 00000001\n" }
  #expect(try Reading(lines.dropLast().joined()).error == nil)
  #expect(try Reading(lines.joined()).sentence == "dump:65: more than 64 devices")
  let after = "/dev/input/event1: 0003 003a 00000001\n" + lines.joined()
  #expect(try Reading(after).sentence == "dump:66: more than 64 devices")
}
