internal import PressureLoop
internal import PressureSystem

/// The daemon's status for the service manager, published some time after a change.
final class StatusLine {
  /// Microseconds between two updates: clients may connect a thousand times a second.
  private static let interval: Int64 = 500_000

  private let loop: EventLoop
  private let text: () -> String
  private var timer: EventSource?
  private var last: String?

  init(loop: EventLoop, text: @escaping () -> String) throws(SystemError) {
    self.loop = loop
    self.text = text
    // Requests and devices that keep the loop busy would starve timers of a lower priority.
    timer = try loop.timer(priority: .normal) { [unowned self] in publish() }
  }

  /// Schedules an update.
  func updateLater() {
    guard ServiceNotifier.isAvailable, let timer, timer.moment == nil else { return }
    timer.set(to: loop.now + StatusLine.interval)
  }

  private func publish() {
    let text = text()
    guard text != last else { return }
    last = text
    ServiceNotifier.status(text)
  }
}
