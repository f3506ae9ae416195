internal import PressureKit
internal import PressureProtocol

/// Lines, areas and words upon a page, without a word of how a file would say it.
package struct Drawing {
  /// One thing on the page; later ones cover earlier ones.
  package enum Item: Hashable {
    case line([Point], Stroke)
    case area(Rect, fill: String, opacity: Double, Stroke?)
    case polygon([Point], fill: String, Stroke?)
    case circle(Point, radius: Double, fill: String, Stroke?)
    case words(Words)
  }

  /// How a line is drawn.
  package struct Stroke: Hashable {
    var color: String
    var width = 1.0

    /// Lengths of line and gap by turns; none for a line without gaps.
    var dashes: [Double] = []
    var opacity = 1.0
  }

  let width: Double
  let height: Double
  package let title: String

  /// What the picture shows, for those who hear it read out.
  package let description: String

  private(set) var items: [Item] = []

  package init(width: Double, height: Double, title: String, description: String) {
    self.width = width
    self.height = height
    self.title = title
    self.description = description
  }

  package mutating func add(_ item: Item) { items.append(item) }

  package mutating func line(_ from: Point, _ to: Point, _ stroke: Stroke) {
    items.append(.line([from, to], stroke))
  }

  /// All words, with the room that they take.
  package var words: [Words] {
    items.compactMap { item in
      guard case .words(let words) = item else { return nil }
      return words
    }
  }
}

/// A line of text on a drawing.
package struct Words: Hashable {
  /// Which part of the text stands at the point.
  enum Anchor: String {
    case start, middle, end
  }

  package var text: String

  /// The foot of the letters, at the anchor.
  package var at: Point
  package var size = 12.0
  var anchor = Anchor.start
  var color = Palette.ink
  var isBold = false

  /// Whether it reads from below upwards.
  var isUpright = false

  /// Whether a pale edge keeps it apart from what is below it.
  var hasEdge = false

  /// How wide a text is in the widest of the usual fonts.
  static func width(of text: String, size: Double, isBold: Bool = false) -> Double {
    text.reduce(0) { $0 + width(of: $1) } * size * (isBold ? 1.13 : 1)
  }

  /// As a part of the letters' height.
  private static func width(of letter: Character) -> Double {
    switch letter {
    case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", " ": 0.34
    case "f", "t", "r", "(", ")", "-", "[", "]": 0.41
    case "m", "w", "M", "W", "%", "@", "…": 1
    case "A"..."Z", "≈", "±", "+", "\u{2212}": 0.84
    case "\u{0}"..."\u{24F}": 0.64
    default: 1
    }
  }

  /// The room that it takes, rather too much than too little.
  var box: Rect {
    let length = Words.width(of: text, size: size, isBold: isBold)
    let part =
      switch anchor {
      case .start: 0.0
      case .middle: 0.5
      case .end: 1.0
      }
    let (ascent, height) = (size * 0.85, size * 1.1)
    return isUpright
      ? Rect(left: at.x - ascent, top: at.y - length * (1 - part), width: height, height: length)
      : Rect(left: at.x - length * part, top: at.y - ascent, width: length, height: height)
  }

  /// The same, cut to a width, with a mark where something is left out.
  func cut(to width: Double) -> Words {
    guard box.width > width else { return self }
    var words = self
    var room = width - Words.width(of: "…", size: size, isBold: isBold)
    let kept = text.prefix { letter in
      room -= Words.width(of: String(letter), size: size, isBold: isBold)
      return room >= 0
    }
    words.text = kept + "…"
    return words
  }
}
