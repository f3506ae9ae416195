internal import CLinux
internal import CSystemd
package import PressureSystem

/// The event loop: dispatches everything that can wake the daemon, by priority.
///
/// A thin wrapper around sd-event, which implements timers, signals and the watchdog.
package final class EventLoop {
  /// The order in which ready sources are dispatched; sources with the same priority take turns.
  ///
  /// Devices, clients and timers have the same one, as a source that is always ready would starve those with a lower priority.
  package enum Priority: Int64 {
    /// A signal, which nothing may delay.
    case signal = -20
    /// A change of who may receive events of a device, which takes effect before the next events are read.
    case access = -10
    /// A device, a client, a folder or a timer.
    case normal = 0
  }

  let event: OpaquePointer

  package init() throws(SystemError) {
    var event: OpaquePointer?
    try SystemError.check(sd_event_new(&event), "create an event loop")
    guard let event else { throw SystemError(attempt: "create an event loop", number: ENOMEM) }
    self.event = event
  }

  deinit { sd_event_unref(event) }

  /// The start of the current iteration, in microseconds of CLOCK_MONOTONIC.
  package var now: Int64 {
    var microseconds: UInt64 = 0
    sd_event_now(event, CLOCK_MONOTONIC, &microseconds)
    return Int64(clamping: microseconds)
  }

  package var iterations: Int {
    var count: UInt64 = 0
    sd_event_get_iteration(event, &count)
    return Int(clamping: count)
  }

  /// Notifies the service manager's watchdog regularly, if it is enabled.
  package func enableWatchdog() { sd_event_set_watchdog(event, 1) }

  /// Runs until `stop`; returns the status passed to it.
  package func run() throws(SystemError) -> Int32 {
    try SystemError.check(sd_event_loop(event), "wait for events")
  }

  package func stop(status: Int32 = 0) { sd_event_exit(event, status) }

  package func watch(
    _ descriptor: Int32, for readiness: Readiness, priority: Priority = .normal,
    _ body: @escaping (Readiness) -> Void
  ) throws(SystemError) -> EventSource {
    let source = EventSource { readiness, _ in body(Readiness(rawValue: readiness)) }
    let result = sd_event_add_io(
      event, &source.source, descriptor, readiness.rawValue,
      { _, _, revents, context in EventSource.wake(context, revents) }, source.context)
    try SystemError.check(result, "watch a descriptor")
    sd_event_source_set_priority(source.source, priority.rawValue)
    return source
  }

  /// Calls a body once when the reader of a pipe, or a terminal, has left, even if nothing is written; nil for a regular file.
  package func watchReader(of descriptor: Int32, _ body: @escaping () -> Void) -> EventSource? {
    // Without anything to watch for, only the end and errors are reported, again and again.
    guard let source = try? watch(descriptor, for: [], { _ in body() }) else { return nil }
    sd_event_source_set_enabled(source.source, Int32(SD_EVENT_ONESHOT))
    return source
  }

  package func timer(
    priority: Priority = .normal, _ body: @escaping () -> Void
  ) throws(SystemError) -> EventSource {
    let source = EventSource { _, _ in body() }
    let result = sd_event_add_time(
      event, &source.source, CLOCK_MONOTONIC, UInt64.max, EventSource.timerAccuracy,
      { _, _, context in EventSource.wake(context) }, source.context)
    try SystemError.check(result, "create a timer")
    sd_event_source_set_priority(source.source, priority.rawValue)
    sd_event_source_set_enabled(source.source, Int32(SD_EVENT_OFF))
    return source
  }

  /// Creates a source that is dispatched in each iteration between `resume` and `pause`, in turn with others.
  ///
  /// It watches a descriptor that is always ready. A deferred source of sd-event would be dispatched before all
  /// descriptors of its priority in each iteration, because it has been pending since it was created.
  package func recurring(_ body: @escaping () -> Void) throws(SystemError) -> EventSource {
    let ready = Descriptor(
      try SystemError.checkErrno(
        eventfd(1, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), "create an event descriptor"))
    return try watch(ready.number, for: []) { _ in withExtendedLifetime(ready) { body() } }
  }

  /// Blocks signals until a loop handles them, so that none terminates the process during its start.
  package static func block(_ numbers: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    sigprocmask(SIG_BLOCK, &set, nil)
  }

  /// Handles signals in the loop; they are blocked everywhere else.
  package func onSignals(
    _ numbers: [Int32], _ body: @escaping (Int32) -> Void
  ) throws(SystemError) -> [EventSource] {
    EventLoop.block(numbers)
    var sources: [EventSource] = []
    for number in numbers {
      let source = EventSource { _, _ in body(number) }
      let result = sd_event_add_signal(
        event, &source.source, number, { _, _, context in EventSource.wake(context) },
        source.context)
      try SystemError.check(result, "watch for signal \(number)")
      sd_event_source_set_priority(source.source, Priority.signal.rawValue)
      sources.append(source)
    }
    return sources
  }

  /// Watches a folder with inotify; the body receives the name and the kernel's mask.
  package func watchFolder(
    _ path: String, mask: UInt32, _ body: @escaping (String, UInt32) -> Void
  ) throws(SystemError) -> EventSource {
    let source = EventSource { mask, name in body(name, mask) }
    let result = sd_event_add_inotify(
      event, &source.source, path, mask,
      { _, event, context in
        guard let event else { return 0 }
        let name = event.pointee.len > 0 ? String(cString: pressured_inotify_name(event)) : ""
        return EventSource.wake(context, event.pointee.mask, name)
      }, source.context)
    try SystemError.check(result, "watch the folder \(path)")
    return source
  }
}

package final class EventSource {
  /// Microseconds by which a timer may be late, so that one wake-up serves several.
  static let timerAccuracy: UInt64 = 250

  package var source: OpaquePointer?

  /// The time that a timer is set to, in microseconds of CLOCK_MONOTONIC; nil if it is not set.
  ///
  /// Exclusivity checks are off, as each frame reads it several times.
  @exclusivity(unchecked) package private(set) var moment: Int64?
  private let body: (UInt32, String) -> Void

  /// Makes a source; `body` takes the kernel's bits, those of epoll or inotify, and the name of an entry of a folder.
  init(_ body: @escaping (UInt32, String) -> Void) {
    self.body = body
  }

  deinit { sd_event_source_disable_unref(source) }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Calls the body; keeps the source alive during the call, as the body may release it.
  static func wake(
    _ context: UnsafeMutableRawPointer?, _ readiness: UInt32 = 0, _ name: String = ""
  ) -> Int32 {
    guard let context else { return 0 }
    let source = Unmanaged<EventSource>.fromOpaque(context).takeUnretainedValue()
    source.moment = nil
    withExtendedLifetime(source) { source.body(readiness, name) }
    return 0
  }

  /// Changes the events to watch a descriptor for.
  package func watch(for readiness: Readiness) {
    sd_event_source_set_io_events(source, readiness.rawValue)
  }

  package func resume() { watch(for: .reading) }

  package func pause() { watch(for: []) }

  /// Sets a timer to a time of CLOCK_MONOTONIC in microseconds; nil stops it.
  package func set(to moment: Int64?) {
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
  package func set(noLaterThan moment: Int64) {
    if let current = self.moment, current <= moment { return }
    set(to: moment)
  }
}
