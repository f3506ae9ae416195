internal import CSystemd

/// Something that wakes the loop, for as long as it lives.
final class EventSource {
  /// What woke the loop.
  struct Wakening {
    /// The kernel's bits: of epoll for a descriptor, of inotify for a folder.
    var readiness: UInt32 = 0

    /// The name in a folder.
    var name = ""
  }

  /// Microseconds by which a timer may be late, to wake for several at once.
  static let timerAccuracy: UInt64 = 250

  var source: OpaquePointer?

  /// The time that a timer is set to.
  private var moment: Int64?
  private let body: (Wakening) -> Void

  init(_ body: @escaping (Wakening) -> Void) {
    self.body = body
  }

  deinit {
    sd_event_source_disable_unref(source)
  }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Calls the body; the source is kept alive over the call, as the body may let go of it.
  static func wake(_ context: UnsafeMutableRawPointer?, _ wakening: Wakening) {
    guard let context else { return }
    let source = Unmanaged<EventSource>.fromOpaque(context).takeUnretainedValue()
    source.moment = nil
    withExtendedLifetime(source) { source.body(wakening) }
  }

  /// Watches the same descriptor for something else.
  func watch(for readiness: Readiness) {
    sd_event_source_set_io_events(source, readiness.rawValue)
  }

  /// Lets a recurring source wake the loop.
  func resume() { watch(for: .reading) }

  /// Keeps a recurring source from waking the loop.
  func pause() { watch(for: []) }

  /// Sets a timer to a moment of CLOCK_MONOTONIC, in microseconds; nil stops it.
  func set(to moment: Int64?) {
    self.moment = moment
    guard let moment else {
      sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
      return
    }
    sd_event_source_set_time(source, UInt64(max(moment, 0)))
    sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
  }

  /// Sets a timer to a time, unless it is set to an earlier one.
  ///
  /// A timer that is set again is no longer pending: a source that is always ready and sets it in each round would
  /// otherwise keep it from firing.
  func set(noLaterThan moment: Int64) {
    if let current = self.moment, current <= moment { return }
    set(to: moment)
  }
}
