import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureRecordings
@testable import PressureTerminal

struct RecordingPageTests {
  private static let dumps = ["two-plums", "ten fingers"]

  private func page(_ name: String) throws -> RecordingPage {
    let folder = Folder.ofTests + "/PressureKitTests/Recordings"
    guard name == "ten fingers" else { return try page(of: "\(folder)/\(name).evemu") }
    let file = try TemporaryFile(Self.tenFingers)
    return try page(of: file.path)
  }

  private func page(of path: String) throws -> RecordingPage {
    let recording = try Recording(path: path)
    let surface = try Surface(recording.description)
    let (model, error) = PlotModel.read(recording, surface, Configuration())
    #expect(error == nil)
    return RecordingPage(model)
  }

  /// Contacts that begin and end one after another, twice in each of ten slots.
  private static let tenFingers: String = {
    var text = "# EVEMU 1.3\nN: Pad\nA: 2f 0 9 0 0 0\nA: 35 0 2170 0 0 10\nA: 36 0 1360 0 0 10\n"
    text += "A: 39 0 65535 0 0 0\nA: 3a 0 255 0 0 0\n"
    for frame in 0..<42 {
      func add(_ code: String, _ value: Int) { text += "E: \(frame).0 3 \(code) \(value)\n" }
      for slot in 0..<10 {
        let age = (frame + 20 - 2 * slot) % 20
        guard frame >= 2 * slot, frame < 2 * slot + 40 || age == 0, age < 19 else { continue }
        add("2f", slot)
        if age == 0 || age == 18 { add("39", age == 0 && frame < 40 ? 10 * frame + slot : -1) }
        add("35", 100 + 200 * slot + 3 * age)
        add("36", 400 + 700 * (slot % 2) + age)
        add("3a", 20 + (slot * 37 + age * 53) % 230)
      }
      text += "E: \(frame).0 0 0 0\n"
    }
    return text
  }()

  @Test(arguments: dumps)
  func `labels neither overlap nor leave the page`(name: String) throws {
    let drawing = try page(name).drawing
    let words = drawing.labels.filter { !$0.text.isEmpty }
    let paper = Rect(left: 0, top: 0, width: drawing.width, height: drawing.height)
    #expect(words.count > 30)
    for (index, one) in words.enumerated() {
      #expect(paper.contains(one.box), "\(one.text)")
      for other in words[..<index] {
        #expect(!one.box.overlaps(other.box), "\(one.text) / \(other.text)")
      }
    }
  }

  @Test func `the heaviest contact and the stages of the plums are drawn`() throws {
    let page = try page("two-plums")
    let trace = page.model.trace
    #expect(trace.contacts.map(\.number) == [1, 2])
    #expect(trace.intervals.map(\.contact) == [0, 1, 0])
    #expect(
      trace.contacts[1].markers.map(\.style) == [
        .stageEntered, .stageEntered, .maximumReached, .stageLeft, .stageLeft,
      ])
    #expect(trace.contacts[1].isSaturated)
    let texts = page.drawing.labels.map(\.text)
    for text in ["light, 2.00", "deep, 2.48", "2: 6.67 (≈ 385+ g)", "x (mm)", "time (s)"] {
      #expect(texts.contains(text), "\(text)")
    }
    #expect(texts.contains("≈ grams (an estimate)"))
  }

  @Test func `a sensor with a resolution has grams as stated by the device`() throws {
    let page = try page(axes: Self.plane + "A: 3a 0 6000 0 0 1\n", events: "E: 1.0 3 3a 300\n")
    let texts = page.drawing.labels.map(\.text)
    #expect(texts.contains("grams (rounded by the kernel)"))
    #expect(page.model.force(ofGrams: 200).map { abs($0 - 200 / 57.75) < 0.001 } == true)
    #expect(page.model.force(ofGrams: 100_000) == nil)
  }

  /// The page of a finger that moves by 30 units in 20 ms, on the given axes and with other events.
  private func page(
    axes: String, events: String = ""
  ) throws -> RecordingPage {
    let file = try TemporaryFile(
      "# EVEMU 1.3\nN: Pad\nA: 2f 0 1 0 0 0\n\(axes)A: 39 0 9 0 0 0\nE: 1.0 3 39 5\n\(events)"
        + "E: 1.0 3 35 300\nE: 1.0 3 36 200\nE: 1.0 0 0 0\nE: 1.20000 3 36 230\nE: 1.20000 0 0 0\n"
        + "E: 1.40000 3 39 -1\nE: 1.40000 0 0 0\n")
    let recording = try Recording(path: file.path)
    var settings = DeviceSettings()
    settings.press.simulation = .never
    var configuration = Configuration()
    configuration.press = settings.press
    let surface = try Surface(recording.description, settings: settings)
    return RecordingPage(PlotModel.read(recording, surface, configuration).0)
  }

  /// The lines of the first contact within a part of the page.
  private func lines(of page: RecordingPage, in box: Rect) -> [[Point]] {
    page.drawing.items.compactMap { item in
      guard case .line(let points, let stroke) = item, stroke.color == Palette.color(of: 0),
        points.allSatisfy({
          box.expanded(by: 1).contains(Rect(left: $0.x, top: $0.y, width: 0, height: 0))
        })
      else { return nil }
      return points
    }
  }

  private static let plane = "A: 35 0 999 0 0 0\nA: 36 0 999 0 0 0\n"

  @Test func `a force that is not reported is not drawn`() throws {
    let page = try page(axes: Self.plane)
    #expect(lines(of: page, in: page.layout.chart).isEmpty)
    #expect(lines(of: page, in: page.layout.surface).count == 1)
    let other = try self.page(axes: Self.plane + "A: 3a 0 99 0 0 0\n", events: "E: 1.0 3 3a 0\n")
    #expect(lines(of: other, in: other.layout.chart).count == 1)
  }

  @Test func `the only value of an axis is where it is`() throws {
    let page = try page(axes: "A: 35 300 300 0 0 0\nA: 36 0 999 0 0 0\nA: 3a 0 99 0 0 0\n")
    let path = try #require(lines(of: page, in: page.layout.surface).first)
    let plane = SurfacePlane(page.model.surface)
    let part = (path[0].x - page.layout.surface.left) / page.layout.surface.width
    #expect(plane.x.lowerBound + part * (plane.x.upperBound - plane.x.lowerBound) == 300)
  }

  @Test(arguments: dumps)
  func `the surface keeps its proportions`(name: String) throws {
    let page = try page(name)
    let surface = page.model.surface
    let width = try #require(surface.x.millimeters)
    let height = try #require(surface.y.millimeters)
    let box = page.layout.surface
    #expect(abs(box.height / box.width - height / width) < 1e-9)
    #expect(box.right < page.layout.width && box.left > page.layout.chart.right + 100)
  }

  @Test func `a tall surface and many slots stay on the page`() {
    for proportion in [0.001, 0.5, 1, 3, 1000] {
      for slots in [0, 1, 10, 100, 1024] {
        let layout = PageLayout(slots: slots, proportion: proportion)
        #expect(layout.surface.right <= layout.width)
        #expect(layout.surface.bottom + 40 <= layout.height)
        #expect(layout.lanes.bottom + 60 <= layout.height && layout.height < 800)
      }
    }
  }

  @Test func `35 consecutive contacts are distinguishable`() {
    let looks = (0..<35).map { Palette.color(of: $0) + "\(Palette.dashes(of: $0))" }
    #expect(Set(looks).count == 35)
    for first in 0..<30 {
      #expect(Set((first..<first + 5).map { "\(Palette.dashes(of: $0))" }).count == 5)
    }
  }

  @Test(arguments: [(900_000, "900 ms"), (10_400_000, "10.4 s"), (720_000_000, "12.0 min")])
  func `a duration has a suitable unit`(duration: Int, text: String) {
    #expect(TimeUnit.text(Int64(duration)) == text)
  }
}
