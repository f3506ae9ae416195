import PressureKit
import Testing

@testable import PressureRecordings

private let header = """
  # EVEMU 1.3
  # Input device name: "Pad"
  #     Event code 47 (ABS_MT_SLOT)
  #       Value      1
  #       Min        0
  #     Event code 58 (ABS_MT_PRESSURE)
  #       Value     77
  N: Pad #1
  I: 0011 0002 00af ffff
  P: 05 00 00 00 00 00 00 00
  B: 00 0b 00 00 00 00 00 00 00
  B: 01 01 00 00 00 00 00 00 00
  B: 01 00 80 00 00 00 00 00 00
  B: 15 00 00 00 00 00 00 00 00
  B: 15 00 80 00 00 00 00 00 00
  A: 2f 0 1 0 0
  A: 35 0 100 0 0
  A: 36 0 100 0 0
  A: 39 0 65535 0 0
  A: 3a 0 255 0 0 4
  L: 00 1
  S: 00 0

  """

@Test func `an evemu recording has a description and events`() throws {
  let reading = try Reading(
    header + """

      E: 1.000005 0003 002f 0000\t# EV_ABS / ABS_MT_SLOT 0
      # a comment
      E: 1.000005 0003 0039 0001
      E: 1.000005 0003 003a 0039
      E: 1.000006 0000 0000 0000\r

      """)
  #expect(reading.error == nil && reading.warnings.isEmpty)
  let description = reading.description
  #expect(description.name == "Pad #1")
  #expect(
    (description.bus, description.vendor, description.product) == (0x11, 0x02, 0xaf))
  #expect(description.properties == [0, 2])
  #expect(description.keys == [0, 79])
  #expect(description.effects == [79])
  #expect(description.axis(.pressure) == Axis(minimum: 0, maximum: 255, resolution: 4))
  #expect(description.axis(.slot) == Axis(minimum: 0, maximum: 1))
  #expect(description.currentSlot == 1)
  #expect(
    reading.events == [
      event(1_000_005, .slot, 0), event(1_000_005, .trackingID, 1),
      event(1_000_005, .pressure, 39), event(1_000_006, .report, 0),
    ])
}

@Test func `without a bitmap of keys the keys are unknown`() throws {
  #expect(try Reading("A: 3a 0 255 0 0\n").description.keys == nil)
}

@Test(arguments: [
  ("E: 1.5 0003 003a 0039", event(1_000_005, .pressure, 39)),
  ("E: 0.000000 0003 003a 0000", event(0, .pressure, 0)),
  ("E: 2.0 3 3A 010", event(2_000_000, .pressure, 10)),
  ("E: 2.0 0003 0039 -001", event(2_000_000, .trackingID, -1)),
  ("E: 2.0 0003 003a -2147483648", event(2_000_000, .pressure, .min)),
  (
    "E: 2.0 0003 003a 0000000000000000000000000000000000002147483647#",
    event(2_000_000, .pressure, .max)
  ),
])
func `values are decimal with any prefix`(line: String, expected: InputEvent) throws {
  let reading = try Reading("A: 3a 0 255 0 0\n\(line)\n")
  #expect(reading.sentence == nil)
  #expect(reading.events == [expected])
}

@Test(arguments: [
  ("E: 1.0 0003 003a 99999999999", "the value 99999999999 does not fit into 32 bits"),
  ("E: 1.0 0003 003a -2147483649", "the value -2147483649 does not fit into 32 bits"),
  ("E: 1.0 0003 1003a 1", "the code 1003a does not fit into 16 bits"),
  (
    "E: 99999999999999999999.0 0003 003a 1",
    "the time 99999999999999999999 does not fit into 64 bits"
  ),
  (
    "E: 99999999999999.0 0003 003a 1",
    "the time 99999999999999 s does not fit into 64 bits of microseconds"
  ),
  ("E: 1.1234567 0003 003a 1", "the microseconds 1234567 are not in the range 0 to 999999"),
  ("E: 1 0003 003a 1", "the time has no microseconds"),
  ("E: -1.0 0003 003a 1", "the time is not a number"),
  ("E: 1.0 0003 003a", "the value is missing"),
  ("E: 1.0 0003 003a x", "the value is not a number"),
  ("E: x", "the time is not a number"),
  ("E: 1.0 0003 003a 1 2", "unexpected text after the value"),
  ("E: 1.0 0003 003a 0x10", "unexpected text after the value"),
  ("E: 1.0 0003 003a 1 # \u{0}", "the text contains a NUL byte"),
  ("E: 0.8 0003 003a 1", "the time runs backwards"),
  ("E: 1.0 0003 002f 2", "the slot 2 is not in the range 0 to 1"),
  ("E: 1.0 0003 002f -1", "the slot -1 is not in the range 0 to 1"),
])
func `an invalid line ends the events and is reported with its number`(line: String, reason: String)
  throws
{
  let reading = try Reading(
    "A: 2f 0 1 0 0\nE: 0.9 0003 003a 5\nE: 0.9 0000 0000 0\n\(line)\nE: 2.0 0 0 0\n")
  #expect(reading.sentence == "dump:4: \(reason)")
  #expect(reading.status == 65)
  #expect(reading.events == [event(9, .pressure, 5), event(9, .report, 0)])
}

/// A chunk of the file is searched at once, so that the line may be in any place of it.
@Test(arguments: [2, 1000, 2900, 3000, 6000])
func `a line with a NUL byte is the one that is reported`(count: Int) throws {
  let lines = (0..<8000).map { "E: 1.0 0003 003a \($0)\($0 == count ? "\u{0}" : "")\n" }
  let reading = try Reading("A: 2f 0 1 0 0\n" + lines.joined())
  #expect(reading.sentence == "dump:\(count + 2): the text contains a NUL byte")
  #expect(reading.events.count == count)
}

@Test(arguments: [
  ("A: 35 0", "the maximum is missing"),
  ("A: 35 0 100 0", "the flat is missing"),
  ("A: 35 0 100 0 0 0 0", "unexpected text at the end of the line"),
  ("A: 35 0 99999999999 0 0", "the maximum 99999999999 does not fit into 32 bits"),
  ("I: 0011 0002", "the product is missing"),
  ("B: 01", "the byte is missing"),
  ("P: 100", "the byte 100 does not fit into 8 bits"),
])
func `an invalid line of the description is an error at once`(line: String, reason: String) throws {
  let reading = try Reading("N: Pad\nA: 3a 0 255 0 0\n\(line)\nE: 1.0 0 0 0\n")
  #expect(reading.sentence == "dump:3: \(reason)")
  #expect(reading.status == 65)
  #expect(reading.events.isEmpty)
}

@Test(arguments: ["X: 1", "hello", "A: maximum is 255", "$ sudo evemu-record"])
func `a line that is not of evemu is skipped with a warning`(line: String) throws {
  let reading = try Reading(
    "A: 3a 0 255 0 0\n\(line)\nE: 1.0 0003 003a 5\n\(line)\nE: 1.0 0 0 0\n")
  #expect(reading.error == nil)
  #expect(reading.events == [event(1_000_000, .pressure, 5), event(1_000_000, .report, 0)])
  #expect(
    reading.notes.last
      == "dump:2: skipped 2 lines that are not part of the recording, the first is \"\(line)\"")
}

@Test func `a bitmap beyond all codes is an error`() throws {
  let bitmap = "B: 01" + String(repeating: " 00", count: 8192) + "\nB: 01 01\n"
  #expect(try Reading(bitmap).sentence == "dump:2: the bitmap has more than 65536 bits")
}

@Test func `the description may be in another file, whose events are ignored`() throws {
  let reading = try Reading(
    "E: 2.0 0003 0039 3\nE: 2.0 0003 003a 7\nE: 2.0 0000 0000 0\n",
    describe: header + "E: 9.0 0003 003a 1\n")
  #expect(reading.error == nil && reading.warnings.isEmpty)
  #expect(reading.description.name == "Pad #1")
  #expect(reading.description.currentSlot == 1)
  #expect(
    reading.events == [
      event(2_000_000, .trackingID, 3), event(2_000_000, .pressure, 7),
      event(2_000_000, .report, 0),
    ])
}

@Test func `a description without axes is an error`() throws {
  let reading = try Reading("E: 2.0 0 0 0\n", describe: "N: Pad\n")
  #expect(reading.sentence == "description: does not describe a device with absolute axes")
  #expect(reading.status == 65)
}

@Test func `the current slot must be in the range of the device`() throws {
  let reading = try Reading(header.replacing("Value      1", with: "Value      2"))
  #expect(reading.sentence == "dump: the slot 2 is not in the range 0 to 1")
}

@Test func `the current slot is found although the line with its type was lost`() throws {
  let cut = header.replacing("# Input device name: \"Pad\"", with: "#   Event type 1 (EV_KEY)")
  #expect(try Reading(cut).description.currentSlot == 1)
}

@Test(
  arguments: [
    "# X Event code 47 (ABS_MT_SLOT) Value 9",
    "# Event code 47 (ABS_MT_SLOT)\n# Event code 99999 (?)\n# Value 0",
  ])
func `a comment that describes no slot does not change the current one`(lines: String) throws {
  let extended = header.replacing("N: Pad #1", with: lines + "\nN: Pad #1")
  #expect(try Reading(extended).description.currentSlot == 1)
}

@Test func `the current slot of the recording overrides that of the description`() throws {
  let own = header.replacing("Value      1", with: "Value      0")
  #expect(try Reading(own, describe: header).description.currentSlot == 0)
}
