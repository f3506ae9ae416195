import PressureKit

/// A copy of what a device node gives on a little-endian machine of 64 bit, without a description.
///
/// The corresponding kernel structure is `input_event`.
final class RawFile: RecordingReader {
  /// Seconds and microseconds of 8 bytes each, type and code of 2, the value of 4.
  static let recordSize = 24

  let description = DeviceDescription()
  private let bytes: ByteReader
  private var place = 0

  init(_ bytes: ByteReader) {
    self.bytes = bytes
  }

  func next() throws(RecordingError) -> InputEvent? {
    place = bytes.offset
    while bytes.rest.count < RawFile.recordSize {
      guard try !bytes.fill() else { continue }
      guard bytes.rest.count > 0 else { return nil }
      throw fault(
        "the last record is incomplete: \(bytes.rest.count) of \(RawFile.recordSize) bytes")
    }
    defer { bytes.drop(RawFile.recordSize) }
    do {
      return try RawFile.event(bytes.rest)
    } catch {
      throw fault(error.reason)
    }
  }

  func fault(_ reason: String) -> RecordingError {
    .data(bytes.path, place: ": byte \(place)", reason)
  }

  private static func event(_ record: UnsafeRawBufferPointer) throws(LineError) -> InputEvent {
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
      Number(littleEndian: record.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
    return InputEvent(
      time: try Timestamp(recorded: number(at: 0), number(at: 8)),
      code: EventCode(type: number(at: 16), code: number(at: 18)), value: number(at: 20))
  }

  /// Whether the head of a file can be such a copy: a date leaves the upper bytes of its seconds 0.
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
