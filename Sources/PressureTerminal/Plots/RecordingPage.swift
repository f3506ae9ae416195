package import PressureKit
internal import PressureProtocol
package import PressureRecordings
package import PressureSystem

/// The page of a recording: force over time, the heaviest contact, the contacts of each slot, and their paths.
package struct RecordingPage {
  let model: PlotModel
  let layout: PageLayout
  let slots: [Int]

  let top: Double
  private let unit: TimeUnit
  private let time: LinearScale
  private let force: LinearScale

  package init(_ model: PlotModel) {
    self.model = model
    slots = Set(model.trace.contacts.map(\.slot)).sorted()
    layout = PageLayout(slots: slots.count, proportion: SurfacePlane(model.surface).proportion)
    top = RecordingPage.top(of: model)
    unit = TimeUnit(for: model.trace.duration)
    let length = max(Double(model.trace.duration), 1000) / unit.length
    time = LinearScale(range: 0...length, start: layout.chart.left, end: layout.chart.right)
    force = LinearScale(range: 0...top, start: layout.chart.bottom, end: layout.chart.top)
  }

  package var drawing: Drawing {
    var drawing = Drawing(
      width: layout.width, height: layout.height, title: "\(model.name), \(model.device.text)",
      description: "Force over time and paths of \(extent).")
    let meaning = "it \(model.surface.capability.meaning)"
    let device = "\(model.device.text): \(meaning); \(extent)"
    drawing.addHeading(model.name, [device, notes])
    var timed = layout.chart
    timed.height = layout.lanes.bottom - timed.top
    drawing.axis(below: timed, time, atMost: 9, title: "time (\(unit.name))")
    drawing.axis(leftOf: layout.chart, force, atMost: 9, title: "force (1 is an average touch)")
    if let grams { drawing.axis(rightOf: layout.chart, grams.ticks, title: grams.title) }
    drawing.frame(layout.chart)
    addLanes(to: &drawing)
    addChart(to: &drawing)
    addSurface(to: &drawing)
    addLegend(to: &drawing)
    return drawing
  }

  func x(_ time: Int64) -> Double { self.time.position(of: Double(time) / unit.length) }

  func y(_ force: Double) -> Double { self.force.position(of: min(max(force, 0), top)) }

  /// The peak force and, if they are at most twice as high, the stages and the maximum, plus a margin.
  private static func top(of model: PlotModel) -> Double {
    let peak = model.trace.contacts.map(\.peakForce).max() ?? 0
    let thresholds = [model.maximum] + model.thresholds.map(\.force)
    let near = thresholds.filter { $0 <= peak * 2 }.max() ?? 0
    let top = max(peak, near) * 1.08
    return top > 0 ? top : max(model.maximum, 1)
  }

  // MARK: - Title

  private var extent: String {
    let count = model.trace.contacts.count
    let length = TimeUnit.text(model.trace.duration)
    return "\(count == 1 ? "one contact" : "\(count) contacts") in \(length)"
  }

  private var notes: String {
    let isSimulated = model.trace.hasSimulatedPresses
    let hidden = model.thresholds.filter { $0.force > top && !isSimulated }
    let names = hidden.map { "\($0.name) (\($0.force.reading))" }
    let notes = [
      (isSimulated, "The force is simulated from the duration of the touch."),
      (
        !model.surface.isMaximumKnown,
        "The pressure range is inferred from the recorded values; its end is unknown."
      ),
      (!model.surface.isPerContact, "One sensor measures all contacts together."),
      (!hidden.isEmpty, "Above the plotted range: \(names.joined(separator: ", "))."),
    ]
    return notes.filter(\.0).map(\.1).joined(separator: " ")
  }

  // MARK: - Axes

  private var grams: (ticks: [(y: Double, label: String)], title: String)? {
    guard !model.trace.hasSimulatedPresses, let least = model.surface.grams(ofForce: 0),
      let most = model.surface.grams(ofForce: min(top, model.maximum)), least < most
    else { return nil }
    let ticks = (least...most).ticks(atMost: 9).compactMap { tick in
      model.force(ofGrams: tick.value).map { (y($0), tick.label) }
    }
    let source = model.surface.weightSource
    let error = model.surface.fit.map { "; ±\($0.greatestError.reading) g" } ?? ""
    let title = "grams (\(source.meaning)\(error))".estimated(source == .nominal)
    return (ticks, title)
  }

  // MARK: - Legend

  private func addLegend(to drawing: inout Drawing) {
    let y = layout.height - 18
    var x = layout.chart.left
    for style in MarkerStyle.allCases where uses(style) {
      style.draw(at: Point(x: x + 5, y: y - 4), color: Palette.soft, on: &drawing)
      x = drawing.addEntry(style.rawValue, x + 15, y) + 18
    }
  }

  private func uses(_ style: MarkerStyle) -> Bool {
    model.trace.contacts.contains { contact in
      switch style {
      case .peak: contact.peakForce > 0
      case .stageEntered, .stageLeft, .maximumReached:
        contact.markers.contains { $0.style == style }
      case .cancelled: contact.isCancelled
      }
    }
  }
}

struct PageLayout {
  let width = 1200.0
  let height: Double
  let chart: Rect
  let heaviest: Rect
  let lanes: Rect
  let laneHeight: Double

  /// The surface with its aspect ratio, to the right of the chart.
  let surface: Rect

  private static let maxLanesHeight = 200.0
  private static let maxLaneHeight = 15.0
  static let minLabeledLaneHeight = 11.0

  /// Lays out the lanes of a number of slots, and a surface whose height is `proportion` of its width.
  init(slots: Int, proportion: Double) {
    chart = Rect(left: 78, top: 104, width: 560, height: 300)
    heaviest = Rect(left: chart.left, top: chart.bottom + 8, width: chart.width, height: 15)
    laneHeight = min(PageLayout.maxLaneHeight, PageLayout.maxLanesHeight / Double(max(slots, 1)))
    lanes = Rect(
      left: chart.left, top: heaviest.bottom + 5, width: chart.width,
      height: laneHeight * Double(max(slots, 1)))
    height = lanes.bottom + 92
    let most = (width: 390.0, height: lanes.bottom - chart.top - 30)
    let shape = proportion > 0 && proportion.isFinite ? proportion : 1
    let surfaceWidth = min(most.width, most.height / shape)
    surface = Rect(
      left: 786, top: chart.top, width: surfaceWidth, height: max(1, surfaceWidth * shape))
  }

  func lane(_ index: Int) -> Rect {
    Rect(
      left: lanes.left, top: lanes.top + Double(index) * laneHeight, width: lanes.width,
      height: laneHeight)
  }
}

package struct PlotModel {
  let device: DeviceID
  let surface: Surface
  package let trace: RecordingTrace
  private let stages: [PressStage]

  /// Reads a recording through the engine, to its end or to the first error, which it returns.
  package static func read(
    _ recording: Recording, _ surface: Surface, _ configuration: Configuration
  ) -> (PlotModel, ExitError?) {
    let device = DeviceID(recording.description)
    var engine = Engine(surface: surface, configuration: configuration)
    var output = EventBuffer()
    var trace: RecordingTrace?
    var readError: ExitError?
    var lastFrame = Timestamp(microseconds: 0)
    func drainOutput() {
      for event in output.events { trace?.add(event, on: engine.surface) }
      output.removeAll()
    }
    do throws(ExitError) {
      while let event = try recording.next() {
        trace = trace ?? RecordingTrace(from: event.time)
        engine.receive(event, into: &output)
        if event.code == .report { lastFrame = event.time }
        drainOutput()
      }
    } catch {
      readError = error
    }
    engine.cancelAll(at: lastFrame, into: &output)
    drainOutput()
    trace?.finish()
    let press = configuration.settings(for: device.text).press
    let model = PlotModel(
      device: device, surface: engine.surface, trace: trace ?? RecordingTrace(from: lastFrame),
      stages: engine.surface.stages(of: press, clicks: engine.clicks))
    return (model, readError)
  }

  var name: String {
    let name = surface.description.name.onOneLine
    return name.isEmpty ? "A device without a name" : name
  }

  var maximum: Double {
    let pressure = trace.hasSimulatedPresses ? nil : surface.pressure
    return pressure?.maximumPossibleForce ?? Force.referenceMaximum
  }

  /// The stages and the forces at which they are entered, unless that is unknown.
  var thresholds: [(name: String, force: Double)] {
    stages.compactMap { stage in
      let press = stage.threshold.press
      let force: Double? =
        switch stage.unit {
        case .ratio, .click: press * maximum
        case .force: press
        case .grams: self.force(ofGrams: press)
        }
      return force.map { (stage.name.onOneLine, $0) }
    }
  }

  func force(ofGrams grams: Double) -> Double? {
    guard !trace.hasSimulatedPresses, let least = surface.grams(ofForce: 0),
      let most = surface.grams(ofForce: maximum), least < most, (least...most).contains(grams)
    else { return nil }
    var (low, high) = (0.0, maximum)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if (surface.grams(ofForce: middle) ?? 0) < grams { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
