import PressureKit
import Testing

@testable import PressureTerminal

@Suite struct SurfaceDrawingTests {
  private func picture(_ lines: String...) throws -> SurfaceDrawing {
    var model = Lines.model(Lines.device())
    for line in lines { model.update(with: Lines.event(line)) }
    return SurfaceDrawing(try #require(model.device))
  }

  @Test func `the diameter of a circle follows the weight, in millimeters`() throws {
    let picture = try picture(
      Lines.weight(
        Lines.contact(45, x: 0.25, y: 0.5, grams: "0"), Lines.contact(46, grams: "100"),
        heaviest: "46"))
    let points = ForceMapping.Circle.pointsPerMillimeter
    #expect(picture.circles.map(\.width) == [160 / points, 80 / points])
    #expect((12.4...12.5).contains(80 / points), "80 points are a finger's breadth")
    #expect(picture.circles[1].x == 25 && picture.circles[1].y == 25)
    #expect(picture.circles.map(\.role) == [.heaviest, .contact])
  }

  @Test func `the label has percent and grams, and marks saturation`() throws {
    let picture = try picture(
      Lines.weight(
        Lines.contact(45, ratio: 0.624, grams: "240.4"),
        Lines.contact(46, ratio: 1, grams: "385", saturated: true),
        Lines.contact(47, ratio: 0.1, grams: "null"), heaviest: "46"))
    let labels = Dictionary(grouping: picture.circles, by: \.role).mapValues { $0.map(\.label) }
    #expect(labels[.heaviest] == [["100 %", "≈ 385+ g"]])
    #expect(labels[.contact] == [["62 %", "≈ 240 g"], ["10 %"]])
  }

  @Test func `the heaviest contact stays yellow when saturated, with a red edge`() throws {
    let picture = try picture(
      Lines.weight(
        Lines.contact(45, ratio: 1, grams: "385", saturated: true),
        Lines.contact(46, ratio: 1, grams: "385", saturated: true), Lines.contact(47),
        heaviest: "46"))
    let inks = Set(picture.circles.map { [$0.role, $0.rim] })
    #expect(inks == [[.heaviest, .saturated], [.saturated, .saturated], [.contact, .contact]])
  }

  @Test func `impossible numbers are drawn without a trap`() throws {
    for huge in ["1e300", "-1e300", "1.7e308"] {
      let picture = try picture(
        Lines.device(size: "[\(huge),1e-300]"),
        Lines.weight(Lines.contact(45, grams: huge), heaviest: "45"))
      #expect([picture.width, picture.height] == SurfaceDrawing.defaultSize)
      #expect(picture.circles.allSatisfy { $0.width.isFinite && $0.x.isFinite })
    }
  }

  @Test func `of two equally wide contacts the heaviest is on top`() throws {
    let picture = try picture(
      Lines.weight(Lines.contact(45), Lines.contact(46), Lines.contact(47), heaviest: "46"))
    #expect(picture.circles.last?.role == .heaviest)
  }

  @Test func `a simulated press is marked`() throws {
    let picture = try picture(
      Lines.weight(Lines.contact(45, ratio: 0, grams: "null"), heaviest: "45"),
      Lines.press("changed", ratio: 0.45, simulated: true))
    #expect(picture.circles.first?.label == ["45 %", "simulated"])
    #expect(picture.dial.pressRole == .simulated && picture.dial.press == 0.25)
  }

  @Test func `the rings follow the heaviest contact and its press`() throws {
    let weight = Lines.weight(
      Lines.contact(44, ratio: 0.9), Lines.contact(45, ratio: 0.5), heaviest: "45")
    let dials = try [
      picture(), picture(weight), picture(weight, Lines.press("started")),
      picture(weight, Lines.press("fixed")),
    ].map(\.dial)
    #expect(dials[0] == SurfaceDrawing.Dial())
    #expect(dials[1] == SurfaceDrawing.Dial(force: 0.5))
    #expect(dials[2].press == 0.25)
    #expect(dials[3].press == 1)
  }

  @Test
  func `the dial is around the heaviest contact, and overlaps neither it nor any label`()
    throws
  {
    #expect(try picture().shapes.isEmpty)
    let picture = try picture(
      Lines.weight(
        Lines.contact(44, x: 0.2), Lines.contact(45, x: 0.75, y: 0.25, ratio: 0.5), heaviest: "45")
    )
    let rings = picture.shapes.filter { $0.line != nil && !$0.isRim }
    #expect(rings.map(\.role) == [.faint, .heaviest, .faint])
    for ring in rings {
      #expect([ring.x, ring.y] == [75, 12.5])
      #expect(ring.radius - (ring.line ?? 0) / 2 >= picture.circles[0].width / 2)
    }
  }

  @Test func `without pressure there are circles without numbers`() {
    let model = Lines.model(
      Lines.device(size: "null", capability: "none", source: "none"),
      Lines.weight(Lines.contact(45, ratio: 0, grams: "null")))
    let picture = model.device.map { SurfaceDrawing($0) }
    #expect(picture?.circles.first?.label == [])
    #expect(picture?.width == SurfaceDrawing.defaultSize[0])
  }
}
