extension String {
  /// The text in lines of a maximum number of columns, broken at spaces; all have its indentation.
  func wrapped(to width: Int) -> [String] {
    guard columns > width else { return [self] }
    let indentation = prefix { $0 == " " }
    var lines: [String] = []
    for word in split(separator: " ") {
      if let last = lines.last, last.columns + 1 + word.columns <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append("\(indentation)\(word)")
      }
    }
    return lines
  }
}
