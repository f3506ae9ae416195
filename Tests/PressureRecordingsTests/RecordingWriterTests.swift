import Testing

@testable import PressureKit
@testable import PressureRecordings

/// A description with all fields, including those that a recording must not have.
private var pad: DeviceDescription {
  var pad = DeviceDescription()
  pad.name = #"ACME "Pad" \ #5 — ü: [1]"#
  (pad.bus, pad.vendor, pad.product, pad.version) = (0x18, 0x06cb, 0xcd41, 0x0102)
  (pad.physicalPath, pad.uniqueID) = ("usb-1", "4711")
  pad.properties = [0, 2, 7]
  pad.keys = [0x110, 0x145, 0x14a, 0x14d, 172, 30]
  pad.axes = [
    0x00: Axis(minimum: -20, maximum: 1216, resolution: 12),
    0x01: Axis(minimum: 0, maximum: 680, resolution: 12),
    0x08: Axis(minimum: 0, maximum: 10),
    0x2f: Axis(minimum: 0, maximum: 9),
    0x35: Axis(minimum: -20, maximum: 1216, resolution: 12),
    0x36: Axis(minimum: 0, maximum: 680, resolution: 12),
    0x39: Axis(minimum: 0, maximum: 65535),
    0x3a: Axis(minimum: 0, maximum: 255, resolution: 2),
  ]
  pad.effects = [0x4f, 0x50]
  pad.filter(0x35, fuzz: 8, flat: 1)
  pad.filter(0x08, fuzz: 3, flat: 0)
  return pad
}

private let frames = [
  [event(0, .slot, 9), event(0, .trackingID, 65535), event(0, .pressure, 0), event(0, .report, 0)],
  [event(1, .positionX, -20), event(1, .trackingID, -1), event(2, .report, 0)],
  [event(999_999, .touch, 1), event(1_000_000, .toolFinger, 0), event(1_000_000, .report, 0)],
  [event(86_400_000_001, .pressure, .max), event(86_400_000_001, .report, 0)],
  [event(86_400_000_001, .pressure, .min), event(86_400_000_002, .report, 0)],
]

/// The contents of a file with these frames, of which one has a comment; their times are one second late.
private func text(in name: String, of pad: DeviceDescription, _ frames: [[InputEvent]]) throws
  -> String
{
  let writer = try #require(RecordingFormat.writer(for: name))
  let header = writer.header(of: pad.touchOnly, at: "/dev/input/event5")
  return frames.enumerated().reduce(into: header) { text, frame in
    let late = frame.element.map {
      event($0.time.microseconds + 1_000_000, $0.code, $0.value)
    }
    let comment = frame.offset == 2 ? "Lost." : nil
    text += writer.text(of: late, since: Timestamp(microseconds: 1_000_000), comment: comment)
  }
}

@Test(arguments: ["pad.evemu", "pad.events", "pad.yml", "pad.yaml"])
func `a written recording is read back unchanged`(name: String) throws {
  let reading = try Reading(try text(in: name, of: pad, frames))
  #expect(reading.error == nil)
  #expect(reading.description == pad.touchOnly)
  #expect(reading.events == frames.flatMap(\.self))
}

@Test func `a recorded description has only touch-related codes`() {
  let touch = pad.touchOnly
  #expect(touch.keys == [0x110, 0x145, 0x14a, 0x14d])
  #expect(touch.axes[0x08] == nil && touch.filters[0x08] == nil)
  #expect(touch.axes.count == pad.axes.count - 1)
  #expect(touch.physicalPath.isEmpty && touch.uniqueID.isEmpty)
}

@Test func `keyboard keys are not touch-related`() {
  #expect((0..<0x110).allSatisfy { !EventCode.key($0).isTouchEvent })
  #expect((0x160..<0x300).allSatisfy { !EventCode.key($0).isTouchEvent })
  #expect(!EventCode(type: 4, code: 4).isTouchEvent)
}

@Test(arguments: ["pad", ".evemu", "folder.evemu/pad", "pad.evemu/", "pad.EVEMU", "pad.csv", ""])
func `a name without a known extension has no writer`(name: String) {
  #expect((RecordingFormat.writer(for: name) == nil) == (name != "pad.evemu/"))
}
