import PressureKit

/// A copy of the bytes of a device node of a 64-bit little-endian machine, which has no description.
///
/// The corresponding kernel structure is `input_event`.
final class RawFile: RecordingReader {
  /// Bytes of a record: seconds and microseconds 8 each, type and code 2 each, value 4.
  static let recordSize = 24

  let description = DeviceDescription()
  private let bytes: ByteReader
  private var offset = 0

  init(_ bytes: ByteReader) {
    self.bytes = bytes
  }

  func next() throws(RecordingError) -> InputEvent? {
    offset = bytes.offset
    while bytes.rest.count < RawFile.recordSize {
      guard try !bytes.fill() else { continue }
      guard bytes.rest.count > 0 else { return nil }
      throw error(
        "the last record is incomplete: \(bytes.rest.count) of \(RawFile.recordSize) bytes")
    }
    defer { bytes.drop(RawFile.recordSize) }
    do {
      return try RawFile.event(bytes.rest)
    } catch {
      throw self.error(error.reason)
    }
  }

  var line: Int { 0 }

  func error(_ reason: String) -> RecordingError {
    .data(bytes.path, location: ": byte \(offset)", reason)
  }

  private static func event(_ record: UnsafeRawBufferPointer) throws(LineError) -> InputEvent {
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
      Number(littleEndian: record.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
    return InputEvent(
      time: try Timestamp(recorded: number(at: 0), number(at: 8)),
      code: EventCode(type: number(at: 16), code: number(at: 18)), value: number(at: 20))
  }

  /// Whether a file that begins so can be such a copy: the three upper bytes of plausible seconds are 0.
  static func isLikely(_ head: UnsafeRawBufferPointer) -> Bool {
    let seconds = head.prefix(8)
    guard seconds.count == 8, seconds.suffix(3).allSatisfy({ $0 == 0 }) else { return false }
    guard head.count >= recordSize else { return true }
    guard let event = try? event(head) else { return false }
    return event.code.type <= greatestType && event.code.code <= greatestCode
  }

  /// The corresponding kernel constant is `EV_MAX`.
  private static let greatestType: UInt16 = 0x1f

  /// The corresponding kernel constant is `KEY_MAX`.
  private static let greatestCode: UInt16 = 0x2ff
}
