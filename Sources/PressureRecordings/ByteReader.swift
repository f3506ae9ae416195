internal import Glibc
internal import PressureSystem

/// The bytes of a file that is read sequentially in chunks, so that memory does not grow with it.
final class ByteReader {
  /// More was not faster.
  static let chunkSize = 64 << 10

  let path: String

  /// The offset of `rest` in the file.
  private(set) var offset = 0

  private let file: Descriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  /// Whether a byte order mark may follow.
  private var isAtStart = true

  /// The order of the bytes in UTF-16, or nil for another text, and the first byte of a character that was cut between two reads.
  private var isBigEndian: Bool?
  private var half: UInt8?

  /// Where a file that can be read again was opened; standard input may not be at its start.
  private let origin: off_t

  /// The maximum number of bytes that are kept: hours of touches, and a bound for untrusted input.
  private static let keptLimit = 64 << 20

  /// What has been read of a pipe, which cannot be read again, and how many of these bytes were read since `rewind`.
  private var kept: [UInt8] = []
  private var keptPosition = 0

  /// Whether bytes that are read are kept, until which a pipe can be rewound.
  private var isKeeping: Bool

  /// The error if a pipe had more than can be kept, or nil.
  private(set) var keepingError: ExitError?

  /// Opens a file; `rest` can hold a line of the maximum length when another chunk is read.
  init(path: String, accepting kind: InputFile.Kind = .any) throws(ExitError) {
    self.path = path
    do throws(InputFile.ReadError) {
      file = try InputFile.open(path, kind)
    } catch .notRegular(let kind) {
      throw .data(
        path, "only a regular file can be played, since each loop reads it again; this is \(kind)")
    } catch .refused(EACCES) {
      throw ExitError(
        "\(path): cannot be opened: permission denied; try again with sudo", .permissionDenied)
    } catch {
      throw ExitError("\(path): cannot be opened: \(error.reason)", .noInput)
    }
    origin = lseek(file.number, 0, SEEK_CUR)
    isKeeping = origin < 0
    buffer = .allocate(byteCount: LineReader.longestLine + ByteReader.chunkSize, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// The bytes that are read and not yet dropped; valid until the next `fill`.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[start..<end]) }

  func drop(_ count: Int) {
    let dropped = min(count, end - start)
    start += dropped
    offset += dropped
  }

  func fill() throws(ExitError) -> Bool {
    if start > 0 { buffer.copyMemory(from: rest) }
    (start, end) = (0, end - start)
    let free = min(ByteReader.chunkSize, buffer.count - end)
    guard free > 0, let target = buffer.baseAddress?.advanced(by: end) else { return false }
    let count = try readChunk(UnsafeMutableRawBufferPointer(start: target, count: free))
    if count > 0 { end += decode(UnsafeMutableRawBufferPointer(start: target, count: count)) }
    return count > 0
  }

  /// Reads the next bytes, from what was kept or from the file; returns how many.
  private func readChunk(_ target: UnsafeMutableRawBufferPointer) throws(ExitError) -> Int {
    if keptPosition < kept.count {
      let count = min(target.count, kept.count - keptPosition)
      target.copyBytes(from: kept[keptPosition..<keptPosition + count])
      keptPosition += count
      if !isKeeping, keptPosition == kept.count { (kept, keptPosition) = ([], 0) }
      return count
    }
    var count = read(file.number, target.baseAddress, target.count)
    while count < 0, errno == EINTR {
      count = read(file.number, target.baseAddress, target.count)
    }
    guard count >= 0 else {
      throw ExitError("\(path): cannot be read: \(String(cString: strerror(errno)))", .noInput)
    }
    guard isKeeping else { return count }
    guard kept.count + count <= ByteReader.keptLimit else {
      let error = ExitError.data(
        path,
        "more than \(ByteReader.keptLimit >> 20) MiB of a pipe have to be read before its device is known; "
          + "save the recording as a file")
      keepingError = error
      throw error
    }
    kept.append(contentsOf: target[..<count])
    keptPosition = kept.count
    return count
  }

  /// Removes the byte order mark from bytes that were just read, and converts UTF-16 to UTF-8, in place; returns how many are left.
  ///
  /// Recorders write ASCII: any other character, which can only be in a name or a comment, becomes a question mark, so that
  /// the text never grows.
  private func decode(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    var text = bytes
    if isAtStart {
      isAtStart = false
      let mark = ByteReader.markLength(UnsafeRawBufferPointer(bytes))
      if mark == 2 { isBigEndian = bytes[0] == 0xfe }
      text = UnsafeMutableRawBufferPointer(rebasing: bytes.dropLast(mark))
      text.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(mark)))
    }
    guard let isBigEndian else { return text.count }
    var count = 0
    for byte in text {
      guard let first = half else {
        half = byte
        continue
      }
      half = nil
      let (high, low) = isBigEndian ? (first, byte) : (byte, first)
      text[count] = high == 0 && low < 0x80 ? low : UInt8(ascii: "?")
      count += 1
    }
    return count
  }

  /// The length of the byte order mark at the start of a file.
  private static func markLength(_ head: UnsafeRawBufferPointer) -> Int {
    // Raw events can begin with the bytes of a mark.
    if RawFile.isLikely(head) { return 0 }
    if head.starts(with: [0xef, 0xbb, 0xbf]) { return 3 }
    return head.starts(with: [0xff, 0xfe]) || head.starts(with: [0xfe, 0xff]) ? 2 : 0
  }

  /// Returns to the start of the file; returns false if it can no longer be read again.
  func rewind() -> Bool {
    guard isSeekable ? lseek(file.number, origin, SEEK_SET) == origin : isKeeping else {
      return false
    }
    (start, end, offset, keptPosition) = (0, 0, 0, 0)
    (isAtStart, isBigEndian, half) = (true, nil, nil)
    return true
  }

  func stopKeeping() { isKeeping = false }

  /// Whether the file can be read again at any time, unlike a pipe.
  var isSeekable: Bool { origin >= 0 }
}
