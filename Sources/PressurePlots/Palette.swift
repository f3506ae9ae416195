/// Colors that people tell apart who do not see red and green apart, and that print in different grays.
///
/// They are those of Okabe and Ito, without their yellow, which no paper shows. As seven colors and
/// five dashings have no common divisor, 35 contacts in a row look different, two of one color are
/// dashed otherwise, and without any color five in a row still are.
enum Palette {
  static let ink = "#1a1a1a"
  static let soft = "#595959"
  static let grid = "#dcdcdc"
  static let paper = "#ffffff"

  private static let colors = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9",
  ]

  private static let dashings: [[Double]] = [[], [8, 3], [2.5, 2.5], [10, 3, 2.5, 3], [16, 4]]

  static func color(of index: Int) -> String { colors[index % colors.count] }

  static func dashes(of index: Int) -> [Double] { dashings[index % dashings.count] }
}
