/// A color of the screen, as the program means it.
struct Color: Hashable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The mixture with another color that lies over it and hides so much of it, 0…1.
  func under(_ other: Color, opacity: Double) -> Color {
    func mixed(_ below: UInt8, _ above: UInt8) -> UInt8 {
      UInt8((Double(below) + (Double(above) - Double(below)) * opacity).rounded())
    }
    return Color(mixed(red, other.red), mixed(green, other.green), mixed(blue, other.blue))
  }

  /// How bright it looks, 0…1; above the middle, what is written on it has to be dark.
  var luminance: Double {
    (0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)) / 255
  }

  /// How far apart two colors are; green counts most, as it does for the eye.
  func distance(to other: Color) -> Int {
    let red = Int(red) - Int(other.red)
    let green = Int(green) - Int(other.green)
    let blue = Int(blue) - Int(other.blue)
    return 3 * red * red + 6 * green * green + blue * blue
  }
}

extension Color {
  /// The number of the nearest of the 256, leaving out the first sixteen, which are anybody's guess.
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

  /// The number of the nearest of the sixteen.
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

  /// What xterm shows for them.
  private static let sixteen = [
    Color(0, 0, 0), Color(205, 0, 0), Color(0, 205, 0), Color(205, 205, 0),
    Color(0, 0, 238), Color(205, 0, 205), Color(0, 205, 205), Color(229, 229, 229),
    Color(127, 127, 127), Color(255, 0, 0), Color(0, 255, 0), Color(255, 255, 0),
    Color(92, 92, 255), Color(255, 0, 255), Color(0, 255, 255), Color(255, 255, 255),
  ]
}
