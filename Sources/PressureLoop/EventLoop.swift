internal import CLinux
internal import CSystemd
package import PressureSystem

/// The one loop: everything that can wake the daemon, in the order in which it is served.
///
/// A thin skin over sd-event, whose timers, signals and watchdog need no tests of ours.
package final class EventLoop {
  /// Who is served first when several are ready; those with the same turn go one after another.
  ///
  /// Devices are drained before deadlines run, so that times never run backwards. They do not go before
  /// clients: one that is never drained would keep these from ever asking, and from what waits for them.
  package enum Priority: Int64 {
    /// A signal, which nobody must keep waiting.
    case signal = -20
    /// A device, a client, a folder.
    case normal = 0
    /// A deadline has passed.
    case deadline = 10
  }

  private let event: OpaquePointer

  package init() throws(SystemError) {
    var event: OpaquePointer?
    try SystemError.check(sd_event_new(&event), "make an event loop")
    guard let event else { throw SystemError(attempt: "make an event loop", number: ENOMEM) }
    self.event = event
  }

  deinit {
    sd_event_unref(event)
  }

  /// Microseconds of CLOCK_MONOTONIC when this round of the loop began.
  package var now: Int64 {
    var microseconds: UInt64 = 0
    sd_event_now(event, CLOCK_MONOTONIC, &microseconds)
    return Int64(clamping: microseconds)
  }

  /// How often it has gone round.
  package var iterations: Int {
    var count: UInt64 = 0
    sd_event_get_iteration(event, &count)
    return Int(clamping: count)
  }

  /// Tells systemd regularly that the loop goes round, where systemd asks for that.
  package func enableWatchdog() {
    sd_event_set_watchdog(event, 1)
  }

  /// Goes round until `stop`; gives the status that it was stopped with.
  package func run() throws(SystemError) -> Int32 {
    try SystemError.check(sd_event_loop(event), "wait for events")
  }

  /// Ends `run` after this round.
  package func stop(status: Int32 = 0) {
    sd_event_exit(event, status)
  }
}

extension EventLoop {
  /// Watches a descriptor for as long as the source lives.
  package func watch(
    _ descriptor: Int32, for readiness: Readiness, priority: Priority = .normal,
    _ body: @escaping (Readiness) -> Void
  ) throws(SystemError) -> EventSource {
    let source = EventSource { body(Readiness(rawValue: $0.readiness)) }
    let result = sd_event_add_io(
      event, &source.source, descriptor, readiness.rawValue,
      { _, _, revents, context in
        EventSource.wake(context, EventSource.Wakeup(readiness: revents))
        return 0
      }, source.context)
    try SystemError.check(result, "watch a descriptor")
    sd_event_source_set_priority(source.source, priority.rawValue)
    return source
  }

  /// Makes a timer that is not set.
  package func timer(priority: Priority = .deadline, _ body: @escaping () -> Void)
    throws(SystemError)
    -> EventSource
  {
    let source = EventSource { _ in body() }
    let result = sd_event_add_time(
      event, &source.source, CLOCK_MONOTONIC, UInt64.max, EventSource.timerAccuracy,
      { _, _, context in
        EventSource.wake(context, EventSource.Wakeup())
        return 0
      }, source.context)
    try SystemError.check(result, "make a timer")
    sd_event_source_set_priority(source.source, priority.rawValue)
    sd_event_source_set_enabled(source.source, Int32(SD_EVENT_OFF))
    return source
  }

  /// Makes a source that wakes the loop in each round from `resume` to `pause`, in turn with the others.
  ///
  /// It watches a descriptor that is always ready: sd-event puts a deferred source, which has been pending since it was
  /// made, before all descriptors of its priority, in each round.
  package func recurring(_ body: @escaping () -> Void) throws(SystemError) -> EventSource {
    let ready = Descriptor(
      try SystemError.checkErrno(
        eventfd(1, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), "make an event descriptor")
    )
    return try watch(ready.number, for: []) { _ in withExtendedLifetime(ready) { body() } }
  }

  /// Keeps signals back until a loop takes them, so that none ends us while we get ready.
  package static func block(_ numbers: [Int32]) {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    sigprocmask(SIG_BLOCK, &set, nil)
  }

  /// Takes a signal into the loop; it is blocked everywhere else.
  package func onSignal(_ number: Int32, _ body: @escaping () -> Void) throws(SystemError)
    -> EventSource
  {
    EventLoop.block([number])
    let source = EventSource { _ in body() }
    let result = sd_event_add_signal(
      event, &source.source, number,
      { _, _, context in
        EventSource.wake(context, EventSource.Wakeup())
        return 0
      }, source.context)
    try SystemError.check(result, "watch for signal \(number)")
    sd_event_source_set_priority(source.source, Priority.signal.rawValue)
    return source
  }

  /// Watches a folder through inotify; the body gets the name and the kernel's mask.
  package func watchFolder(
    _ path: String, mask: UInt32, _ body: @escaping (String, UInt32) -> Void
  ) throws(SystemError) -> EventSource {
    let source = EventSource { body($0.name, $0.readiness) }
    let result = sd_event_add_inotify(
      event, &source.source, path, mask,
      { _, event, context in
        guard let event else { return 0 }
        let name = event.pointee.len > 0 ? String(cString: pressured_inotify_name(event)) : ""
        EventSource.wake(
          context, EventSource.Wakeup(readiness: event.pointee.mask, name: name))
        return 0
      }, source.context)
    try SystemError.check(result, "watch the folder \(path)")
    return source
  }
}

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
  static func wake(_ context: UnsafeMutableRawPointer?, _ wakeup: Wakeup) {
    guard let context else { return }
    let source = Unmanaged<EventSource>.fromOpaque(context).takeUnretainedValue()
    withExtendedLifetime(source) { source.body(wakeup) }
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
