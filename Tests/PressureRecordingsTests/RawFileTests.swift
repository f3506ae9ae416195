import PressureKit
import Testing

@testable import PressureRecordings

private let description =
  "A: 2f 0 1 0 0\nA: 35 0 9 0 0\nA: 36 0 9 0 0\nA: 39 0 9 0 0\nA: 3a 0 255 0 0\n"

/// The bytes of an event on a 64-bit little-endian machine.
private func record(
  _ seconds: Int64, _ microseconds: Int64, _ code: EventCode, _ value: Int32
) -> [UInt8] {
  func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
  return bytes(seconds) + bytes(microseconds) + bytes(code.type) + bytes(code.code) + bytes(value)
}

private let whole = record(1_382_570_965, 5, .slot, 1) + record(1_382_570_965, 6, .trackingID, -1)

private let expected = [
  event(1_382_570_965_000_005, .slot, 1), event(1_382_570_965_000_006, .trackingID, -1),
]

@Test func `raw events are read with a description`() throws {
  let reading = try Reading(bytes: whole, describe: description)
  #expect(reading.error == nil)
  #expect(reading.warnings.first?.contains("the contact in slot 1 was down already") == true)
  #expect(reading.events == expected)
  #expect(reading.description.axis(.pressure) == Axis(minimum: 0, maximum: 255))
}

@Test func `raw events without a description are refused`() throws {
  let reading = try Reading(bytes: whole)
  #expect(
    reading.sentence
      == "dump: raw events have no device description; add one with --describe FILE")
  #expect(reading.status == 65)
}

@Test func `an incomplete last record is an error after the events before it`() throws {
  let reading = try Reading(bytes: whole + whole.prefix(10), describe: description)
  #expect(reading.sentence == "dump: byte 48: the last record is incomplete: 10 of 24 bytes")
  #expect(reading.status == 65)
  #expect(reading.events == expected)
}

@Test(arguments: [
  (
    record(1_382_570_966, 1_000_000, .slot, 1),
    "the microseconds 1000000 are not in the range 0 to 999999"
  ),
  (record(1_382_570_966, -1, .slot, 1), "the microseconds -1 are not in the range 0 to 999999"),
  (
    record(.max, 0, .slot, 1),
    "the time 9223372036854775807 s does not fit into 64 bits of microseconds"
  ),
  (record(1, 0, .slot, 1), "the time runs backwards"),
  (record(1_382_570_966, 0, .slot, 2), "the slot 2 is not in the range 0 to 1"),
])
func `an invalid record is reported with its index`(record: [UInt8], reason: String) throws {
  let reading = try Reading(bytes: whole + record, describe: description)
  #expect(reading.sentence == "dump: byte 48: \(reason)")
  #expect(reading.events == expected)
}

@Test func `many raw events are read across buffer boundaries`() throws {
  let count = 10_000
  let bytes = (0..<count).flatMap { record(1, Int64($0), .pressure, Int32($0)) }
  let reading = try Reading(bytes: bytes, describe: description)
  #expect(reading.error == nil)
  #expect(reading.events.map(\.value) == (0..<Int32(count)).map { $0 })
}
