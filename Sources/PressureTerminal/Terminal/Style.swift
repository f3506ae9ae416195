/// The style of a cell.
package struct Style: Hashable {
  /// The color of the text; nil for the terminal's default.
  var foreground: Color?

  /// The color of the background; nil for the terminal's default.
  var background: Color?

  var isBold = false
  var isDim = false

  /// Whether the two colors are swapped, which is visible without colors as well.
  var isReversed = false

  package static let plain = Style()
  static let bold = Style(isBold: true)
  static let dim = Style(isDim: true)
}

/// A style reduced to the colors of a terminal; two are equal if they look the same.
struct ShownStyle: Hashable {
  /// A color that the terminal supports.
  enum Shade: Hashable {
    /// The terminal's default color.
    case own
    /// A color of the 16-color palette.
    case sixteen(UInt8)
    /// A color of the 256-color palette.
    case palette(UInt8)
    /// A 24-bit color.
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

    /// Its SGR parameters; the base is 30 for the text, 40 for the background.
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

  /// The terminal's default style.
  static let plain = ShownStyle()

  private init() {}

  init(_ style: Style, _ depth: ColorDepth) {
    foreground = Shade(style.foreground, depth)
    background = Shade(style.background, depth)
    isBold = style.isBold
    isDim = style.isDim
    isReversed = style.isReversed
  }

  /// The SGR sequence that sets this style, independent of the previous one.
  var sequence: String {
    var codes = "0"
    if isBold { codes += ";1" }
    if isDim { codes += ";2" }
    if isReversed { codes += ";7" }
    return "\u{1b}[\(codes)\(foreground.code(30))\(background.code(40))m"
  }

  /// The SGR sequence that changes `before` to this style; changed colors alone need no reset.
  func sequence(after before: ShownStyle?) -> String {
    guard let before, before.isBold == isBold, before.isDim == isDim,
      before.isReversed == isReversed, !gains(.own, from: before)
    else { return sequence }
    let text = before.foreground == foreground ? "" : foreground.code(30)
    let behind = before.background == background ? "" : background.code(40)
    return "\u{1b}[\((text + behind).dropFirst())m"
  }

  /// Whether a color returns to the terminal's default, which requires a reset.
  private func gains(_ shade: Shade, from before: ShownStyle) -> Bool {
    (foreground == shade && before.foreground != shade)
      || (background == shade && before.background != shade)
  }
}

/// A 24-bit color.
struct Color: Hashable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Blends another color over this one, with the given opacity, 0…1.
  func under(_ other: Color, opacity: Double) -> Color {
    func mixed(_ below: UInt8, _ above: UInt8) -> UInt8 {
      UInt8((Double(below) + (Double(above) - Double(below)) * opacity).rounded())
    }
    return Color(mixed(red, other.red), mixed(green, other.green), mixed(blue, other.blue))
  }

  /// The perceived brightness, 0…1; above 0.5, text on it must be dark.
  var luminance: Double {
    (0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)) / 255
  }

  /// The weighted distance of two colors; green has the greatest weight, as in human vision.
  func distance(to other: Color) -> Int {
    let red = Int(red) - Int(other.red)
    let green = Int(green) - Int(other.green)
    let blue = Int(blue) - Int(other.blue)
    return 3 * red * red + 6 * green * green + blue * blue
  }
}

extension Color {
  /// The nearest color of the 256-color palette, without the first sixteen, which terminals define differently.
  var nearestOfPalette: UInt8 {
    let (r, g, b) = (Color.step(red), Color.step(green), Color.step(blue))
    let inCube = Color(Color.steps[r], Color.steps[g], Color.steps[b])
    let cube = UInt8(16 + 36 * r + 6 * g + b)
    let mean = (Int(red) + Int(green) + Int(blue)) / 3
    let gray = min(max((mean - 3) / 10, 0), 23)
    let level = UInt8(8 + 10 * gray)
    return distance(to: Color(level, level, level)) < distance(to: inCube)
      ? UInt8(232 + gray) : cube
  }

  /// The nearest color of the 16-color palette.
  var nearestOfSixteen: UInt8 {
    let nearest = Color.sixteen.indices.min {
      distance(to: Color.sixteen[$0]) < distance(to: Color.sixteen[$1])
    }
    return UInt8(nearest ?? 7)
  }

  private static let steps: [UInt8] = [0, 95, 135, 175, 215, 255]

  private static func step(_ value: UInt8) -> Int {
    switch value {
    case ..<48: 0
    case ..<115: 1
    default: (Int(value) - 35) / 40
    }
  }

  /// The 16-color palette of xterm.
  private static let sixteen = [
    Color(0, 0, 0), Color(205, 0, 0), Color(0, 205, 0), Color(205, 205, 0),
    Color(0, 0, 238), Color(205, 0, 205), Color(0, 205, 205), Color(229, 229, 229),
    Color(127, 127, 127), Color(255, 0, 0), Color(0, 255, 0), Color(255, 255, 0),
    Color(92, 92, 255), Color(255, 0, 255), Color(0, 255, 255), Color(255, 255, 255),
  ]
}
