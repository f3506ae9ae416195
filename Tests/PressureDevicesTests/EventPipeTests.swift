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

  @Test func `one read takes all that a pipe holds, once and in order`() throws {
    let written = try Written()
    while written.write(1000) {}
    written.pipe.readOnce()
    #expect(written.pipe.hasMore)
    let values = written.rest()
    #expect(values.count > 2000 && values == Array(0..<Int32(values.count)))
    written.pipe.readOnce()
    #expect(!written.pipe.hasMore)
  }

  @Test func `nothing is read before all that was read is processed`() throws {
    let written = try Written()
    written.write(2)
    written.pipe.readOnce()
    #expect(written.pipe.next()?.value == 0)
    written.write(2)
    written.pipe.readAhead()
    #expect(written.rest() == [1])
    written.pipe.readAhead()
    #expect(written.rest() == [2, 3])
  }

  @Test func `an end that was detected is reported although another writer has come`() throws {
    let written = try Written()
    written.write(3)
    written.closeWriter()
    written.pipe.readOnce()
    #expect(written.rest() == [0, 1, 2])
    written.pipe.readOnce()
    written.reopenWriter()
    written.write(3)
    written.pipe.readOnce()
    #expect(written.rest() == [])
    #expect(written.pipe.isOver)
  }
}

@Test func `a slot that the device does not have is replaced by its last one`() throws {
  let device = try #require(libevdev_new())
  defer { libevdev_free(device) }
  for (code, maximum) in [(ABS_MT_SLOT, 2), (ABS_MT_TRACKING_ID, 9)] {
    var axis = input_absinfo()
    axis.maximum = Int32(maximum)
    libevdev_enable_event_code(device, UInt32(EV_ABS), UInt32(code), &axis)
  }
  var state = AxisState(libevdev: device)
  for unknown in [3, 4, .max, -1] as [Int32] {
    var event = InputEvent(time: Timestamp(microseconds: 0), code: .slot, value: unknown)
    let isKnown = state.store(event)
    #expect(!isKnown)
    _ = state.store(rare: &event, of: nil)
    #expect(event.value == 2)
  }
}
