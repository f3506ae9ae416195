internal import PressureConnection

/// The heading, the keys, and what else is words.
extension WatchLayout {
  /// The keys, and what each does.
  static let keys = [
    ("q", "quit"), ("?", "list the keys, or not"), ("Tab, →", "look at the next device"),
    ("⇧Tab, ←", "look at the one before"), ("1 … 9", "look at the device of that number"),
    ("t", "tare: what lies there does not count"), ("u", "untare: all counts again"),
    ("z", "zero: what is read now is nothing"), ("h", "hold the reading, or let it go"),
    ("^L", "draw all anew"), ("^Z", "suspend"),
  ]

  /// What the picture means.
  private static let legend: [(SurfaceDrawing.ColorRole, String, String)] = [
    (.heaviest, "yellow", "the heaviest contact"),
    (.saturated, "red edge, +", "the sensor is at its end: it may be more"),
    (.simulated, "violet", "a press made up from the time that a finger rests"),
    (.plain, "outer ring", "the heaviest contact's part of its maximum"),
    (.plain, "inner ring", "how far its press is in its stage"),
  ]

  func heading(on canvas: inout Canvas) {
    canvas.put(" pressured watch", 0, 0, .bold)
    let count = scene.devices.count
    let which = count > 1 ? "device \(scene.number) of \(count)  " : ""
    let text = scene.isConnected ? "\(which)\(scene.place) " : "waiting for a daemon "
    // Of a path, the end says most.
    let room = canvas.size.columns - 18
    let end = text.columns > room ? "…" + text.suffix(room - 1) : text
    let column = canvas.size.columns - end.columns
    canvas.put(
      shown(end), column, 0, scene.isConnected ? .dim : SurfaceDrawing.ColorRole.saturated.style)
  }

  func footing(on canvas: inout Canvas) {
    let row = canvas.size.rows - 1
    guard scene.remark.isEmpty else {
      canvas.put(shown(" \(scene.remark)"), 0, row, .bold)
      return
    }
    var column = 1
    for (key, deed) in [
      ("?", "keys"), ("q", "quit"), ("t", "tare"), ("z", "zero"), ("Tab", "next"),
    ] {
      column += canvas.put(key, column, row, .bold) + 1
      column += canvas.put(deed, column, row, .dim) + 3
    }
  }

  func listKeys(on canvas: inout Canvas) {
    let left = max((canvas.size.columns - 60) / 2, 1)
    let rows = WatchLayout.keys.count + WatchLayout.legend.count + 1
    let top = max((canvas.size.rows - rows) / 2, 1)
    for (line, (key, deed)) in WatchLayout.keys.enumerated() {
      put(key, deed, Style.bold, left, top + line, on: &canvas)
    }
    for (line, (ink, word, meaning)) in WatchLayout.legend.enumerated() {
      put(word, meaning, ink.style, left, top + WatchLayout.keys.count + 1 + line, on: &canvas)
    }
  }

  private func put(
    _ word: String, _ meaning: String, _ style: Style, _ column: Int, _ row: Int,
    on canvas: inout Canvas
  ) {
    guard row < canvas.size.rows - 1 else { return }
    canvas.put(shown(word), column, row, style)
    canvas.put(shown(meaning), column + 12, row)
  }

  func put(middle lines: [String], on canvas: inout Canvas) {
    let top = max((canvas.size.rows - lines.count) / 2, 0)
    for (line, text) in lines.enumerated() {
      let left = max((canvas.size.columns - text.columns) / 2, 0)
      canvas.put(shown(text), left, top + line)
    }
  }

  func put(
    _ line: Panel.Line, _ column: Int, _ row: Int, room: Int, on canvas: inout Canvas
  ) {
    var place = column
    for words in line {
      place += canvas.put(
        shown(words.text), place, row, words.ink.style, room: room - (place - column))
    }
  }

  /// What a terminal without Unicode shows instead.
  func shown(_ text: String) -> String {
    guard glyphs == .ascii else { return text }
    let known: [Unicode.Scalar: String] = [
      "█": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "=", "▍": "=", "▎": "-", "▏": "-", "…": "...",
      "±": "+-", "≈": "~", "×": "x", "→": "right", "←": "left", "⇧": "Shift-", "—": "-",
    ]
    return text.unicodeScalars.reduce(into: "") { result, glyph in
      result += glyph.isASCII ? String(glyph) : known[glyph] ?? "?"
    }
  }
}
