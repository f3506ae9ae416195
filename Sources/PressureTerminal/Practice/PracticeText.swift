package import PressureKit
internal import PressureSystem

/// The texts of `pressured practice`.
package enum PracticeText {
  /// What to do for a gesture.
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

  /// The gesture to perform now, on one line.
  static func task(_ session: PracticeSession) -> String {
    guard let gesture = session.current else { return "" }
    return "\(title(gesture, session)): \(instruction(for: gesture))"
  }

  static func title(_ gesture: PracticeGesture, _ session: PracticeSession) -> String {
    "\(gesture.rawValue), \(session.number) of \(session.times)"
  }

  /// What a gesture was recognized as, on one line.
  package static func outcome(_ index: Int, in session: PracticeSession) -> String {
    let performed = session.performed[index]
    let isRight = performed.outcome.isRight(for: performed.gesture)
    return "\(performed.gesture.rawValue) \(index % session.times + 1) was recognized as "
      + "\(performed.outcome.text)\(isRight ? "" : ": wrong")"
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
      zip(columns, cells).reduce(title.padded(to: titleWidth)) { line, cell in
        line + "  " + String(repeating: " ", count: max(cell.0.title.count - cell.1.count, 0))
          + cell.1
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
    return lines + [""] + advice(session, for: file)
  }

  private static let titleWidth = "force click, of 10".count

  private static func advice(_ session: PracticeSession, for file: String) -> [String] {
    guard let proposal = session.proposal else {
      return ["No feel recognizes more of these gestures than your settings do."]
    }
    return [
      "To try it, write into \(file):", "", "press:", "  feel: \(proposal.rawValue)", "",
      "and then: sudo systemctl reload pressured",
    ]
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
