internal import PressureKit
internal import PressureProtocol

/// What a viewer knows of one device.
struct WatchedDevice: Equatable {
  /// How many presses are remembered.
  static let mostPresses = 12

  /// More contacts than these are not shown: no surface has so many, and a line may list thousands.
  static let mostContacts = 64

  /// A press that is over.
  struct PastPress: Equatable {
    /// The furthest stage that it reached.
    var stage: String

    /// What it pressed with at most, as a part of the maximum.
    var ratio: Double

    /// Nil where nothing weighs.
    var grams: Double?

    /// Microseconds.
    var duration: Int64

    /// Whether the sensor was at its end, so that it may have been more.
    var isSaturated: Bool

    var isSimulated: Bool
    var isCancelled: Bool
  }

  /// A press that goes on.
  struct Press: Equatable {
    var latest: ReceivedPress
    private let beganAt: Int64
    private var stage: String
    private var ratio = 0.0
    private var grams: Double?
    fileprivate var isSaturated = false

    init(_ press: ReceivedPress) {
      latest = press
      beganAt = press.time
      stage = press.stage ?? ""
      hear(press)
    }

    mutating func hear(_ press: ReceivedPress) {
      latest = press
      guard let now = press.ratio, now >= ratio else { return }
      ratio = now
      grams = press.grams
      stage = press.stage ?? stage
    }

    /// The times are the daemon's, whatever they are.
    private var duration: Int64 {
      let (duration, isTooLong) = latest.time.subtractingReportingOverflow(beganAt)
      return isTooLong ? .max : max(duration, 0)
    }

    var past: PastPress {
      PastPress(
        stage: stage, ratio: ratio, grams: grams, duration: duration,
        isSaturated: isSaturated, isSimulated: latest.simulated ?? false,
        isCancelled: latest.state == .cancelled)
    }
  }

  var device: ReceivedDevice
  private(set) var contacts: [ReceivedPressure] = []
  private(set) var heaviest: Int64?
  private(set) var totalGrams: Double?
  private(set) var sharesSensor = false
  private(set) var scale: ReceivedScale?

  /// Those that go on, by their contact, in the order in which they began.
  private(set) var presses: [Press] = []

  /// Those that are over, the last one first.
  private(set) var lastPresses: [PastPress] = []

  init(_ device: ReceivedDevice) {
    self.device = device
  }
}

extension WatchedDevice {
  mutating func hear(_ weight: ReceivedWeight) {
    contacts = Array(weight.contacts.prefix(WatchedDevice.mostContacts))
    heaviest = weight.heaviest
    totalGrams = weight.totalGrams
    sharesSensor = weight.sharesSensor
    for contact in contacts where contact.isSaturated {
      let index = presses.firstIndex { $0.latest.contact == contact.contact }
      if let index { presses[index].isSaturated = true }
    }
  }

  mutating func hear(_ scale: ReceivedScale) {
    self.scale = scale
  }

  /// What lay there before we came.
  mutating func take(_ state: ReceivedState) {
    contacts = Array(state.contacts.prefix(WatchedDevice.mostContacts))
    heaviest = state.heaviest
    let weights = state.contacts.compactMap(\.grams)
    totalGrams = device.weightSource == .none ? nil : weights.reduce(0, +)
    scale = state.scale
  }

  mutating func hear(_ press: ReceivedPress) {
    let index = presses.firstIndex { $0.latest.contact == press.contact }
    switch press.state {
    case .known(.ended), .known(.cancelled):
      // Of one that began before we came, neither the beginning nor the maximum is known.
      guard let index else { return }
      presses[index].hear(press)
      lastPresses.insert(presses.remove(at: index).past, at: 0)
      lastPresses = Array(lastPresses.prefix(WatchedDevice.mostPresses))
    case .known(.started), .known(.changed), .known(.maximumReached), .unknown:
      if let index {
        presses[index].hear(press)
      } else if presses.count < WatchedDevice.mostContacts {
        presses.append(Press(press))
      }
    }
  }
}
