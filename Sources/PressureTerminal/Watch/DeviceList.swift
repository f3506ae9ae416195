internal import PressureKit
internal import PressureProtocol

struct DeviceList: Equatable {
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

  mutating func update(with event: ReceivedEvent) {
    switch event {
    case .device(let device):
      if device.change == .known(.removed) {
        devices.removeAll { $0.device.device == device.device }
      } else if let index = index(device.device) {
        devices[index].device = device
      } else if devices.count < DeviceList.maxDevices {
        devices.append(WatchedDevice(device: device))
      }
    case .weight(let weight): self[weight.device]?.update(with: weight)
    case .press(let press): self[press.device]?.update(with: press)
    case .scale(let scale): self[scale.device]?.scale = scale
    case .hello, .contact, .maximumForce, .heaviest, .action, .access, .missed, .reply, .other:
      break
    }
  }

  /// Selects the device at an offset from another one, cyclically.
  mutating func select(_ step: Int, from index: Int) {
    guard !devices.isEmpty else { return }
    selectedName = devices[(index + step + devices.count) % devices.count].device.device
  }

  mutating func removeAll() { devices = [] }
}

struct WatchedDevice: Equatable {
  static let maxPresses = 12

  /// The maximum number of contacts; no surface has more, but an untrusted line may list thousands.
  static let maxContacts = 64

  struct Press: Equatable {
    private(set) var latest: ReceivedPress
    private let beganAt: Int64

    /// The maximum force, relative to that of the sensor, with the weight and the stage at that time.
    private(set) var ratio = 0.0
    private(set) var grams: Double?
    private(set) var stage: String

    /// Whether the sensor was saturated, so that the force may have been higher.
    fileprivate(set) var isSaturated = false

    init(_ press: ReceivedPress) {
      latest = press
      beganAt = press.time
      stage = press.stage ?? ""
      update(with: press)
    }

    mutating func update(with press: ReceivedPress) {
      latest = press
      guard let ratio = press.ratio, ratio >= self.ratio else { return }
      (self.ratio, grams, stage) = (ratio, press.grams, press.stage ?? stage)
    }

    /// The duration in microseconds.
    var duration: Int64 {
      // The daemon's times are untrusted, so the difference must not overflow.
      let (duration, isTooLong) = latest.time.subtractingReportingOverflow(beganAt)
      return isTooLong ? .max : max(duration, 0)
    }
  }

  var device: ReceivedDevice
  private(set) var contacts: [ReceivedPressure] = []
  private(set) var heaviest: Int64?
  private(set) var totalGrams: Double?
  var scale: ReceivedScale?
  var history = ReadingHistory()

  /// The current presses, one for each contact, in the order in which they began.
  private(set) var presses: [Press] = []

  /// The presses that have ended, the latest first.
  private(set) var lastPresses: [Press] = []

  mutating func update(with weight: ReceivedWeight) {
    contacts = Array(weight.contacts.prefix(WatchedDevice.maxContacts))
    heaviest = weight.heaviest
    totalGrams = weight.totalGrams
    for contact in contacts where contact.isSaturated {
      let index = presses.firstIndex { $0.latest.contact == contact.contact }
      if let index { presses[index].isSaturated = true }
    }
  }

  mutating func update(with state: ReceivedState) {
    contacts = Array(state.contacts.prefix(WatchedDevice.maxContacts))
    heaviest = state.heaviest
    let canWeigh = device.weightSource != .none
    let grams = state.contacts.compactMap(\.grams)
    totalGrams = canWeigh && grams.count == state.contacts.count ? grams.reduce(0, +) : nil
    scale = state.scale
  }

  mutating func update(with press: ReceivedPress) {
    let index = presses.firstIndex { $0.latest.contact == press.contact }
    switch press.state {
    case .known(.ended), .known(.cancelled):
      // The start and the maximum of a press that began before the connection are unknown.
      guard let index else { return }
      presses[index].update(with: press)
      lastPresses.insert(presses.remove(at: index), at: 0)
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
