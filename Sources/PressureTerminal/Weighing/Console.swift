internal import CTerminal
internal import Glibc
internal import PressureSystem

/// Where a conversation is written: a roll of paper, and at a terminal one line that is written over.
///
///     reads 105 units, ≈ 52 g        ← the line that lives, above the question
///     What does it weigh? 50_
///
/// The terminal is left in its own mode: it edits the answer, and there is nothing to restore when we are
/// killed. Only where both ends are a terminal that can move its cursor is anything written over.
package final class Console {
  /// Whether there is a line that lives.
  let isLive: Bool

  private var isAsking = false
  private var shown = ""

  package init() {
    let isTerminal = isatty(STDIN_FILENO) == 1 && Terminal.isThere
    isLive = isTerminal
  }

  /// Writes a line, or several.
  package func say(_ text: String = "") {
    clear()
    StandardOutput.print(text)
  }

  /// Writes a question; the answer is typed behind it.
  package func ask(_ question: String) {
    clear()
    isAsking = true
    guard isLive else { return StandardOutput.print(question) }
    write("\n\(question) ")
  }

  /// The answer was typed, whose line break the terminal has written; the reading above is over.
  func answered() {
    if isLive, isAsking { write("\u{1b}7\u{1b}[2A\r\u{1b}[K\u{1b}8") }
    isAsking = false
    shown = ""
  }

  /// Writes the line that lives; without one, nothing.
  func live(_ text: String) {
    guard isLive, text != shown else { return }
    shown = text
    let line = "\r\(cut(text))\u{1b}[K"
    // The cursor is kept and put back, in one write, so that typing goes on where it was.
    write(isAsking ? "\u{1b}7\u{1b}[A\(line)\u{1b}8" : line)
  }

  private func clear() {
    if isLive, !isAsking, !shown.isEmpty { write("\r\u{1b}[K") }
    shown = ""
  }

  /// A line that is longer than the terminal is wide would take two, and only one be written over.
  private func cut(_ text: String) -> String {
    var window = winsize()
    let isKnown = pressured_terminal_size(STDOUT_FILENO, &window) == 0 && window.ws_col > 0
    return String(text.prefix(isKnown ? Int(window.ws_col) - 1 : 79))
  }

  private func write(_ text: String) {
    var text = text
    text.withUTF8 { StandardOutput.write($0) }
  }
}
