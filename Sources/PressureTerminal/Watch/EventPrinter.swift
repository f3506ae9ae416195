internal import Glibc
internal import PressureConnection
internal import PressureKit
package import PressureLoop
internal import PressureProtocol
internal import PressureSettings
package import PressureSystem

/// What the daemon says, for those who read lines and not pictures.
///
/// Signals end the program as they end others: it may be waiting for whoever reads.
package final class EventPrinter {
  /// In which form.
  package enum Form {
    /// As the daemon says it, for programs.
    case lines
    /// One row for each contact and reading, for people.
    case table
  }

  /// Readings a second in a table.
  private static let tableRate = 10.0

  private let loop: EventLoop
  private let companion: PrivateDaemon?
  private let form: Form
  private var link: LoopConnection?
  private var output: EventSource?

  /// The devices whose grams are an estimate.
  private var estimates: Set<String> = []

  /// Why it has ended, where somebody has to be told.
  package private(set) var failure: ExitError?

  /// Begins to print.
  ///
  /// - Parameters:
  ///   - loop: who wakes it.
  ///   - socket: where the daemon is, or nil to look where daemons are.
  ///   - companion: whose socket that is, if it is ours.
  ///   - form: for whom it is.
  /// - Throws: why it cannot wait for the daemon.
  package init(
    loop: EventLoop, socket: String?, companion: PrivateDaemon?, as form: Form
  ) throws(SystemError) {
    self.loop = loop
    self.companion = companion
    self.form = form
    // A pipe tells when nobody reads any more, also while there is nothing to write; a file cannot.
    output = try? loop.watch(STDOUT_FILENO, for: []) { [weak self] in
      if $0.contains(.gone) { self?.loop.stop() }
    }
    let link = LoopConnection(
      loop: loop, socket: socket,
      greeting: { EventPrinter.greet(&$0, form) },
      handler: { [weak self] in self?.hear($0) })
    self.link = link
    if form == .table { StandardOutput.print(TableRow.heading) }
    try link.start()
  }

  private static func greet(_ requests: inout JSONLinesWriter, _ form: Form) {
    guard form == .table else { return }
    requests.appendRequest(
      "subscribe",
      [
        "events": .list([.text("device"), .text("weight"), .text("press")]),
        "max_hz": .number(tableRate),
      ])
  }

  private func hear(_ news: ReconnectingConnection.Update) {
    switch news {
    case .line(let line): hear(line)
    case .lost: break
    case .unavailable(let fault, let isNew):
      guard let companion else {
        if isNew { Log.info(fault.waitingSentence) }
        return
      }
      let why = companion.end()
      // A recording that is over is no failure.
      failure = why ?? (companion.endsByItself && fault == .ended ? nil : ExitError(fault))
      loop.stop()
    }
  }

  private func hear(_ line: [UInt8]) {
    switch form {
    case .lines: (line + [UInt8(ascii: "\n")]).withUnsafeBufferPointer(StandardOutput.write)
    case .table:
      let event = ReceivedEvent(line: line)
      if case .device(let device) = event { note(device) }
      let rows = TableRow.rows(of: event) { estimates.contains($0) }
      if !rows.isEmpty { StandardOutput.print(rows.joined(separator: "\n")) }
    }
  }

  private func note(_ device: ReceivedDevice) {
    if device.isEstimate, device.change != .known(.removed),
      estimates.count < WatchViewModel.mostDevices
    {
      estimates.insert(device.device)
    } else {
      estimates.remove(device.device)
    }
  }
}
