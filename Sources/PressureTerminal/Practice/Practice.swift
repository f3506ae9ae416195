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
  package private(set) var session: PracticeSession

  private let loop: EventLoop
  private let name: String
  private let file: String

  private var results: [String] = []
  private var terminal: Terminal?
  private var timer: EventSource?
  private var sources: [EventSource?] = []
  private var printedCount = 0
  private var printedTask = ""

  /// Starts the output; `drain` passes all events that are available to `receive`, before a gesture ends by time.
  package init(
    _ session: PracticeSession, name: String, file: String, loop: EventLoop, draws: Bool,
    drain: @escaping () -> Void
  ) throws(SystemError) {
    (self.session, self.name, self.file) = (session, name.onOneLine, file)
    self.loop = loop
    timer = try loop.timer { [weak self] in
      drain()
      self?.session.advance(to: Timestamp(microseconds: loop.now))
      self?.update()
    }
    if draws {
      terminal = try Terminal(
        loop: loop, paint: { [weak self] in self?.paint($0) },
        keyPressed: { [weak self] in self?.handle($0) })
    } else {
      sources = try loop.onSignals([SIGHUP, SIGINT, SIGTERM]) { [weak self] _ in self?.loop.stop() }
      sources.append(loop.watchReader(of: STDOUT_FILENO) { [weak self] in self?.loop.stop() })
      printLines()
    }
  }

  /// Processes an event of the device; `update` must follow.
  package func receive(_ event: InputEvent) { session.receive(event) }

  package func update() {
    timer?.set(to: session.deadline?.microseconds)
    if session.current == nil, results.isEmpty {
      // A terminal displays the results until a key ends it.
      results = PracticeText.results(session, for: file)
      timer?.set(to: nil)
      if terminal == nil { loop.stop() }
    }
    if terminal == nil { printLines() } else { terminal?.setNeedsDisplay() }
  }

  private func printLines() {
    while printedCount < session.performed.count {
      StandardOutput.print(PracticeText.outcome(printedCount, in: session))
      printedCount += 1
    }
    guard let gesture = session.current else { return }
    let title = PracticeText.title(gesture, session)
    let task = "\(title): \(PracticeText.instruction(for: gesture))"
    guard task != printedTask else { return }
    printedTask = task
    StandardOutput.print(task)
  }

  private func handle(_ key: Key) {
    guard key == .character("r"), results.isEmpty else { return }
    session.repeatLast()
    update()
  }

  // MARK: - The screen

  private static let margin = 2
  private static let markColumn = 16
  private static let barColumns = 40

  /// Paints the gesture to perform now and the force, what the others were recognized as, and the keys; in the end, the results.
  private func paint(_ terminal: Terminal) -> Canvas {
    let size = terminal.size
    var canvas = Canvas(size)
    canvas.put(" pressured practice", 0, 0, .bold)
    canvas.put(name, 21, 0, .dim, width: size.columns - 22)
    if results.isEmpty { drawTask(on: &canvas, terminal.glyphs) }
    let lines = results.flatMap { $0.wrapped(to: size.columns - 2 * Practice.margin) }
    for (line, text) in lines.enumerated() where 2 + line < size.rows - 2 {
      canvas.put(text, Practice.margin, 2 + line)
    }
    canvas.put(keys: (results.isEmpty ? [("r", "repeat the last gesture")] : []) + [("q", "quit")])
    return canvas
  }

  private func drawTask(on canvas: inout Canvas, _ glyphs: Glyphs) {
    guard let gesture = session.current else { return }
    let left = Practice.margin
    canvas.put(PracticeText.title(gesture, session), left, 2, .bold)
    let text =
      session.isOccupied
      ? "First take everything off the surface." : PracticeText.instruction(for: gesture)
    let lines = text.wrapped(to: canvas.size.columns - 2 * left)
    for (line, text) in lines.prefix(3).enumerated() { canvas.put(text, left, 3 + line) }
    let width = min(Practice.barColumns, canvas.size.columns - 2 * left - 2)
    if width > 0 {
      let filled = min(max(Int(session.ratio * Double(width)), 0), width)
      canvas.put("[", left, 7, .dim)
      canvas.fill(left + 1..<left + 1 + filled, 7, glyphs == .all ? "█" : "#", .plain)
      canvas.put("]", left + 1 + width, 7, .dim)
    }
    drawMarks(on: &canvas, row: 9, glyphs)
    if let last = session.performed.indices.last {
      canvas.put(PracticeText.outcome(last, in: session), left, 10 + PracticeGesture.allCases.count)
    }
  }

  private func drawMarks(on canvas: inout Canvas, row: Int, _ glyphs: Glyphs) {
    let (right, wrong, open): (Unicode.Scalar, Unicode.Scalar, Unicode.Scalar) =
      glyphs == .all ? ("✓", "✗", "·") : ("+", "-", ".")
    for (line, kind) in PracticeGesture.allCases.enumerated() {
      let isCurrent = kind == session.current
      canvas.put(kind.rawValue, Practice.margin, row + line, isCurrent ? .bold : .plain)
      let performed = session.performed.filter { $0.gesture == kind }
      for number in 0..<session.times {
        let column = Practice.markColumn + number
        guard number < performed.count else {
          canvas.put(open, column, row + line, .dim)
          continue
        }
        let isRight = performed[number].outcome.isRight(for: kind)
        canvas.put(isRight ? right : wrong, column, row + line, isRight ? .plain : .bold)
      }
    }
  }
}

package enum PracticeText {
  static func instruction(for gesture: PracticeGesture) -> String {
    switch gesture {
    case .click: "Press as for a click, and lift the finger."
    case .forceClick: "Press clearly harder than for a click, and lift the finger."
    case .drag:
      "Press as for a click, move the finger a few centimeters while it presses, and lift it."
    case .scroll: "Scroll with two fingers, and lift them."
    case .rest: "Lay a finger on the surface for two seconds without pressing, and lift it."
    }
  }

  static func title(_ gesture: PracticeGesture, _ session: PracticeSession) -> String {
    "\(gesture.rawValue), \(session.number) of \(session.times)"
  }

  package static func outcome(_ index: Int, in session: PracticeSession) -> String {
    let performed = session.performed[index]
    let isRight = performed.outcome.isRight(for: performed.gesture)
    return "\(performed.gesture.rawValue) \(index % session.times + 1) was recognized as "
      + "\(performed.outcome.rawValue)\(isRight ? "" : ": wrong")"
  }

  /// The results: how many gestures are recognized, with each sensitivity, and what to configure.
  package static func results(_ session: PracticeSession, for file: String) -> [String] {
    let kinds = PracticeGesture.allCases.filter { kind in
      session.performed.contains { $0.gesture == kind }
    }
    guard !kinds.isEmpty else { return ["No gesture was performed."] }
    var columns: [(title: String, outcomes: [PracticeOutcome])] = [("now", session.outcomes())]
    columns += PressFeel.allCases.map { ($0.rawValue, session.outcomes(with: $0)) }
    func row(_ title: String, _ cells: [String]) -> String {
      let start = title + .blanks(titleWidth - title.count)
      return zip(columns, cells).reduce(start) { line, cell in
        line + .blanks(2 + cell.0.title.count - cell.1.count) + cell.1
      }
    }
    var lines = [
      "Recognized as meant, with your settings (now) and with each feel:", "",
      row("", columns.map(\.title)),
    ]
    for kind in kinds {
      let count = session.performed.count { $0.gesture == kind }
      let cells = columns.map { String(session.rightCount($0.outcomes, of: kind)) }
      lines.append(row("\(kind.rawValue), of \(count)", cells))
    }
    let counts = columns.map { String(session.rightCount($0.outcomes)) }
    lines.append(row("all, of \(session.performed.count)", counts))
    if session.isFull {
      lines.append("The practice ended early, after \(session.events.count) events.")
    }
    guard let proposal = session.proposal else {
      return lines + ["", "No feel recognizes more of these gestures than your settings do."]
    }
    return lines + [
      "", "To try it, write into \(file):", "", "press:", "  feel: \(proposal.rawValue)", "",
      "and then: sudo systemctl reload pressured. In a terminal practice asks to do both.",
    ]
  }

  private static let titleWidth = "force click, of 10".count
}
