internal import PressureKit
internal import PressureProtocol
internal import PressureSystem

/// The page of a recording: force over time, who is the heaviest, who is down, and the paths.
package struct RecordingPage {
  package let subject: Subject
  let layout: PageLayout

  /// Slots that are in use, from low to high.
  package let slots: [Int]

  /// The greatest force that the chart shows.
  let top: Double

  package let unit: TimeUnit
  package let time: LinearScale
  package let force: LinearScale

  package init(_ subject: Subject) {
    self.subject = subject
    slots = Set(subject.story.courses.map(\.slot)).sorted()
    let plane = SurfacePlane(subject.surface)
    layout = PageLayout(slots: slots.count, proportion: plane.height.span / plane.width.span)
    top = RecordingPage.top(of: subject)
    unit = TimeUnit(for: subject.story.duration)
    let length = max(Double(subject.story.duration), 1000) / unit.length
    time = LinearScale(range: 0...length, start: layout.chart.left, end: layout.chart.right)
    force = LinearScale(range: 0...top, start: layout.chart.bottom, end: layout.chart.top)
  }

  /// The whole page.
  package var drawing: Drawing {
    var drawing = Drawing(
      width: layout.width, height: layout.height, title: "\(subject.name), \(subject.device.text)",
      description: "Force over time and paths of \(contacts) in \(length).")
    addTitle(to: &drawing)
    addAxes(to: &drawing)
    addLanes(to: &drawing)
    addCourses(to: &drawing)
    addSurface(to: &drawing)
    addLegend(to: &drawing)
    return drawing
  }

  package func x(_ time: Int64) -> Double { self.time.place(of: Double(time) / unit.length) }

  package func y(_ force: Double) -> Double { self.force.place(of: min(max(force, 0), top)) }

  /// A little above the hardest press; the stages and the maximum, if that is not much more.
  private static func top(of subject: Subject) -> Double {
    let peak = subject.story.courses.map(\.peak.force).max() ?? 0
    let marks = [subject.maximum] + subject.stages.compactMap(subject.force)
    let near = marks.filter { $0 <= peak * 2 }.max() ?? 0
    let top = max(peak, near) * 1.08
    return top > 0 ? top : max(subject.maximum, 1)
  }
}

// MARK: - Words

extension RecordingPage {
  private var contacts: String {
    let count = subject.story.courses.count
    return count == 1 ? "one contact" : "\(count) contacts"
  }

  private var length: String { TimeUnit.text(subject.story.duration) }

  private var capability: String {
    switch subject.surface.capability {
    case .force: "it measures force"
    case .size: "its pressure is most likely the area of contact"
    case .none: "it feels no pressure"
    case .broken: "its pressure says nothing"
    }
  }

  /// What has to be known to read the picture rightly.
  private var remarks: String {
    var remarks: [String] = []
    if subject.story.hasSimulatedPresses {
      remarks.append("The force is made up from how long a finger rests.")
    }
    if !subject.surface.isPerContact {
      remarks.append("One sensor stands for all contacts.")
    }
    let hidden = subject.stages.filter { (subject.force(of: $0) ?? 0) > top }
    if !hidden.isEmpty, !subject.story.hasSimulatedPresses {
      let names = hidden.map { "\($0.name.onOneLine) (\((subject.force(of: $0) ?? 0).reading))" }
      remarks.append("Above what is shown: \(names.joined(separator: ", ")).")
    }
    return remarks.joined(separator: " ")
  }

  private func addTitle(to drawing: inout Drawing) {
    let left = 24.0
    let width = layout.width - 2 * left
    drawing.add(
      .words(
        Words(text: subject.name, at: Point(x: left, y: 36), size: 20, isBold: true)
          .cut(to: width)))
    let device = "\(subject.device.text): \(capability); \(contacts) in \(length)"
    for (text, y) in [(device, 58.0), (remarks, 76)] where !text.isEmpty {
      let words = Words(text: text, at: Point(x: left, y: y), size: 12.5, color: Palette.soft)
      drawing.add(.words(words.cut(to: width)))
    }
  }
}

// MARK: - Axes

extension RecordingPage {
  private func addAxes(to drawing: inout Drawing) {
    drawing.axis(
      below: layout.timed, Ticks(time.range, atMost: 9), time, title: "time (\(unit.rawValue))")
    drawing.axis(
      leftOf: layout.chart, Ticks(force.range, atMost: 9), force,
      title: "force (1 is an average touch)")
    if let grams { drawing.axis(rightOf: layout.chart, grams.ticks, title: grams.title) }
    drawing.frame(layout.chart)
  }

  /// The second axis, where grams are known or estimated.
  private var grams: (ticks: [(y: Double, label: String)], title: String)? {
    guard !subject.story.hasSimulatedPresses, let least = subject.surface.grams(ofForce: 0),
      let most = subject.surface.grams(ofForce: min(top, subject.maximum)), least < most
    else { return nil }
    let ticks = Ticks(least...most, atMost: 9).ticks.compactMap { tick in
      subject.force(ofGrams: tick.value).map { (y($0), tick.label) }
    }
    let title =
      switch subject.surface.weightSource {
      case .calibrated:
        "grams (calibrated; ±\((subject.surface.fit?.greatestError ?? 0).reading) g)"
      case .kernel: "grams (as the device states them)"
      case .nominal, .none: "≈ grams (nominal: an estimate)"
      }
    return (ticks, title)
  }
}

// MARK: - The legend

extension RecordingPage {
  private func addLegend(to drawing: inout Drawing) {
    let y = layout.height - 18
    var x = layout.chart.left
    let gray = Palette.soft
    let entries: [(Mark, String)] = [
      (.peak, "maximum"), (.up, "comes into a stage"), (.down, "leaves it"),
      (.full, "pressed to the full"), (.cancelled, "cancelled"),
    ]
    for (mark, text) in entries where uses(mark) {
      mark.draw(at: Point(x: x + 5, y: y - 4), color: gray, on: &drawing)
      let words = Words(text: text, at: Point(x: x + 15, y: y), size: 11, color: gray)
      drawing.add(.words(words))
      x = words.box.right + 18
    }
  }

  private func uses(_ mark: Mark) -> Bool {
    subject.story.courses.contains { course in
      switch mark {
      case .peak: course.peak.force > 0
      case .up: course.happenings.contains { $0.kind == .up }
      case .down: course.happenings.contains { $0.kind == .down }
      case .full: course.happenings.contains { $0.kind == .full }
      case .cancelled: course.isCancelled
      }
    }
  }
}
