internal import Glibc
internal import PressureKit
internal import PressureSystem

/// Bytes of a file that is read once, in pieces, so that memory does not grow with it.
final class ByteReader {
  /// How much is asked of the kernel at once; more did not make it faster.
  static let piece = 64 << 10

  let path: String

  /// Where in the file `rest` begins.
  private(set) var offset = 0

  private let file: Descriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  /// Opens a file of which `rest` may hold `keeping` bytes while still more are asked for.
  init(
    path: String, keeping: Int, accepting kind: InputFile.Kind = .any
  ) throws(RecordingError) {
    self.path = path
    do throws(InputFile.OpenError) {
      file = try InputFile.open(path, kind)
    } catch .notRegular(let kind) {
      throw .data(
        path, "only a file can be played, as it is read anew for each round; it is \(kind)")
    } catch .refused(EACCES) {
      throw .rights(path)
    } catch {
      throw .input(path, "cannot be opened: \(error.reason)")
    }
    buffer = .allocate(byteCount: keeping + ByteReader.piece, alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  /// What is read and not yet dropped; valid until the next `fill`.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[start..<end]) }

  func drop(_ count: Int) {
    let dropped = min(count, end - start)
    start += dropped
    offset += dropped
  }

  /// Reads another piece behind the rest; false at the end of the file.
  func fill() throws(RecordingError) -> Bool {
    moveRestToFront()
    let room = min(ByteReader.piece, buffer.count - end)
    guard room > 0, let target = buffer.baseAddress?.advanced(by: end) else { return false }
    var count = read(file.number, target, room)
    while count < 0, errno == EINTR { count = read(file.number, target, room) }
    guard count >= 0 else { throw .input(path, "cannot be read: \(ByteReader.systemReason())") }
    end += count
    return count > 0
  }

  /// Begins again; false where the file cannot, as a pipe.
  func rewind() -> Bool {
    guard lseek(file.number, 0, SEEK_SET) == 0 else { return false }
    (start, end, offset) = (0, 0, 0)
    return true
  }

  private func moveRestToFront() {
    guard start > 0 else { return }
    if end > start, let front = buffer.baseAddress {
      memmove(front, front + start, end - start)
    }
    (start, end) = (0, end - start)
  }

  private static func systemReason() -> String {
    strerror(errno).map { String(cString: $0) } ?? "unknown reason"
  }
}
