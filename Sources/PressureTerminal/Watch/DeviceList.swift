internal import PressureKit
internal import PressureProtocol

/// The devices of a daemon, and the selected one.
struct DeviceList: Equatable {
  /// The maximum number of devices; others are ignored.
  static let maxDevices = 64

  private(set) var devices: [WatchedDevice] = []

  /// The name of the selected device, which may be removed and added again.
  var selectedName: String?

  func index(_ name: String?) -> Int? { devices.firstIndex { $0.device.device == name } }

  /// The device of a name; a change of one that is not listed has no effect.
  subscript(name: String?) -> WatchedDevice? {
    get { index(name).map { devices[$0] } }
    set {
      if let index = index(name), let newValue { devices[index] = newValue }
    }
  }

  mutating func update(with device: ReceivedDevice) {
    switch (device.change, index(device.device)) {
    case (.known(.removed), let index?): devices.remove(at: index)
    case (.known(.removed), nil): break
    case (_, let index?): devices[index].device = device
    case (_, nil) where devices.count < DeviceList.maxDevices:
      devices.append(WatchedDevice(device))
    case (_, nil): break
    }
  }

  /// Selects the device at an offset from another one, cyclically.
  mutating func select(_ step: Int, from index: Int) {
    guard !devices.isEmpty else { return }
    selectedName = devices[(index + step + devices.count) % devices.count].device.device
  }

  /// Removes all devices, because the connection is lost; the selection stays.
  mutating func removeAll() { devices = [] }
}

/// The state of a displayed device.
struct WatchedDevice: Equatable {
  static let maxPresses = 12

  /// The maximum number of contacts; no surface has more, but an untrusted line may list thousands.
  static let maxContacts = 64

  struct PastPress: Equatable {
    /// The stage at its maximum force.
    var stage: String

    /// Its maximum force, relative to the maximum of the sensor.
    var ratio: Double

    /// Its maximum weight, or nil if the device does not weigh.
    var grams: Double?

    /// The duration in microseconds.
    var duration: Int64

    /// Whether the sensor was saturated, so that the force may have been higher.
    var isSaturated: Bool
    var isSimulated: Bool
    var isCancelled: Bool
  }

  struct Press: Equatable {
    private(set) var latest: ReceivedPress
    fileprivate(set) var past: PastPress
    private let beganAt: Int64

    init(_ press: ReceivedPress) {
      latest = press
      beganAt = press.time
      past = PastPress(
        stage: press.stage ?? "", ratio: 0, duration: 0, isSaturated: false, isSimulated: false,
        isCancelled: false)
      update(with: press)
    }

    mutating func update(with press: ReceivedPress) {
      latest = press
      // The daemon's times are untrusted, so the difference must not overflow.
      let (duration, isTooLong) = press.time.subtractingReportingOverflow(beganAt)
      past.duration = isTooLong ? .max : max(duration, 0)
      past.isSimulated = press.simulated ?? false
      past.isCancelled = press.state == .cancelled
      guard let ratio = press.ratio, ratio >= past.ratio else { return }
      (past.ratio, past.grams, past.stage) = (ratio, press.grams, press.stage ?? past.stage)
    }
  }

  var device: ReceivedDevice
  private(set) var contacts: [ReceivedPressure] = []
  private(set) var heaviest: Int64?
  private(set) var totalGrams: Double?
  var scale: ReceivedScale?

  /// The stable readings of the scale.
  var history = ReadingHistory()

  /// The current presses, one for each contact, in the order in which they began.
  private(set) var presses: [Press] = []

  /// The presses that have ended, the latest first.
  private(set) var lastPresses: [PastPress] = []

  init(_ device: ReceivedDevice) {
    self.device = device
  }
}

extension WatchedDevice {
  mutating func update(with weight: ReceivedWeight) {
    contacts = Array(weight.contacts.prefix(WatchedDevice.maxContacts))
    heaviest = weight.heaviest
    totalGrams = weight.totalGrams
    for contact in contacts where contact.isSaturated {
      let index = presses.firstIndex { $0.latest.contact == contact.contact }
      if let index { presses[index].past.isSaturated = true }
    }
  }

  /// Updates the state with that of the reply to `state`.
  mutating func update(with state: ReceivedState) {
    contacts = Array(state.contacts.prefix(WatchedDevice.maxContacts))
    heaviest = state.heaviest
    let canWeigh = device.weightSource != .none
    totalGrams = state.contacts.reduce(canWeigh ? 0 : nil) { total, contact in
      total.flatMap { total in contact.grams.map { total + $0 } }
    }
    scale = state.scale
  }

  mutating func update(with press: ReceivedPress) {
    let index = presses.firstIndex { $0.latest.contact == press.contact }
    switch press.state {
    case .known(.ended), .known(.cancelled):
      // The start and the maximum of a press that began before the connection are unknown.
      guard let index else { return }
      presses[index].update(with: press)
      lastPresses.insert(presses.remove(at: index).past, at: 0)
      lastPresses = Array(lastPresses.prefix(WatchedDevice.maxPresses))
    case .known(.started), .known(.changed), .known(.maximumReached), .unknown:
      if let index {
        presses[index].update(with: press)
      } else if presses.count < WatchedDevice.maxContacts {
        presses.append(Press(press))
      }
    }
  }
}
