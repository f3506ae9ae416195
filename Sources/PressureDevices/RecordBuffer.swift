internal import CEvdev
internal import Glibc
internal import PressureKit

/// Records of the kernel (`struct input_event`) that were read from a descriptor and not processed yet.
///
/// Not a class: its fields are accessed for each event.
struct RecordBuffer: ~Copyable {
  enum Outcome {
    /// Bytes were read; `isFull` if there may be more.
    case read(isFull: Bool)
    case empty
    /// The end of a pipe, or the error of a device that was removed.
    case ended
  }

  /// Bytes of a record: seconds and microseconds 8 each, type and code 2 each, value 4.
  private static let recordSize = MemoryLayout<input_event>.size

  private let bytes: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  init(recordCount: Int) {
    bytes = .allocate(byteCount: recordCount * RecordBuffer.recordSize, alignment: 8)
  }

  deinit { bytes.deallocate() }

  @inline(__always)
  var hasRecord: Bool { end &- start >= RecordBuffer.recordSize }

  @inline(__always)
  mutating func next() -> InputEvent? {
    guard hasRecord else { return nil }
    let event = first
    start &+= RecordBuffer.recordSize
    return event
  }

  /// Moves the values of slots before the next other record into a batch, as far as it has space for them.
  @inline(__always)
  mutating func moveValues(to batch: inout InputBatch, notedIn state: inout AxisState) {
    while hasRecord, !batch.isFull {
      let event = first
      guard state.store(event) else { return }
      batch.append(event)
      start &+= RecordBuffer.recordSize
    }
  }

  var firstTime: Timestamp? { hasRecord ? first.time : nil }

  @inline(__always)
  private var first: InputEvent {
    InputEvent(bytes.loadUnaligned(fromByteOffset: start, as: input_event.self))
  }

  mutating func removeAll() { (start, end) = (0, 0) }

  /// Reads once, behind an incomplete record; all complete ones must have been taken.
  mutating func read(from descriptor: Int32) -> Outcome {
    if end > start, start > 0 {
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }
    (start, end) = (0, end - start)
    let free = UnsafeMutableRawBufferPointer(rebasing: bytes[end...])
    let count = Glibc.read(descriptor, free.baseAddress, free.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return .empty }
    guard count > 0 else { return .ended }
    end += count
    return .read(isFull: count == free.count)
  }
}
