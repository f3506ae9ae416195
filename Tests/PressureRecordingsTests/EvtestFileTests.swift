import PressureKit
import Testing

@testable import PressureRecordings

private let header = """
  Input driver version is 1.0.1
  Input device ID: bus 0x18 vendor 0x6cb product 0x0 version 0x1
  Input device name: "A "Pad""
  Supported events:
    Event type 0 (EV_SYN)
    Event type 1 (EV_KEY)
      Event code 328 (?)
      Event code 330 (BTN_TOUCH)
    Event type 3 (EV_ABS)
      Event code 47 (ABS_MT_SLOT)
        Value      1
        Min        0
        Max        9
      Event code 53 (ABS_MT_POSITION_X)
        Value      0
        Min        0
        Max      100
      Event code 54 (ABS_MT_POSITION_Y)
        Value      0
        Min        0
        Max      100
      Event code 57 (ABS_MT_TRACKING_ID)
        Value      0
        Min        0
        Max    65535
      Event code 58 (ABS_MT_PRESSURE)
        Value     44
        Min        0
        Max      255
        Fuzz       1
        Resolution       4
  Key repeat handling:
    Repeat type 20 (EV_REP)
      Repeat code 0 (REP_DELAY)
        Value    250
  Event type 21 (EV_FF)
    Event code 79 (?)
  Properties:
    Property type 2 (INPUT_PROP_BUTTONPAD)
  Testing ... (interrupt to exit)
  If the display isn't showing, this command may help:

  """

private let events = """
  Event: time 1.000005, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value 22
  Event: time 1.5, type 3 (EV_ABS), code 57 (ABS_MT_TRACKING_ID), value -1
  Event: time 1.5, type 4 (EV_MSC), code 4 (MSC_SCAN), value 70010
  Event: time 1.5, type 4 (EV_MSC), code 3 (?), value ffffffff
  Event: time 1.5000009, ++++++++++++++ SYN_MT_REPORT ++++++++++++

  Event: time 1.6, >>>>>>>>>>>>>> SYN_DROPPED <<<<<<<<<<<<
  Event: time 1.6, -------------- SYN_CONFIG ------------
  Event: time 1.6, -------------- EV_SYN ------------
  Event: time 1.6, -------------- Report Sync ------------
  Event: time 1.6, type 0 (Reset), code 0 (Reset), value 0
  ^C

  """

private let expected = [
  event(1_000_005, .pressure, 22), event(1_500_000, .trackingID, -1),
  event(1_500_000, EventCode(type: 4, code: 4), 0x70010),
  event(1_500_000, EventCode(type: 4, code: 3), -1), event(1_500_000, .multitouchReport, 0),
  event(1_600_000, .dropped, 0), event(1_600_000, .report, 0),
  event(1_600_000, .report, 0), event(1_600_000, .report, 0), event(1_600_000, .report, 0),
]

// Without the marker of protocol A, as without a description nothing else tells which protocol it is.
private let slotEvents = events.replacing("++++++++++++++ SYN_MT_REPORT", with: "---- SYN_REPORT")
private let expectedOfSlots = expected.map {
  $0.code == .multitouchReport ? event(1_500_000, .report, 0) : $0
}

@Test(arguments: ["", "> ", "    ", "- ", "\t> > "])
func `evtest output is read with any kind of quoting`(mark: String) throws {
  let lines = (header + events).split(separator: "\n", omittingEmptySubsequences: false)
  let reading = try Reading(lines.map { mark + $0 }.joined(separator: "\n"))
  #expect(reading.sentence == nil)
  let warnings = ["skipped a line", "If the display", "events were lost"]
  #expect(reading.warnings.count == 2)
  for warning in warnings { #expect(reading.warnings.contains { $0.contains(warning) }) }
  #expect(reading.events == expected)
  let description = reading.description
  #expect(description.name == "A \"Pad\"")
  #expect((description.bus, description.vendor, description.product) == (0x18, 0x6cb, 0))
  #expect(description.keys == [328, 330])
  #expect(description.effects == [79])
  #expect(description.properties == [2])
  #expect(description.axis(.slot) == Axis(minimum: 0, maximum: 9))
  #expect(description.axis(.pressure) == Axis(minimum: 0, maximum: 255, resolution: 4))
  #expect(description.axes.count == 5)
  #expect(description.currentSlot == 1)
}

@Test(arguments: [
  ("Event: time 3.0, type 3 (EV_ABS), code 58 (ABS", "the name has no closing parenthesis"),
  ("Event: time 3.0, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value", "the value is missing"),
  (
    "Event: time 3.0, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value 1f",
    "unexpected text after the value"
  ),
  (
    "Event: time 3.0, type 3 (EV_ABS), code 58 (ABS_MT_PRESSURE), value 2147483648",
    "the value 2147483648 does not fit into 32 bits"
  ),
  (
    "Event: time 3.0, type 4 (EV_MSC), code 4 (MSC_SCAN), value 1ffffffff",
    "the value 1ffffffff does not fit into 32 bits"
  ),
  ("Event: time 3.0, -------------- SYN_REP", "the closing dashes are missing"),
  ("Event: time 3", "the time has no microseconds"),
  ("Event: time 3.0", "the event is missing"),
  ("Event: time 3.0, hello world -", "not an event of evtest"),
])
func `an invalid line of evtest ends the events`(line: String, reason: String) throws {
  let reading = try Reading("\(slotEvents)\(line)\nEvent: time 4.0, --- SYN_REPORT ---\n")
  #expect(reading.sentence == "dump:13: \(reason)")
  #expect(reading.status == 65)
  #expect(reading.events == expectedOfSlots)
}

@Test func `an unfinished last line is reported as such`() throws {
  let reading = try Reading(slotEvents + "Event: time 3.0, type 3 (EV_A")
  #expect(
    reading.sentence == "dump:13: the last line is incomplete: the name has no closing parenthesis")
  #expect(reading.events == expectedOfSlots)
  let head = try Reading("Input driver version is 1.0.1\nEvent type 3 (EV_ABS)\n  Event code ")
  #expect(head.sentence == "dump:3: the last line is incomplete: the code is missing")
}
