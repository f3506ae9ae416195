internal import PressureKit

/// Where everything is on the page of a recording.
struct PageLayout {
  let width = 1200.0
  let height: Double

  /// Force over time.
  let chart: Rect

  /// Who is the heaviest, below the chart.
  let crown: Rect

  /// A lane for each slot in use, below the crown.
  let lanes: Rect
  let laneHeight: Double

  /// The surface at its true proportions, right of the chart.
  let surface: Rect

  /// Lanes together are no higher than this, however many there are.
  private static let mostOfLanes = 200.0
  static let fullLane = 15.0

  /// Below this height a lane has no words.
  static let wordyLane = 11.0

  /// - Parameters:
  ///   - slots: how many slots are in use.
  ///   - proportion: the surface's height over its width.
  init(slots: Int, proportion: Double) {
    chart = Rect(left: 78, top: 104, width: 560, height: 300)
    crown = Rect(left: chart.left, top: chart.bottom + 8, width: chart.width, height: 15)
    laneHeight = min(PageLayout.fullLane, PageLayout.mostOfLanes / Double(max(slots, 1)))
    lanes = Rect(
      left: chart.left, top: crown.bottom + 5, width: chart.width,
      height: laneHeight * Double(max(slots, 1)))
    height = lanes.bottom + 92
    let most = (width: 390.0, height: lanes.bottom - chart.top - 30)
    let shape = proportion > 0 && proportion.isFinite ? proportion : 1
    let surfaceWidth = min(most.width, most.height / shape)
    surface = Rect(
      left: 786, top: chart.top, width: surfaceWidth, height: max(1, surfaceWidth * shape))
  }

  /// All that the time runs through.
  var timed: Rect {
    Rect(
      left: chart.left, top: chart.top, width: chart.width, height: lanes.bottom - chart.top)
  }

  /// Where a slot has its lane, the first one 0.
  func lane(_ index: Int) -> Rect {
    Rect(
      left: lanes.left, top: lanes.top + Double(index) * laneHeight, width: lanes.width,
      height: laneHeight)
  }
}
