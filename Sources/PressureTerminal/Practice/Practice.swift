internal import Glibc
package import PressureKit
package import PressureLoop
package import PressureSystem

/// `pressured practice`: asks for gestures one after another and displays what each is recognized as.
///
///     device ──▶ session ──▶ layout ──▶ terminal
///       ▲           └──▶ lines, if there is no terminal
///       └── deadline
package final class Practice {
  /// The gestures so far.
  package private(set) var session: PracticeSession

  private let loop: EventLoop
  private let name: String
  private let file: String

  /// Passes all events that are available to `receive`.
  private let drain: () -> Void

  private var results: [String] = []
  private var terminal: Terminal?
  private var timer: EventSource?
  private var sources: [EventSource?] = []
  private var printedCount = 0
  private var printedTask = ""

  /// Starts the output.
  ///
  /// - Parameters:
  ///   - session: the gestures to ask for.
  ///   - name: the name of the device.
  ///   - file: the configuration to which the results refer.
  ///   - loop: the event loop that drives it.
  ///   - draws: whether standard output is a terminal for a full-screen display.
  ///   - drain: passes all events that are available to `receive`; called before a gesture ends by time.
  /// - Throws: why the terminal or the event loop cannot be used.
  package init(
    _ session: PracticeSession, name: String, file: String, loop: EventLoop, draws: Bool,
    drain: @escaping () -> Void
  ) throws(SystemError) {
    (self.session, self.name, self.file) = (session, name.onOneLine, file)
    (self.loop, self.drain) = (loop, drain)
    timer = try loop.timer { [weak self] in self?.deadlineReached() }
    if draws {
      terminal = try Terminal(
        loop: loop, paint: { [weak self] in self?.paint($0) ?? Canvas($0) },
        body: { [weak self] in self?.handle($0) })
    } else {
      for number in [SIGHUP, SIGINT, SIGTERM] {
        sources.append(try loop.onSignal(number) { [weak self] in self?.loop.stop() })
      }
      sources.append(loop.watchReader(of: STDOUT_FILENO) { [weak self] in self?.loop.stop() })
      printLines()
    }
  }

  /// Processes an event of the device; `update` must follow.
  package func receive(_ event: InputEvent) { session.receive(event) }

  /// Updates the output after events.
  package func update() {
    timer?.set(to: session.deadline?.microseconds)
    if session.current == nil { finish() }
    if terminal == nil { printLines() } else { terminal?.setNeedsDisplay() }
  }

  private func deadlineReached() {
    drain()
    session.advance(to: Timestamp(microseconds: loop.now))
    update()
  }

  /// All gestures are done: a terminal displays the results until a key ends it.
  private func finish() {
    guard results.isEmpty else { return }
    results = PracticeText.results(session, for: file)
    timer?.set(to: nil)
    if terminal == nil { loop.stop() }
  }

  private func printLines() {
    while printedCount < session.performed.count {
      StandardOutput.print(PracticeText.outcome(printedCount, in: session))
      printedCount += 1
    }
    let task = PracticeText.task(session)
    guard task != printedTask, session.current != nil else { return }
    printedTask = task
    StandardOutput.print(task)
  }

  private func paint(_ size: TerminalSize) -> Canvas {
    guard let terminal else { return Canvas(size) }
    return PracticeLayout(
      session: session, name: name, results: results, glyphs: terminal.glyphs
    ).canvas(size)
  }

  private func handle(_ input: Terminal.Input) {
    switch input {
    case .end, .key(.character("q")), .key(.control("c")), .key(.control("d")): loop.stop()
    case .key(.control("l")): terminal?.redraw()
    case .key(.character("r")) where results.isEmpty:
      session.repeatLast()
      update()
    case .key: break
    }
  }
}
