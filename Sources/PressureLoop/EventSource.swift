internal import CSystemd
package import PressureSystem

/// Something that wakes the loop, for as long as it lives.
package final class EventSource {
  /// What woke the loop.
  package struct Wakeup {
    /// The kernel's bits: of epoll for a descriptor, of inotify for a folder.
    package var readiness: UInt32 = 0

    /// The name in a folder.
    package var name = ""
  }

  /// Microseconds by which a timer may be late, to wake for several at once.
  static let timerAccuracy: UInt64 = 250

  package var source: OpaquePointer?
  private let body: (Wakeup) -> Void

  package init(_ body: @escaping (Wakeup) -> Void) {
    self.body = body
  }

  deinit {
    sd_event_source_disable_unref(source)
  }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Calls the body; the source is kept alive over the call, as the body may let go of it.
  static func wake(_ context: UnsafeMutableRawPointer?, _ wakening: Wakeup) {
    guard let context else { return }
    let source = Unmanaged<EventSource>.fromOpaque(context).takeUnretainedValue()
    withExtendedLifetime(source) { source.body(wakening) }
  }

  /// Watches the same descriptor for something else.
  package func watch(for readiness: Readiness) {
    sd_event_source_set_io_events(source, readiness.rawValue)
  }

  /// Lets a recurring source wake the loop.
  package func resume() { watch(for: .reading) }

  /// Keeps a recurring source from waking the loop.
  package func pause() { watch(for: []) }

  /// Sets a timer to a moment of CLOCK_MONOTONIC, in microseconds; nil stops it.
  package func set(to moment: Int64?) {
    guard let moment else {
      sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
      return
    }
    sd_event_source_set_time(source, UInt64(max(moment, 0)))
    sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
  }
}
