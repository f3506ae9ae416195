internal import Glibc
internal import PressureKit
internal import PressureProtocol
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem

/// What kind of picture is made.
package enum PlotFormat: String, CaseIterable {
  case svg
  case png

  /// By the ending of a file's name; nil where that is none of ours.
  package init?(path: String) {
    let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard path.contains("."), let format = PlotFormat(rawValue: ending) else { return nil }
    self = format
  }
}

/// A drawing as SVG, the same bytes for the same drawing.
package struct SVG {
  package let text: String

  package init(_ drawing: Drawing) {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(drawing.width.svg)" \
      height="\(drawing.height.svg)" viewBox="0 0 \(drawing.width.svg) \(drawing.height.svg)" \
      role="img" font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif" \
      stroke-linejoin="round">
      <title>\(drawing.title.xml)</title>
      <desc>\(drawing.description.xml)</desc>
      <rect width="100%" height="100%" fill="\(Palette.paper)"/>

      """
    for item in drawing.items { text += SVG.text(of: item) + "\n" }
    self.text = text + "</svg>\n"
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
    case .words(let words): text(of: words)
    }
  }

  /// A point that lies where the last one does is left out, as is a second word for the same direction.
  private static func path(_ points: [Point]) -> String {
    var path = ""
    var last: (x: String, y: String)?
    for point in points {
      let next = (x: point.x.svg, y: point.y.svg)
      if let last {
        if next == last { continue }
        if next.y == last.y {
          path += "H\(next.x)"
        } else if next.x == last.x {
          path += "V\(next.y)"
        } else {
          path += "L\(next.x) \(next.y)"
        }
      } else {
        path += "M\(next.x) \(next.y)"
      }
      last = next
    }
    // A line of no length is a dot where its ends are round.
    return path.contains { "HVL".contains($0) } ? path : path + "h0"
  }

  private static func attributes(_ stroke: Drawing.Stroke?) -> String {
    guard let stroke else { return "" }
    var text = " stroke=\"\(stroke.color)\" stroke-width=\"\(stroke.width.svg)\""
    if stroke.dashes.isEmpty {
      text += " stroke-linecap=\"round\""
    } else {
      text += " stroke-dasharray=\"\(stroke.dashes.map(\.svg).joined(separator: " "))\""
    }
    if stroke.opacity < 1 { text += " stroke-opacity=\"\(stroke.opacity.svg)\"" }
    return text
  }

  private static func text(of words: TextLabel) -> String {
    var text = "<text x=\"\(words.at.x.svg)\" y=\"\(words.at.y.svg)\""
    text += " font-size=\"\(words.size.svg)\" fill=\"\(words.color)\""
    if words.anchor != .start { text += " text-anchor=\"\(words.anchor.rawValue)\"" }
    if words.isBold { text += " font-weight=\"bold\"" }
    if words.isUpright { text += " transform=\"rotate(-90 \(words.at.x.svg) \(words.at.y.svg))\"" }
    if words.hasEdge {
      text += " stroke=\"\(Palette.paper)\" stroke-width=\"3\" paint-order=\"stroke\""
    }
    return text + ">\(words.text.xml)</text>"
  }
}

extension Double {
  /// Hundredths are finer than any printer.
  fileprivate var svg: String {
    let hundredths = Int64((min(max(self, -1e9), 1e9) * 100).rounded())
    let (whole, part) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    let sign = hundredths < 0 ? "-" : ""
    if part == 0 { return "\(sign)\(whole)" }
    if part % 10 == 0 { return "\(sign)\(whole).\(part / 10)" }
    return "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
  }
}

extension String {
  /// The same where XML is read; what XML cannot say at all is a blank.
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

/// A drawing in pixels, as rsvg-convert makes it.
package enum PNG {
  /// Why there is none.
  package enum Fault: Error {
    /// The program is not installed.
    case missing
    /// It does not work, or nobody lets it.
    case failed(String)

    /// To stand after the file's name.
    package var reason: String {
      switch self {
      case .missing:
        "a PNG needs rsvg-convert, which is not installed (Debian has it in librsvg2-bin); "
          + "an SVG needs nothing"
      case .failed(let reason): reason
      }
    }
  }

  /// Bytes; a page at twice its size has a few hundred thousand.
  private static let maxSize = 64 << 20

  /// The picture's bytes, at twice the size of the drawing.
  package static func bytes(of svg: String) throws(Fault) -> [UInt8] {
    let folder: String
    do throws(SystemError) {
      folder = try TemporaryDirectory.make(in: Environment.value("TMPDIR") ?? "/tmp")
    } catch {
      throw .failed(error.sentence)
    }
    let (drawn, picture) = ("\(folder)/plot.svg", "\(folder)/plot.png")
    defer {
      unlink(drawn)
      unlink(picture)
      rmdir(folder)
    }
    do throws(SystemError) {
      let file = try RecordedFile(path: drawn, replaces: false)
      try file.append(svg)
      try convert(drawn, picture)
    } catch {
      throw error.number == ENOENT ? .missing : .failed(error.sentence)
    }
    do throws(AtomicFile.ReadError) {
      return try AtomicFile.read(picture, limit: maxSize)
    } catch {
      throw .failed("rsvg-convert has made no picture of it")
    }
  }

  private static func convert(_ drawn: String, _ picture: String) throws(SystemError) {
    let words = ["rsvg-convert", "--zoom", "2", "--format", "png", "--output", picture, drawn]
    let child = try Spawn(words: words).start()
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else {
        throw SystemError(attempt: "wait for rsvg-convert", number: errno)
      }
    }
  }
}
