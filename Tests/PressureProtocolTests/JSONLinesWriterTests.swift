import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureProtocol

struct JSONLinesTests {
  private func written(_ write: (inout JSONLinesWriter) -> Void) -> String {
    var lines = JSONLinesWriter()
    write(&lines)
    return lines.text
  }

  @Test(arguments: [
    (0.0, 1, "0"), (-0.0, 1, "0"), (77.0, 1, "77"), (76.96, 1, "77"), (76.94, 1, "76.9"),
    (0.05, 1, "0.1"), (-0.05, 1, "-0.1"), (-0.04, 1, "0"), (-1.25, 1, "-1.3"),
    (20.0 / 3, 3, "6.667"),
    (0.001, 3, "0.001"), (0.0004, 3, "0"), (1.01, 3, "1.01"), (50.6666, 2, "50.67"),
    (0.5, 0, "1"), (1234.5, 0, "1235"), (0.00005, 4, "0.0001"), (0.12345, 9, "0.1235"),
    (7.0, -1, "7"),
  ])
  func `a number is rounded and has no needless zeros`(number: Double, decimals: Int, text: String)
  {
    #expect(written { $0.append("", number, decimals: decimals) } == text)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 9e15])
  func `what is no number that fits is null`(number: Double) {
    #expect(written { $0.append("", number, decimals: 3) } == "null")
  }

  // There is memory behind the end that was looked for, which nothing else would notice.
  @Test func `what does not fit is stopped before it is written`() async {
    var lines = JSONLinesWriter(capacity: 8 * ByteCursor.maxWrite)
    lines.write { pen in for _ in 0..<ByteCursor.maxWrite { pen.put(",") } }
    #expect(lines.count == ByteCursor.maxWrite)
    await #expect(processExitsWith: .failure) {
      var lines = JSONLinesWriter(capacity: 8 * ByteCursor.maxWrite)
      lines.write { pen in for _ in 0...ByteCursor.maxWrite { pen.put(",") } }
    }
    await #expect(processExitsWith: .failure) {
      var lines = JSONLinesWriter(capacity: 8 * ByteCursor.maxWrite)
      lines.write { pen in
        for _ in 0...(ByteCursor.maxWrite - DecimalFormatter.maxLength) { pen.put(",") }
        pen.put("", Int64.min)
      }
    }
  }

  @Test func `a large number keeps its digits`() {
    #expect(written { $0.append("", 123_456_789_012.5, decimals: 1) } == "123456789012.5")
    #expect(written { $0.append(Int64.max) } == "9223372036854775807")
    #expect(written { $0.append(Int64.min) } == "-9223372036854775808")
  }

  @Test func `every rounded number reads back within half a step`() {
    var random = TinyRandom(seed: 1)
    for _ in 0..<10_000 {
      let number = (random.fraction - 0.5) * 2e6
      let decimals = random.below(5)
      let step = [1, 0.1, 0.01, 0.001, 0.0001][decimals]
      let text = written { $0.append("", number, decimals: decimals) }
      let error = Double(text).map { abs($0 - number) } ?? .infinity
      #expect(error <= step / 2 + 1e-9, "\(number) became \(text)")
    }
  }

  @Test func `a number is rounded half up, however it is formatted`() {
    var random = TinyRandom(seed: 2)
    for _ in 0..<20_000 {
      let decimals = random.below(5)
      let scale = [1, 10, 100, 1000, 10_000][decimals]
      // Half of them are exactly between two steps; those from 100 000 on take longer.
      let number = Double(random.below(4 * 100_000 * scale)) / 2 / Double(scale)
      let rounded = Int(number * Double(scale) + 0.5)
      var text = "\(rounded / scale)"
      if rounded % scale > 0 {
        text += "." + "\(scale + rounded % scale)".dropFirst()
        while text.last == "0" { text.removeLast() }
      }
      #expect(written { $0.append("", number, decimals: decimals) } == text)
    }
  }

  @Test(arguments: [
    ("", #""""#), ("plum", #""plum""#), ("a \"b\" \\ c", #""a \"b\" \\ c""#),
    ("line\nand\ttab", #""line\nand\ttab""#),
    ("\r\u{1}\u{1f}\u{7f}", #""\u000d\u0001\u001f\u007f""#),
    ("Zwetschge ÄÖ 梅 🍑", #""Zwetschge ÄÖ 梅 🍑""#), ("\0", #""\u0000""#),
  ])
  func `a text is escaped where JSON asks for it`(text: String, escaped: String) {
    #expect(written { $0.append(quoted: text) } == escaped)
  }

  @Test(arguments: [
    ("\u{80}\u{9b}31m\u{9f}", #""\u0080\u009b31m\u009f""#), ("\u{a0}é", "\"\u{a0}é\""),
    ("\u{61b}\u{61c}", "\"\u{61b}\\u061c\""),
    ("\u{200d}\u{200e}\u{200f}\u{2010}", "\"\u{200d}\\u200e\\u200f\u{2010}\""),
    (
      "\u{2027}\u{2028}\u{2029}\u{202a}\u{202e}\u{202f}",
      "\"\u{2027}\\u2028\\u2029\\u202a\\u202e\u{202f}\""
    ),
    ("\u{2065}\u{2066}\u{2069}\u{206a}", "\"\u{2065}\\u2066\\u2069\u{206a}\""), ("…", "\"…\""),
  ])
  func `what a terminal obeys is escaped`(text: String, escaped: String) {
    #expect(written { $0.append(quoted: text) } == escaped)
  }

  @Test func `memory grows with what is written and nothing is lost`() {
    var lines = JSONLinesWriter(capacity: 1)
    let words = (0..<5000).map { "word\($0)" }
    lines.append("", quoted: words)
    #expect(lines.text == "[" + words.map { "\"\($0)\"" }.joined(separator: ",") + "]")
    #expect(lines.count == lines.bytes.count)
  }

  @Test func `the longest contact there can be is within a pen's reach`() throws {
    let longest = -123_456_789_012.3456
    var contact = Contact(
      slot: Int(Int32.min), id: try #require(TrackingID(.max)),
      beganAt: Timestamp(microseconds: 0), order: 0)
    contact.phase = .stationary
    contact.location = Location(x: longest, y: longest, millimeters: (x: longest, y: longest))
    contact.raw = .min
    contact.force = Force(ratio: longest, maximumPossible: longest)
    contact.weight = Weight(grams: longest, error: nil)
    var description = DeviceDescription()
    for code in [EventCode.touchMajor, .touchMinor, .widthMajor, .orientation] {
      description.axes[code.code] = Axis(minimum: 0, maximum: 1, resolution: 1)
    }
    let axes = try #require(ShapeAxes(description, x: Axis(minimum: 0, maximum: 1)))
    contact.shape = ContactShape(
      SlotValues(major: .max, minor: .max, width: .max, orientation: .min), on: axes)
    // Where room was found once, and for no more than a pen reaches.
    var lines = JSONLinesWriter(capacity: ByteCursor.maxWrite)
    lines.append(pressing: contact)
    let shape = #","major_mm":655.34,"minor_mm":655.34,"width_mm":655.34,"angle":-180}"#
    #expect(lines.text.hasSuffix(#""saturated":false"# + shape))
    #expect(lines.count - shape.utf8.count <= ByteCursor.maxWrite)
  }

  @Test func `raw bytes are taken as they are`() {
    let bytes = Array("{\"a\":1}".utf8)
    let text = written { lines in
      bytes.withUnsafeBufferPointer { lines.append(raw: $0) }
      lines.append(raw: UnsafeBufferPointer(start: nil, count: 0))
      lines.append(true)
    }
    #expect(text == "{\"a\":1}true")
  }

  @Test func `the greeting is that of the protocol`() {
    let text = written { $0.appendHello(version: "0.1.0", clock: .file) }
    #expect(
      text.hasPrefix(
        #"{"event":"hello","protocol":1,"version":"0.1.0","clock":"file","commands":["help","#))
    #expect(text.hasSuffix("\"reply\"]}\n"))
    #expect(written { $0.appendMissed(3) } == "{\"event\":\"missed\",\"count\":3}\n")
  }
}
