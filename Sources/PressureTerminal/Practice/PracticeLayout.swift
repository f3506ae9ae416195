internal import PressureKit

/// The layout of the screen: the gesture to perform now and the force, what the others were recognized as, and the keys; in the
/// end, the results.
struct PracticeLayout {
  let session: PracticeSession
  let name: String

  /// The results; empty while there are gestures to perform.
  let results: [String]

  let glyphs: Glyphs

  private static let margin = 2
  private static let markColumn = 16
  private static let barColumns = 40

  func canvas(_ size: TerminalSize) -> Canvas {
    var canvas = Canvas(size)
    canvas.put(" pressured practice", 0, 0, .bold)
    canvas.put(name, 21, 0, .dim, width: size.columns - 22)
    if results.isEmpty { drawTask(on: &canvas) } else { drawResults(on: &canvas) }
    canvas.put(
      keys: (results.isEmpty ? [("r", "repeat the last gesture")] : []) + [("q", "quit")])
    return canvas
  }

  private func drawTask(on canvas: inout Canvas) {
    guard let gesture = session.current else { return }
    let left = PracticeLayout.margin
    canvas.put(PracticeText.title(gesture, session), left, 2, .bold)
    let text =
      session.isOccupied
      ? "First take everything off the surface." : PracticeText.instruction(for: gesture)
    let lines = text.wrapped(to: canvas.size.columns - 2 * left)
    for (line, text) in lines.prefix(3).enumerated() { canvas.put(text, left, 3 + line) }
    drawBar(on: &canvas, row: 7)
    drawMarks(on: &canvas, row: 9)
    if let last = session.performed.indices.last {
      canvas.put(
        PracticeText.outcome(last, in: session), left, 10 + PracticeGesture.allCases.count)
    }
  }

  /// The greatest force on the surface, of its maximum.
  private func drawBar(on canvas: inout Canvas, row: Int) {
    let width = min(PracticeLayout.barColumns, canvas.size.columns - 2 * PracticeLayout.margin - 2)
    guard width > 0 else { return }
    let filled = min(max(Int(session.ratio * Double(width)), 0), width)
    let left = PracticeLayout.margin
    canvas.put("[", left, row, .dim)
    canvas.fill(left + 1..<left + 1 + filled, row, glyphs == .all ? "█" : "#", .plain)
    canvas.put("]", left + 1 + width, row, .dim)
  }

  /// A mark for each gesture, in a row for each kind.
  private func drawMarks(on canvas: inout Canvas, row: Int) {
    let (right, wrong, open): (Unicode.Scalar, Unicode.Scalar, Unicode.Scalar) =
      glyphs == .all ? ("✓", "✗", "·") : ("+", "-", ".")
    for (line, kind) in PracticeGesture.allCases.enumerated() {
      let isCurrent = kind == session.current
      canvas.put(kind.rawValue, PracticeLayout.margin, row + line, isCurrent ? .bold : .plain)
      let performed = session.performed.filter { $0.gesture == kind }
      for number in 0..<session.times {
        let column = PracticeLayout.markColumn + number
        guard number < performed.count else {
          canvas.put(open, column, row + line, .dim)
          continue
        }
        let isRight = performed[number].outcome.isRight(for: kind)
        canvas.put(isRight ? right : wrong, column, row + line, isRight ? .plain : .bold)
      }
    }
  }

  private func drawResults(on canvas: inout Canvas) {
    let width = canvas.size.columns - 2 * PracticeLayout.margin
    let lines = results.flatMap { $0.wrapped(to: width) }
    for (line, text) in lines.enumerated() where 2 + line < canvas.size.rows - 2 {
      canvas.put(text, PracticeLayout.margin, 2 + line)
    }
  }
}
