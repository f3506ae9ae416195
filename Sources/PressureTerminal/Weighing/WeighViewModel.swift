internal import PressureKit
internal import PressureProtocol

/// What somebody who weighs sees: changed by lines and keys, and drawn by `WeighLayout`.
struct WeighViewModel: Equatable {
  /// A scale, and what it has read.
  struct Scale: Equatable {
    var device: ReceivedDevice
    var latest: ReceivedScale?
    var history: [Double] = []
  }

  /// More scales than these are not remembered, as nobody has so many.
  private static let mostScales = 64

  private(set) var scales: [Scale] = []

  /// The name of the device that is looked at; it may be gone, and come again.
  var chosen: String?

  var unit: MassUnit

  /// Whose daemon it is, or why there is none.
  var place = ""

  /// The last answer, until the next key.
  var remark = ""

  /// Whether its touches reach nobody else.
  var isGrabbed = false

  /// What is written to a file, in words.
  var log = ""

  init(unit: MassUnit, chosen: String?) {
    self.unit = unit
    self.chosen = chosen
  }

  /// The scale that is looked at: the chosen one, or the first that can weigh.
  var scale: Scale? {
    if let chosen { return scales.first { $0.device.device == chosen } }
    return scales.first { $0.device.weightSource != .none } ?? scales.first
  }

  mutating func hear(_ device: ReceivedDevice) {
    let index = scales.firstIndex { $0.device.device == device.device }
    switch (device.change, index) {
    case (.known(.removed), let index?): scales.remove(at: index)
    case (.known(.removed), nil): break
    case (_, let index?): scales[index].device = device
    case (_, nil) where scales.count < WeighViewModel.mostScales:
      scales.append(Scale(device: device))
    case (_, nil): break
    }
  }

  /// Takes what a scale says, and what it has read at rest so far.
  mutating func take(_ reading: ReceivedScale, of name: String, _ history: [Double]) {
    guard let index = scales.firstIndex(where: { $0.device.device == name }) else { return }
    scales[index].latest = reading
    scales[index].history = history
  }

  /// All that was known came through a connection that is no more.
  mutating func forget() { (scales, isGrabbed) = ([], false) }

  /// Looks at the next device.
  mutating func step() {
    guard let scale, let index = scales.firstIndex(of: scale) else { return }
    chosen = scales[(index + 1) % scales.count].device.device
  }
}
