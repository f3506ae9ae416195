internal import CLinux
internal import PressureLoop
internal import PressureSystem

/// Returns unused heap memory to the kernel: disconnected clients leave holes that only a trim returns.
final class HeapTrimmer {
  /// Microseconds between two trims: each walks the whole heap.
  private static let interval: Int64 = 10_000_000

  /// Allocations of at least this many bytes are mapped separately and returned to the kernel when freed: in the heap,
  /// the large buffers of hundreds of clients would leave holes.
  ///
  /// The corresponding constant of the C library is `M_MMAP_THRESHOLD`.
  private static let largeAllocation: Int32 = 128 * 1024

  private let loop: EventLoop
  private let timer: EventSource

  init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    timer = try loop.timer(priority: .normal) { _ = pressured_return_memory() }
    _ = pressured_return_memory_from(HeapTrimmer.largeAllocation)
  }

  /// Schedules a trim.
  func trimLater() {
    if timer.moment == nil { timer.set(to: loop.now + HeapTrimmer.interval) }
  }
}
