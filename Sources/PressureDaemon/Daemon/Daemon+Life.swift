internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureLoop
internal import PressureSystem

// From the word that all is ready to the last line that a client gets.

extension Daemon {
  /// What we are at, on one line.
  package var status: String {
    let open = isReading ? "\(devices.count) open" : "closed"
    // Also for those who may not read the log.
    let fault = reloadFault.map { "; the last reload failed: \($0)" } ?? ""
    return "Serving \(listener.path); devices: \(open); clients: \(clients.count)\(fault)".onOneLine
  }

  /// Microseconds between two words on the status: clients may come and go a thousand times a second.
  private static let statusPause: Int64 = 500_000

  /// The status may be another one.
  func statusChanged() {
    guard ServiceNotifier.isThere, !isStatusDue else { return }
    isStatusDue = true
    statusTimer.set(to: loop.now + Daemon.statusPause)
  }

  func tellStatus() {
    isStatusDue = false
    guard status != toldStatus else { return }
    toldStatus = status
    ServiceNotifier.tell(status)
  }

  /// Reads the configuration again, unless it was a terminal that has hung up: then nobody would know
  /// any more that we are there.
  func hangUp() {
    guard !isStopping else { return }
    guard !(hasTerminal && isatty(STDERR_FILENO) == 0) else { return stop() }
    _ = try? reload()
  }

  /// Microseconds that clients have for what they have not taken yet; all is to be over within a second.
  private static let shutdownGrace: Int64 = 700_000

  /// Cancels contacts, and ends once everybody has been told, or has had time enough.
  package func stop() {
    guard !isStopping else { return end() }
    isStopping = true
    ServiceNotifier.stopping()
    shutDoor()
    if case .events(let pipe) = source { pipe.source = nil }
    stopReading()
    settleWeighs()
    for client in clients { client.leave() }
    endTimer.set(to: loop.now + Daemon.shutdownGrace)
    sweep()
  }

  /// Ends the loop.
  package func end() {
    clients = []
    loop.stop()
  }
}
