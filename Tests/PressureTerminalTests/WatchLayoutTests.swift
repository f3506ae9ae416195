import PressureKit
import Testing

@testable import PressureTerminal

@Suite struct WatchLayoutTests {
  private func text(
    _ model: WatchViewModel, _ columns: Int, _ rows: Int, glyphs: Glyphs = .all,
    depth: ColorDepth = .full
  ) -> String {
    let sheet = WatchLayout(model: model, glyphs: glyphs, depth: depth)
    return sheet.canvas(TerminalSize(columns: columns, rows: rows)).rows.joined(separator: "\n")
  }

  private var busy: WatchViewModel {
    var model = Lines.model(
      Lines.device(), Lines.device("b"),
      Lines.weight(
        Lines.contact(45, x: 0.3, ratio: 0.62, grams: "239"),
        Lines.contact(46, x: 0.8, ratio: 1, grams: "385", saturated: true), heaviest: "46"),
      Lines.scale, Lines.press("changed", ratio: 0.62))
    model.connectionStatus = "/run/pressured/pressured.sock"
    return model
  }

  @Test(arguments: [(120, 40), (80, 24), (60, 20)])
  func `all essential information is shown`(columns: Int, rows: Int) {
    let text = text(busy, columns, rows)
    for words in [
      "62 %", "239 g", "100 %", "385+ g", "76.9 g ±0.4 (absolute ±4)", "stable", "light", "? keys",
    ] {
      #expect(text.contains(words), "\(words)")
    }
  }

  @Test func `the capability of a device is shown`() {
    #expect(text(busy, 120, 40).contains("It measures size, not force."))
    #expect(text(busy, 120, 40).contains("Grams are an estimate."))
    #expect(text(busy, 120, 40).contains("≈ 154.0+ g"))
    let true_ = Lines.model(Lines.device(capability: "force", source: "calibrated"))
    #expect(text(true_, 120, 40).contains("Grams are measured with weights."))
    #expect(text(true_, 120, 40).contains("It measures force."))
  }

  @Test func `with ASCII glyphs all characters are ASCII`() {
    let text = text(busy, 80, 24, glyphs: .ascii, depth: .none)
    #expect(text.unicodeScalars.allSatisfy { $0.isASCII })
    #expect(text.contains("76.9 g +-0.4") && text.contains("385+ g"))
  }

  @Test func `without colors no color sequences are sent`() {
    let sheet = WatchLayout(model: busy, glyphs: .all, depth: .none)
    var screen = Screen(depth: .none)
    let sent = screen.show(sheet.canvas(TerminalSize(columns: 80, rows: 24)))
    #expect(!sent.contains("[0;3") && !sent.contains(";38;") && !sent.contains(";48;"))
    #expect(sent.contains("ooo") && sent.contains("###"))
  }

  @Test func `a terminal that is too small shows a message`() {
    #expect(text(busy, 31, 24).contains("too small"))
    #expect(text(busy, 80, 9).contains("32 × 10 is needed"))
    for (columns, rows) in [(0, 0), (1, 1), (5, 2), (32, 10), (33, 11), (59, 10), (60, 10)] {
      _ = text(busy, columns, rows)
    }
  }

  @Test func `a missing daemon or device is reported`() {
    var model = WatchViewModel()
    model.connectionStatus = "no pressured answers at /run/pressured/pressured.sock"
    #expect(text(model, 80, 24).contains("no pressured answers"))
    #expect(text(model, 80, 24).contains("waiting for a daemon"))
    model.update(with: [])
    #expect(text(model, 80, 24).contains("There is no touch device."))
  }

  @Test func `keys are listed, and a message replaces them`() {
    var model = busy
    model.listsKeys = true
    for (key, action) in WatchLayout.keys {
      #expect(text(model, 80, 24).contains(key) && text(model, 80, 24).contains(action))
    }
    model.message = "the reading is not at rest"
    #expect(text(model, 80, 24).contains("the reading is not at rest"))
    #expect(!text(model, 80, 24).contains("? keys"))
  }

  @Test func `many contacts share the space`() {
    var model = Lines.model(Lines.device())
    let contacts = (1...10).map { Lines.contact($0, x: Double($0) / 11) }
    model.update(with: Lines.event(Lines.weight(Array(contacts.prefix(5)))))
    #expect(!text(model, 80, 24).contains("… "))
    model.update(with: Lines.event(Lines.weight(contacts, heaviest: "4")))
    #expect(text(model, 80, 24).contains("… 3 more"))
    #expect(!text(model, 120, 40).contains("… "))
    // The labels of contacts are complete: no label covers a part of another.
    for (columns, rows) in [(80, 24), (60, 20), (40, 12), (120, 40)] {
      let pieces = text(model, columns, rows).split(separator: "%").dropLast()
      #expect(pieces.allSatisfy { $0.hasSuffix("20 ") }, "\(columns) × \(rows)")
    }
  }
}
