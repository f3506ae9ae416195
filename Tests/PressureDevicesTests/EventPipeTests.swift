import CEvdev
import Glibc
import PressureKit
import Testing

@testable import PressureDevices
@testable import PressureSystem

struct EventPipeTests {
  /// A pipe, and who writes to it: values count up, so that it is seen what is missing.
  private final class Written {
    let pipe: EventPipe
    private let folder: String
    private let path: String
    private var writer: Int32 = -1
    private var count: Int32 = 0

    init() throws {
      folder = try TemporaryDirectory.make(in: "/tmp")
      path = "\(folder)/pad"
      try #require(mkfifo(path, 0o600) == 0)
      pipe = EventPipe(path: path, description: DeviceDescription())
      try pipe.open()
      comeBack()
    }

    deinit {
      hangUp()
      unlink(path)
      rmdir(folder)
    }

    /// False where the pipe is full.
    @discardableResult
    func write(_ events: Int) -> Bool {
      for _ in 0..<events {
        var event = input_event()
        (event.type, event.code, event.value) = (3, 0x3a, count)
        event.time.tv_sec = 5
        guard Glibc.write(writer, &event, MemoryLayout<input_event>.size) > 0 else { return false }
        count += 1
      }
      return true
    }

    func hangUp() {
      if writer >= 0 { close(writer) }
      writer = -1
    }

    func comeBack() {
      writer = open(path, O_WRONLY | O_NONBLOCK)
    }

    /// The values that are still to be had without reading.
    func rest() -> [Int32] {
      var values: [Int32] = []
      while let event = pipe.next() { values.append(event.value) }
      return values
    }
  }

  @Test func `what is read ahead comes in its order and once`() throws {
    let written = try Written()
    written.write(600)
    #expect(written.pipe.read() == .bytes)
    #expect(written.pipe.next()?.value == 0)
    written.pipe.readAhead()
    written.write(600)
    written.pipe.readAhead()
    #expect(written.pipe.hasAhead)
    #expect(written.rest() == Array(1..<1200))
    #expect(!written.pipe.hasAhead)
    #expect(written.pipe.read() == .empty)
  }

  @Test func `no more is read ahead than is worth to be kept`() throws {
    let written = try Written()
    while written.write(1000) { written.pipe.readAhead() }
    let kept = written.rest()
    // What was begun to be read is read to its end.
    #expect((ReadAheadQueue.maximumCount..<ReadAheadQueue.maximumCount + 512).contains(kept.count))
    #expect(kept == Array(0..<Int32(kept.count)))
    #expect(written.pipe.read() == .bytes, "the rest is in the pipe")
    #expect(written.pipe.next()?.value == Int32(kept.count))
  }

  @Test func `who reads ahead still sees that the writer has gone`() throws {
    let written = try Written()
    written.write(3)
    written.hangUp()
    written.pipe.readAhead()
    #expect(written.rest() == [0, 1, 2])
    #expect(written.pipe.read() == .over)
  }

  @Test func `an end seen while reading ahead is not forgotten`() throws {
    let written = try Written()
    written.write(3)
    written.hangUp()
    written.pipe.readAhead()
    written.comeBack()
    written.write(3)
    #expect(written.rest() == [0, 1, 2])
    #expect(written.pipe.read() == .over)
  }
}
