import Glibc
@testable import PressureKit
@testable import PressureRecordings

/// A file in memory that holds the fuzzer's bytes, for readers that open a path.
///
/// It is made once: files cost more than what is read of them.
struct MemoryFile: ~Copyable {
  private let descriptor: Int32

  let path: String

  init() {
    var name = Array("/dev/shm/fuzz-XXXXXX\0".utf8CString)
    descriptor = mkstemp(&name)
    require(descriptor >= 0 && unlink(name) == 0, "memory can be had")
    path = "/proc/self/fd/\(descriptor)"
  }

  func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    let isEmpty = ftruncate(descriptor, 0) == 0
    require(
      isEmpty && pwrite(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count, "written")
  }
}

/// Reads a recording to its end, gives its events to an engine, and holds both against the laws.
enum Reading {
  /// What reading alone may cost; the engine's work is not its.
  private static let work = Work(perByte: 500)

  static func hold(
    _ open: (ByteReader) throws(RecordingError) -> any RecordingReader,
    _ bytes: UnsafeBufferPointer<UInt8>, on file: borrowing MemoryFile
  ) {
    file.write(bytes)
    var meter = Work.Meter()
    defer { work.hold(meter, bytes.count, "reading") }
    do throws(RecordingError) {
      let file = try ByteReader(path: file.path, keeping: LineReader.longestLine)
      try hold(try meter.count { () throws(RecordingError) in try open(file) }, &meter)
    } catch {
      hold(error)
    }
  }

  private static func hold(
    _ reader: any RecordingReader, _ meter: inout Work.Meter
  ) throws(RecordingError) {
    let surface = try? Surface(reader.description)
    var trial = surface.map { Trial($0) }
    var check = EventCheck(reader.description)
    var last = Timestamp(microseconds: 0)
    while let event = try meter.count({ () throws(RecordingError) in try reader.next() }) {
      if let objection = check.objection(to: event) {
        hold(reader.fault(objection))
        break
      }
      require(event.time.microseconds >= 0, "times are of a clock")
      last = event.time
      trial?.receive(event)
    }
    trial?.cancelAll(at: last)
  }

  /// A person gets one sentence, with the file and the place.
  static func hold(_ fault: RecordingError) {
    require(fault.status == RecordingError.badData, "bad bytes are bad data: \(fault.sentence)")
    require(fault.sentence.hasPrefix("/proc/self/fd/"), "the file is named: \(fault.sentence)")
    require(fault.sentence.utf8.count > 20, "a reason is given: \(fault.sentence)")
  }
}
