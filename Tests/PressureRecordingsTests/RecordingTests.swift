import Glibc
import PressureKit
import PressureTestSupport
import Testing

@testable import PressureRecordings
import PressureSystem

@Test(arguments: [
  "", "\n", "hello\n", "N:\n", "{\"version\": 1}\n", "\u{0}\u{1}\u{2}", "version: 1\n",
])
func `other files are reported as unsupported`(text: String) throws {
  let reading = try Reading(text)
  #expect(reading.sentence?.hasPrefix("dump: is not a recognized recording (") == true)
  #expect(reading.status == 65)
}

@Test(arguments: [
  "D: 0\nR: 3 05 0d 09\nN: Pad\nI: 3 1234 5678\nE: 0.000000 3 01 02 03\n",
  "R: 3 05 0d 09\n",
])
func `a recording by hid-recorder is refused`(text: String) throws {
  #expect(try Reading(text).status == 65)
}

@Test(arguments: [
  "P: /devices/pci/input5/event5\nN: input/event5\nE: DEVNAME=/dev/input/event5\n",
  "I: Bus=0018 Vendor=06cb Product=0000 Version=0001\nN: Name=\"Pad\"\n",
  "-event5   DEVICE_ADDED     Pad      seat0 default group1\n",
  "Device:           Pad\nKernel:           /dev/input/event5\n",
  "absolute axis event at 1.200000, ABS_MT_PRESSURE\n",
  "{\"event\":\"hello\",\"protocol\":1}\n",
  "E: 0.000000 5 01 02 03 04 05\n",
])
func `other output about devices is not taken for a recording`(text: String) throws {
  let reading = try Reading(text)
  #expect(reading.status == 65 || (try? Surface(reading.description)) == nil)
  #expect(reading.events.isEmpty)
}

@Test(arguments: [
  ("/nonexistent/dump", "/nonexistent/dump: cannot be opened: there is no such file"),
  ("/", "/: cannot be read: Is a directory"),
])
func `a missing file and a folder are reported`(path: String, sentence: String) {
  let reading = Reading(path: path)
  #expect(reading.error?.sentences.joined() == sentence)
  #expect(reading.status == 66)
}

@Test func `after an error there are no more events`() throws {
  let file = try TemporaryFile("A: 3a 0 9 0 0\nE: x\nE: 1.0 0000 0000 0\n")
  try withExtendedLifetime(file) {
    let recording = try Recording(path: file.path)
    #expect(throws: ExitError.self) { try recording.next() }
    #expect(try recording.next() == nil)
  }
}

@Test func `an unfinished last frame of complete lines is not an error`() throws {
  let reading = try Reading("A: 3a 0 9 0 0\nE: 1.0 0003 003a 5")
  #expect(reading.error == nil)
  #expect(reading.events == [event(1_000_000, .pressure, 5)])
}

@Test func `the number of events of a frame is limited`() throws {
  let frame = String(repeating: "E: 1.0 0003 003a 5\n", count: EventCheck.longestFrame)
  let end = "E: 1.0 0000 0000 0\n"
  #expect(try Reading("A: 3a 0 9 0 0\n\(frame)\(end)\(frame)\(end)").error == nil)
  let reading = try Reading("A: 3a 0 9 0 0\n\(frame)\(frame)")
  #expect(reading.sentence == "dump:65538: more than 65536 events without a SYN_REPORT")
  #expect(reading.events.count == EventCheck.longestFrame)
}

private let megabyte = String(repeating: "x", count: 1 << 20)

@Test(arguments: [
  "A: 3a 0 9 0 0\nE: 1.0 0003 003a 5\n# \(megabyte)\n",
  "A: 3a 0 9 0 0\nE: 1.0 0003 003a 5\n# \(megabyte)",
  "Event: time 1.0, --- SYN_REPORT ---\n\n\(megabyte)\n",
  "ndevices: 1\n\n# \(megabyte)\n",
  "ndevices: 1\n\nlibinput: \(megabyte)\n",
])
func `a line of a megabyte is an error with its number`(text: String) throws {
  let reading = try Reading(text)
  #expect(reading.sentence == "dump:3: the line is longer than 262144 bytes")
  #expect(reading.status == 65)
}

@Test func `a line of the maximum length is read`() throws {
  let comment = "#" + String(repeating: "x", count: LineReader.longestLine - 1)
  let reading = try Reading("A: 3a 0 9 0 0\n\(comment)\nE: 1.0 0003 003a 5\n\(comment)")
  #expect(reading.error == nil)
  #expect(reading.events.count == 1)
  #expect(try Reading("A: 3a 0 9 0 0\n\(comment)x\n").error?.status == 65)
}

@Test func `without a description the ranges are those of the events`() throws {
  let reading = try Reading(
    """
    E: 1.0 0003 002f 3
    E: 1.0 0003 0039 100
    E: 1.0 0003 003a 41
    E: 1.0 0003 0035 -20
    E: 1.0 0001 014a 1
    E: 1.0 0000 0000 0
    E: 1.1 0003 003a 24
    E: 1.1 0003 0035 80
    E: 1.1 0003 0039 -1
    E: 1.1 0000 0000 0
    E: 0.1 0003 003a 90

    """)
  let description = reading.description
  #expect(description.name == "unknown device")
  #expect(description.axis(.slot) == Axis(minimum: 0, maximum: 3))
  #expect(description.axis(.pressure) == Axis(minimum: 0, maximum: 90))
  #expect(description.axis(.positionX) == Axis(minimum: -20, maximum: 80))
  #expect(description.keys == [EventCode.touch.code])
  #expect(reading.warnings.first?.contains("no device description") == true)
  #expect(reading.events.count == 10)
  #expect(reading.sentence == "dump:11: the time runs backwards")
}

@Test(arguments: [
  "E: 1.0 0q03 0035 5\n", "Event: time 1.0, type 3 (EV_ABS), code 53 (x), value 1z\n",
  "Event: time 1.0, type 3 (EV_ABS), code 53 (x)\n", "0003 0035 0000zz01\n",
  "time 1.0   type 3 (EV_ABS), code 53 (x), value 1z\n", "- [  1,      5,   3,  5x,       7]\n",
])
func `without a description the first error is that of the event`(line: String) throws {
  let reading = try Reading(line + line)
  #expect(reading.sentence?.hasPrefix("dump:1: ") == true)
  // It was not opened, so that the inferred device is not refused first.
  #expect(reading.description == DeviceDescription())
}

/// A touchscreen of protocol A with tracking IDs.
private let screen =
  "# EVEMU 1.3\nN: Screen\nA: 30 0 20 0 0 0\nA: 35 0 999 0 0 0\nA: 36 0 999 0 0 0\n"
  + "A: 39 0 9 0 0 0\nA: 3a 0 255 0 0 0\n"

/// A contact in protocol A.
private func contact(_ id: Int, _ pressure: Int) -> String {
  "E: 1.0 3 39 \(id)\nE: 1.0 3 35 300\nE: 1.0 3 36 400\nE: 1.0 3 3a \(pressure)\nE: 1.0 0 2 0\n"
}

@Test(arguments: [
  // The positions, and all but the pressure: whether the ID precedes them depends on the driver.
  "E: 1.0 3 36 400\nE: 1.0 3 3a 30\nE: 1.0 0 2 0\n", "E: 1.0 3 3a 30\nE: 1.0 0 2 0\n",
  "E: 1.0 3 36 400\nE: 1.0 3 3a 30\nE: 1.0 3 39 4\nE: 1.0 0 2 0\n",
])
func `the first contact of protocol A is not read if it was cut`(cut: String) throws {
  let frames =
    contact(4, 40) + contact(5, 50) + "E: 1.0 0 0 0\n" + contact(4, 41) + "E: 1.0 0 0 0\n"
  let reading = try Reading(screen + cut + contact(5, 49) + "E: 1.0 0 0 0\n" + frames)
  #expect(reading.error == nil)
  #expect(
    reading.events.filter { $0.code == .pressure }.map(\.value) == [49, 40, 50, 41])
  #expect(
    reading.notes.last == "dump: the recording begins within a contact, which is not read")
}

/// What assigns slots: the events of these frames, without positions.
private func slotEvents(_ description: String, _ frames: [String]) throws -> Reading {
  var reading = try Reading(description + frames.map { "\($0)E: 1.0 0 0 0\n" }.joined())
  reading.events.removeAll { ![.slot, .trackingID, .pressure].contains($0.code) }
  return reading
}

@Test func `slots are assigned to the contacts of protocol A by their tracking IDs`() throws {
  let reading = try slotEvents(
    screen,
    [
      contact(4, 40), contact(4, 62) + contact(5, 90), contact(5, 111) + contact(4, 77),
      contact(5, 128), "E: 1.0 0 2 0\n",
    ])
  #expect(
    reading.events.map(\.value) == [
      0, 4, 40, 0, 62, 1, 5, 90, 1, 111, 0, 77, 0, -1, 1, 128, 1, -1,
    ])
  #expect(
    reading.notes
      == ["dump: the device uses multi-touch protocol A; slots are assigned by tracking ID"])
}

@Test func `without tracking IDs protocol A has one contact at a time`() throws {
  let description = screen.replacing("A: 39 0 9 0 0 0\n", with: "")
  func contact(_ pressure: Int) -> String {
    "E: 1.0 3 35 300\nE: 1.0 3 36 250\nE: 1.0 3 3a \(pressure)\nE: 1.0 0 2 0\n"
  }
  let one = try slotEvents(description, [contact(62), contact(92), "E: 1.0 0 2 0\n"])
  #expect(one.events.map(\.value) == [0, 0, 62, 0, 92, 0, -1])
  #expect(
    one.notes == ["dump: the device uses multi-touch protocol A, with one contact at a time"])
  let two = try slotEvents(description, [contact(40), contact(62) + contact(90)])
  #expect(
    two.sentence
      == "dump: the device uses multi-touch protocol A without tracking IDs, so that several "
      + "contacts of a frame cannot be distinguished")
  #expect(two.status == 65)
}

@Test(arguments: [
  "E: 1.0 0000 0002 0000", "    - [  1,      0,   0,   2,       0] # SYN_MT_REPORT",
  "Event: time 1.0, ++++++++++++++ SYN_MT_REPORT ++++++++++++",
  "time 1.0              +++++++++ SYN_MT_REPORT ++++++++",
  "[       1.000000] EV_KEY BTN_TOUCH DOWN\n[       1.000000] EV_SYN SYN_MT_REPORT 00000000",
])
func `the end of a contact of protocol A is read in each format`(lines: String) throws {
  #expect(try Reading(lines + "\n").events.last == event(1_000_000, .multitouchReport, 0))
}

/// A touchpad with slots, without its events.
private let pad =
  "# EVEMU 1.3\nN: Pad\nA: 2f 0 4 0 0 0\nA: 35 0 999 0 0 0\nA: 36 0 999 0 0 0\n"
  + "A: 39 0 9 0 0 0\nA: 3a 0 255 0 0 0\n"

@Test func `a last frame without SYN_REPORT gives a warning`() throws {
  let touch = "E: 1.0 3 39 5\nE: 1.0 3 3a 9\nE: 1.0 0 0 0\n"
  let reading = try Reading(pad + touch + "E: 1.1 3 3a 10\n")
  #expect(reading.error == nil)
  #expect(
    reading.notes == ["dump:11: the last frame has no SYN_REPORT, so it is not read"])
  #expect(try Reading(pad + touch).notes.isEmpty)
}

@Test(arguments: [
  (pad, []),
  (
    pad.replacing("3a 0 255", with: "3a 0 63"),
    ["ABS_MT_PRESSURE is 0 to 63 there and 0 to 255 in the recording"]
  ),
  (
    pad.replacing("A: 36 0 999 0 0 0\n", with: "").replacing(
      "35 0 999 0 0 0", with: "35 0 9 0 0 5"),
    [
      "ABS_MT_POSITION_X is 0 to 9 by 5 there and 0 to 999 in the recording",
      "it lacks ABS_MT_POSITION_Y",
    ]
  ),
])
func `a description that contradicts the recording gives a warning`(
  describe: String, differences: [String]
) throws {
  let events = "E: 1.0 3 39 5\nE: 1.0 3 3a 90\nE: 1.0 0 0 0\n"
  let reading = try Reading(pad + events, describe: describe)
  #expect(
    reading.notes
      == (differences.isEmpty
        ? []
        : ["dump: the description may be of another device: \(differences.joined(separator: "; "))"])
  )
}

@Test func `a pressure beyond the description gives a warning`() throws {
  let events = "E: 1.0 3 39 5\nE: 1.0 3 3a 90\nE: 1.0 0 0 0\n"
  let reading = try Reading(events, describe: pad.replacing("3a 0 255", with: "3a 0 63"))
  #expect(
    reading.notes == [
      "dump: the description may be of another device: ABS_MT_PRESSURE is 0 to 63 there and reaches 90"
    ])
}

@Test func `without a description protocol A has no slots`() throws {
  let reading = try Reading("E: 1.0 0003 0039 5\nE: 1.0 0000 0002 0\nE: 1.0 0000 0000 0\n")
  #expect(reading.description.axis(.slot) == nil)
}

@Test func `a guessed device has no more slots than a real one`() throws {
  let reading = try Reading("E: 1.0 0003 002f 2147483647\n")
  #expect(reading.description.axis(.slot) == Axis(minimum: 0, maximum: 1023))
  #expect(reading.sentence == "dump:1: the slot 2147483647 is not in the range 0 to 1023")
}

@Test func `a pipe without a description is read to its end`() throws {
  var ends: [Int32] = [-1, -1]
  try #require(pipe(&ends) == 0)
  defer { close(ends[0]) }
  let text = Array("E: 1.0 0003 0018 9\nE: 1.0 0001 014a 1\nE: 1.0 0000 0000 0\n".utf8)
  try #require(write(ends[1], text, text.count) == text.count)
  close(ends[1])
  let reading = Reading(path: "/proc/self/fd/\(ends[0])")
  #expect(reading.sentence == nil)
  #expect(reading.description.axis(.singlePressure) == Axis(minimum: 0, maximum: 9))
  #expect(reading.events.suffix(3).map(\.value) == [9, 1, 0])
}

private let cuttable = [
  "# EVEMU 1.3\nN: Pad\nI: 0011 0002 0007 01b1\nB: 01 00 01\nA: 2f 0 1 0 0\nE: 1.5 0003 003a -001\n",
  "Input device ID: bus 0x18 vendor 0x0 product 0x0 version 0x0\nInput device name: \"P\"\n"
    + "Event type 3 (EV_ABS)\n Event code 58 (ABS_MT_PRESSURE)\n  Value 1\n  Max 2\nTesting\n"
    + "Event: time 1.000005, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value 22\n"
    + "Event: time 1.5, -------------- SYN_REPORT ------------\n",
  "# libinput record\nversion: 1\nndevices: 1\ndevices:\n- evdev:\n    id: [1, 2, 3, 4]\n"
    + "    codes:\n      1: [330]\n    absinfo:\n      47: [0, 1, 0, 0, 0]\n  quirks:\n  events:\n"
    + "  - evdev:\n    - [ 0, 5, 3, 58, -94] # x\n    - [ 0, 5, 0, 0, 0]\n",
]

@Test(arguments: cuttable)
func `text truncated anywhere causes no trap`(text: String) throws {
  let bytes = Array(text.utf8)
  let whole = try Reading(bytes: bytes)
  for count in 0..<bytes.count {
    let reading = try Reading(bytes: Array(bytes.prefix(count)))
    // Line by line, a cut file can be read although its device is not supported.
    #expect(reading.events.count <= max(whole.events.count, 2))
    #expect(reading.error == nil || reading.status == 65)
  }
}

@Test(arguments: cuttable)
func `text with any byte changed causes no trap`(text: String) throws {
  let file = try TemporaryFile(text)
  let bytes = Array(text.utf8)
  for index in bytes.indices {
    for other: UInt8 in [0x00, 0x0a, 0x2d, 0x39, 0xff] {
      var changed = bytes
      changed[index] = other
      try file.replace(changed)
      let reading = withExtendedLifetime(file) { Reading(path: file.path) }
      #expect(reading.error == nil || reading.status == 65)
    }
  }
}

@Test func `raw events truncated anywhere cause no trap`() throws {
  let bytes = [UInt8](repeating: 0, count: 60)
  for count in bytes.indices {
    let reading = try Reading(bytes: Array(bytes.prefix(count)), describe: "A: 3a 0 9 0 0\n")
    #expect(reading.events.count <= count / RawFile.recordSize)
    #expect((reading.error == nil) == (count > 0 && count % RawFile.recordSize == 0))
  }
}
