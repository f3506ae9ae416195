/// How a cell looks.
package struct Style: Hashable {
  /// The color of the text; nil for the terminal's own.
  var foreground: Color?

  /// What is behind it; nil for the terminal's own.
  var background: Color?

  var isBold = false
  var isDim = false

  /// Whether the two colors change places, which is seen without colors, too.
  var isReversed = false

  package static let plain = Style()
  static let bold = Style(isBold: true)
  static let dim = Style(isDim: true)
}

/// The same in what a terminal is able to show: two of them are equal where nobody sees a difference.
struct ShownStyle: Hashable {
  /// A color in the terminal's own words.
  enum Shade: Hashable {
    /// The terminal's own.
    case own
    /// One of the sixteen.
    case sixteen(UInt8)
    /// One of the 256.
    case palette(UInt8)
    /// Any.
    case full(Color)

    init(_ color: Color?, _ depth: ColorDepth) {
      guard let color else {
        self = .own
        return
      }
      switch depth {
      case .none: self = .own
      case .sixteen: self = .sixteen(color.nearestOfSixteen)
      case .palette: self = .palette(color.nearestOfPalette)
      case .full: self = .full(color)
      }
    }

    /// What SGR calls it; the base is 30 for text, 40 for what is behind it.
    fileprivate func code(_ base: Int) -> String {
      switch self {
      case .own: ""
      case .sixteen(let number) where number < 8: ";\(base + Int(number))"
      case .sixteen(let number): ";\(base + 60 + Int(number) - 8)"
      case .palette(let number): ";\(base + 8);5;\(number)"
      case .full(let color): ";\(base + 8);2;\(color.red);\(color.green);\(color.blue)"
      }
    }
  }

  private var foreground = Shade.own
  private var background = Shade.own
  private var isBold = false
  private var isDim = false
  private var isReversed = false

  /// The terminal's own colors.
  static let plain = ShownStyle()

  private init() {}

  init(_ style: Style, _ depth: ColorDepth) {
    foreground = Shade(style.foreground, depth)
    background = Shade(style.background, depth)
    isBold = style.isBold
    isDim = style.isDim
    isReversed = style.isReversed
  }

  /// The sequence that makes what follows look so, whatever came before.
  var sequence: String {
    var codes = "0"
    if isBold { codes += ";1" }
    if isDim { codes += ";2" }
    if isReversed { codes += ";7" }
    return "\u{1b}[\(codes)\(foreground.code(30))\(background.code(40))m"
  }

  /// The same after something that looked otherwise; only colors are changed one by one.
  func sequence(after before: ShownStyle?) -> String {
    guard let before, before.isBold == isBold, before.isDim == isDim,
      before.isReversed == isReversed, !gains(.own, from: before)
    else { return sequence }
    let text = before.foreground == foreground ? "" : foreground.code(30)
    let behind = before.background == background ? "" : background.code(40)
    return "\u{1b}[\((text + behind).dropFirst())m"
  }

  /// Whether a color is the terminal's own again, for which there is only the way back to nothing.
  private func gains(_ shade: Shade, from before: ShownStyle) -> Bool {
    (foreground == shade && before.foreground != shade)
      || (background == shade && before.background != shade)
  }
}
