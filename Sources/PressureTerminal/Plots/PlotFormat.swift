internal import Glibc
internal import PressureKit
internal import PressureRecordings
package import PressureSystem

package enum PlotFormat: String, CaseIterable {
  case svg
  case png

  package init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    self.init(rawValue: path[dot...].dropFirst().lowercased())
  }
}

extension Drawing {
  /// The drawing as SVG; equal drawings have equal bytes.
  package var svg: String {
    let head = """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width.svg)" \
      height="\(height.svg)" viewBox="0 0 \(width.svg) \(height.svg)" \
      role="img" font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif" \
      stroke-linejoin="round">
      <title>\(title.xml)</title>
      <desc>\(description.xml)</desc>
      <rect width="100%" height="100%" fill="\(Palette.paper)"/>

      """
    return items.reduce(into: head) { $0 += Drawing.text(of: $1) + "\n" } + "</svg>\n"
  }

  private static func text(of item: Drawing.Item) -> String {
    switch item {
    case .line(let points, let stroke):
      "<path d=\"\(path(points))\" fill=\"none\"\(attributes(stroke))/>"
    case .area(let box, let fill, let opacity, let stroke):
      "<rect x=\"\(box.left.svg)\" y=\"\(box.top.svg)\" width=\"\(box.width.svg)\" "
        + "height=\"\(box.height.svg)\" fill=\"\(fill)\""
        + (opacity < 1 ? " fill-opacity=\"\(opacity.svg)\"" : "") + attributes(stroke) + "/>"
    case .polygon(let points, let fill, let stroke):
      "<path d=\"\(path(points))Z\" fill=\"\(fill)\"\(attributes(stroke))/>"
    case .circle(let point, let radius, let fill, let stroke):
      "<circle cx=\"\(point.x.svg)\" cy=\"\(point.y.svg)\" r=\"\(radius.svg)\" fill=\"\(fill)\""
        + attributes(stroke) + "/>"
    case .text(let label): text(of: label)
    }
  }

  /// The path data, without repeated points, and with the short commands for horizontal and vertical lines.
  private static func path(_ points: [Point]) -> String {
    var path = ""
    var last: (x: String, y: String)?
    for point in points {
      let next = (x: point.x.svg, y: point.y.svg)
      switch last {
      case nil: path += "M\(next.x) \(next.y)"
      case let last? where next == last: continue
      case let last? where next.y == last.y: path += "H\(next.x)"
      case let last? where next.x == last.x: path += "V\(next.y)"
      case _?: path += "L\(next.x) \(next.y)"
      }
      last = next
    }
    // With round caps a line of length zero is a dot.
    return path.contains { "HVL".contains($0) } ? path : path + "h0"
  }

  private static func attributes(_ stroke: Drawing.Stroke?) -> String {
    guard let stroke else { return "" }
    var text = " stroke=\"\(stroke.color)\" stroke-width=\"\(stroke.width.svg)\""
    let dashes = stroke.dashes.map(\.svg).joined(separator: " ")
    text += dashes.isEmpty ? " stroke-linecap=\"round\"" : " stroke-dasharray=\"\(dashes)\""
    return text
  }

  private static func text(of label: TextLabel) -> String {
    var text = "<text x=\"\(label.at.x.svg)\" y=\"\(label.at.y.svg)\""
    text += " font-size=\"\(label.size.svg)\" fill=\"\(label.color)\""
    if label.anchor != .start { text += " text-anchor=\"\(label.anchor.rawValue)\"" }
    if label.isBold { text += " font-weight=\"bold\"" }
    if label.isRotated { text += " transform=\"rotate(-90 \(label.at.x.svg) \(label.at.y.svg))\"" }
    if label.hasOutline {
      text += " stroke=\"\(Palette.paper)\" stroke-width=\"3\" paint-order=\"stroke\""
    }
    return text + ">\(label.text.xml)</text>"
  }

  // MARK: - PNG

  /// The maximum size in bytes; a page at twice its size has a few hundred thousand.
  private static let maxPNGSize = 64 << 20

  /// The drawing as PNG, at twice its size; an error begins with the file to write.
  package func png(for output: String) throws(ExitError) -> [UInt8] {
    let parent = Environment.value("TMPDIR") ?? "/tmp"
    let folder = try SystemError.orExit(.cannotCreate, try TemporaryDirectory.make(in: parent))
    let path = "\(folder)/plot.svg"
    defer {
      unlink(path)
      rmdir(folder)
    }
    var reason = "rsvg-convert wrote no PNG"
    do throws(SystemError) {
      let file = try RecordedFile(path: path)
      try file.append(svg)
      let program = Spawn(words: ["rsvg-convert", "--zoom", "2", "--format", "png", path])
      if let bytes = try program.run(limit: Drawing.maxPNGSize) { return bytes }
    } catch {
      reason =
        error.number == ENOENT
        ? "a PNG needs rsvg-convert, which is not installed (Debian has it in librsvg2-bin); "
          + "write an SVG instead" : error.sentence
    }
    throw ExitError("\(output): \(reason)", .cannotCreate)
  }
}

extension Double {
  /// The number with at most two decimals, which is finer than any printer resolves.
  fileprivate var svg: String { min(max(self, -1e9), 1e9).shortDescription(decimals: 2) }
}

extension String {
  /// The text with XML escapes; characters that XML does not allow become blanks.
  fileprivate var xml: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "&": text += "&amp;"
      case "\"": text += "&quot;"
      case "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
        text.unicodeScalars.append(scalar)
      default: text += " "
      }
    }
  }
}
