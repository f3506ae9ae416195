/// Numbers that are read from across the room, drawn with blocks.
///
/// Each glyph is three dots wide and five high, with a dot between two of them; a dot is two columns wide
/// and a row high, so that it is about square.
enum BigText {
  /// Rows that it takes.
  static let rows = 5

  /// Columns of a dot.
  fileprivate static let dotColumns = 2

  /// How many columns a text takes.
  static func columns(of text: String) -> Int {
    let dots = text.unicodeScalars.reduce(0) { $0 + width(of: $1) + 1 }
    return max(dots - 1, 0) * dotColumns
  }

  fileprivate static func width(of glyph: Unicode.Scalar) -> Int { dots(glyph)[0].count }

  /// The rows of a glyph, with `#` for a dot; a hole for what there is none of.
  fileprivate static func dots(_ glyph: Unicode.Scalar) -> [String] {
    (font[glyph] ?? "   /   /   /   /   ").split(separator: "/").map(String.init)
  }

  private static let font: [Unicode.Scalar: String] = [
    "0": "###/# #/# #/# #/###", "1": " # /## / # / # /###", "2": "###/  #/###/#  /###",
    "3": "###/  #/###/  #/###", "4": "# #/# #/###/  #/  #", "5": "###/#  /###/  #/###",
    "6": "###/#  /###/# #/###", "7": "###/  #/  #/  #/  #", "8": "###/# #/###/# #/###",
    "9": "###/# #/###/  #/###", "-": "   /   /###/   /   ", "+": "   / # /###/ # /   ",
    ".": " / / / /#", " ": " / / / / ", "%": "# #/  #/ # /#  /# #", "g": "   /###/# #/###/  #",
    "±": " # /###/ # /   /###", "?": "###/  #/ ##/   / # ",
    "≈": " ##  #/#  ## /      / ##  #/#  ## ",
    "k": "#  /# #/## /# #/# #", "z": "   /###/ # /#  /###", "o": "   /###/# #/# #/###",
  ]
}

extension Canvas {
  /// Puts a number in large, of digits, signs and the units g, kg and oz; what does not fit is not drawn.
  ///
  /// A dot is so many times as wide and as high as usual.
  package mutating func put(
    big text: String, _ column: Int, _ row: Int, _ style: Style, glyphs: Glyphs, times: Int = 1
  ) {
    let block: Unicode.Scalar = glyphs == .all ? "█" : "#"
    let dotColumns = BigText.dotColumns * times
    var place = column
    for glyph in text.unicodeScalars {
      for (line, dots) in BigText.dots(glyph).enumerated() {
        for (number, dot) in dots.enumerated() where dot == "#" {
          let left = place + number * dotColumns
          for below in 0..<times {
            fill(left..<left + dotColumns, row + line * times + below, block, style)
          }
        }
      }
      place += (BigText.width(of: glyph) + 1) * dotColumns
    }
  }
}
