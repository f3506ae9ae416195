import Foundation
import Testing

@testable import PressureKit
@testable import PressurePlots
@testable import PressureRecordings

struct RecordingPageTests {
  private static let dumps = ["two-plums", "ten-fingers", "true-force"]

  private func page(_ name: String) throws -> RecordingPage {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../PressureKitTests/Recordings/\(name).evemu").path
    let recording = try Recording(path: path)
    let surface = try Surface(recording.description)
    let (model, error) = PlotModel.read(recording, surface, Configuration())
    #expect(error == nil)
    return RecordingPage(model)
  }

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
      trace.contacts[1].markers.map(\.kind) == [
        .stageEntered, .stageEntered, .maximumReached, .stageLeft, .stageLeft,
      ])
    #expect(trace.contacts[1].isSaturated)
    let texts = page.drawing.labels.map(\.text)
    for text in ["light, 2.00", "deep, 4.67", "2: 6.67 (≈ 385+ g)", "x (mm)", "time (s)"] {
      #expect(texts.contains(text), "\(text)")
    }
    #expect(texts.contains("≈ grams (nominal: an estimate)"))
  }

  @Test func `a sensor with a resolution has grams as stated by the device`() throws {
    let page = try page("true-force")
    let texts = page.drawing.labels.map(\.text)
    #expect(texts.contains("grams (reported by the device)"))
    #expect(page.model.force(ofGrams: 200).map { abs($0 - 200 / 57.75) < 0.001 } == true)
    #expect(page.model.force(ofGrams: 100_000) == nil)
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
