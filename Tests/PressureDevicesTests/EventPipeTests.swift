import CEvdev
import Glibc
import PressureKit
import Testing

@testable import PressureDevices
@testable import PressureSystem

struct EventPipeTests {
  /// A pipe and its writer: values count up, so that missing events are detected.
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
      reopenWriter()
    }

    deinit {
      closeWriter()
      unlink(path)
      rmdir(folder)
    }

    /// Returns false if the pipe is full.
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

    func closeWriter() {
      if writer >= 0 { close(writer) }
      writer = -1
    }

    func reopenWriter() {
      writer = open(path, O_WRONLY | O_NONBLOCK)
    }

    /// The values that are available without reading.
    func rest() -> [Int32] {
      var values: [Int32] = []
      while let event = pipe.next() { values.append(event.value) }
      return values
    }
  }

  @Test func `events that were read ahead arrive once and in order`() throws {
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

  @Test func `the number of events read ahead is limited`() throws {
    let written = try Written()
    while written.write(1000) { written.pipe.readAhead() }
    let kept = written.rest()
    // The current read is completed.
    #expect((ReadAheadQueue.maximumCount..<ReadAheadQueue.maximumCount + 512).contains(kept.count))
    #expect(kept == Array(0..<Int32(kept.count)))
    #expect(written.pipe.read() == .bytes, "the rest is in the pipe")
    #expect(written.pipe.next()?.value == Int32(kept.count))
  }

  @Test func `reading ahead still detects that the writer has closed the pipe`() throws {
    let written = try Written()
    written.write(3)
    written.closeWriter()
    written.pipe.readAhead()
    #expect(written.rest() == [0, 1, 2])
    #expect(written.pipe.read() == .over)
  }

  @Test func `an end detected while reading ahead is still reported`() throws {
    let written = try Written()
    written.write(3)
    written.closeWriter()
    written.pipe.readAhead()
    written.reopenWriter()
    written.write(3)
    #expect(written.rest() == [0, 1, 2])
    #expect(written.pipe.read() == .over)
  }
}
