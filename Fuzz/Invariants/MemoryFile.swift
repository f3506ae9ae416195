import Glibc
@testable import PressureKit
@testable import PressureRecordings
import PressureSystem

/// A file in memory with the fuzzer's bytes, for readers that open a path.
///
/// It is created once: creating a file costs more than parsing it.
struct MemoryFile: ~Copyable {
  private let descriptor: Int32

  let path: String

  init() {
    var name = Array("/dev/shm/fuzz-XXXXXX\0".utf8CString)
    descriptor = mkstemp(&name)
    require(descriptor >= 0 && unlink(name) == 0, "a file in memory can be created")
    path = "/proc/self/fd/\(descriptor)"
  }

  func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    let isEmpty = ftruncate(descriptor, 0) == 0
    require(
      isEmpty && pwrite(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count,
      "the file is written")
  }
}

/// Reads a recording to its end, passes its events to an engine, and checks the invariants of both.
enum Reading {
  /// The limit for reading alone, without the engine.
  private static let work = Work(perByte: 500)

  static func hold<Format: TextFormat>(
    _ format: Format.Type, _ bytes: UnsafeBufferPointer<UInt8>, on file: borrowing MemoryFile
  ) {
    file.write(bytes)
    var meter = Work.Meter()
    defer { work.hold(meter, bytes.count, "reading") }
    do throws(ExitError) {
      let file = try ByteReader(path: file.path)
      let warnings = RecordingWarnings(path: file.path)
      let reader = try meter.count { () throws(ExitError) in
        try TextFile<Format>(file, warnings)
      }
      try hold(reader, &meter)
      for warning in warnings.all { hold(warning) }
    } catch {
      hold(error)
    }
  }

  private static func hold(
    _ reader: any RecordingReader, _ meter: inout Work.Meter
  ) throws(ExitError) {
    let surface = try? Surface(reader.description)
    var trial = surface.map { Trial($0) }
    var check = EventCheck(reader.description)
    var last = Timestamp(microseconds: 0)
    while let event = try meter.count({ () throws(ExitError) in try reader.next() }) {
      if let problem = check.problem(with: event) {
        hold(reader.error(problem))
        break
      }
      require(event.time.microseconds >= 0, "times are not negative")
      last = event.time
      trial?.receive(event)
    }
    trial?.cancelAll(at: last)
  }

  /// A warning names the file.
  static func hold(_ warning: String) {
    require(warning.hasPrefix("/proc/self/fd/"), "a warning names the file: \(warning)")
    require(warning.utf8.count < 2000, "a warning is short: \(warning)")
  }

  /// An error is one sentence with the file and the position.
  static func hold(_ error: ExitError) {
    let sentence = error.sentences.joined()
    require(
      error.status == ExitError.Status.badData.rawValue,
      "the status is that of bad data: \(sentence)")
    require(sentence.hasPrefix("/proc/self/fd/"), "an error names the file: \(sentence)")
    require(sentence.utf8.count > 20, "an error has a reason: \(sentence)")
  }
}
