internal import PressureKit
internal import PressureProtocol

/// The state that `pressured watch` displays: the devices and the selected one.
struct WatchViewModel: Equatable {
  /// The maximum number of devices; others are ignored.
  static let maxDevices = 64

  private(set) var devices: [WatchedDevice] = []

  /// The name of the selected device, which may be removed and added again.
  private(set) var selectedName: String?

  /// Whether the list of keys is displayed.
  var listsKeys = false

  /// What the daemon reads or its socket, or why there is no connection.
  var connectionStatus = ""

  /// Whether there is a connection to a daemon.
  private(set) var isConnected = false

  /// The result of the last request, until the next key.
  var message = ""

  /// The displayed device.
  var device: WatchedDevice? { devices.first { $0.device.device == selectedName } ?? devices.first }

  /// Its number, counted from 1.
  var number: Int { (devices.firstIndex { $0.device.device == selectedName } ?? 0) + 1 }

  private func index(_ name: String?) -> Int? { devices.firstIndex { $0.device.device == name } }
}

// MARK: - Events of the daemon

extension WatchViewModel {
  /// Updates the state with an event; events of unknown devices are ignored.
  mutating func update(with event: ReceivedEvent) {
    switch event {
    case .device(let device): update(with: device)
    case .weight(let weight): index(weight.device).map { devices[$0].update(with: weight) }
    case .press(let press): index(press.device).map { devices[$0].update(with: press) }
    case .scale(let scale): index(scale.device).map { devices[$0].update(with: scale) }
    case .action(let action): message = "\(action.title ?? action.type)"
    case .access(let access): message = access.sentence
    case .hello: isConnected = true
    case .contact, .maximumForce, .heaviest, .missed, .reply, .other: break
    }
  }

  private mutating func update(with device: ReceivedDevice) {
    switch (device.change, index(device.device)) {
    case (.known(.removed), let index?): devices.remove(at: index)
    case (.known(.removed), nil): break
    case (_, let index?): devices[index].device = device
    case (_, nil) where devices.count < WatchViewModel.maxDevices:
      devices.append(WatchedDevice(device))
    case (_, nil): break
    }
  }

  /// Updates the state with the reply to `state`, the loads at the time of the connection.
  mutating func update(with states: [ReceivedState]) {
    isConnected = true
    for state in states { index(state.device).map { devices[$0].update(with: state) } }
  }

  /// Removes all devices, because the connection is lost, and keeps the selection.
  mutating func disconnect() {
    selectedName = selectedName ?? devices.first?.device.device
    devices = []
    isConnected = false
  }
}

// MARK: - Selection

extension WatchViewModel {
  /// Selects the device at an offset from the selected one, cyclically.
  mutating func step(by step: Int) {
    guard !devices.isEmpty else { return }
    let next = (number - 1 + step + devices.count) % devices.count
    selectedName = devices[next].device.device
  }

  /// Selects a device by its number, counted from 1, if it exists.
  mutating func select(_ number: Int) {
    guard devices.indices.contains(number - 1) else { return }
    selectedName = devices[number - 1].device.device
  }
}

/// The state of a displayed device.
struct WatchedDevice: Equatable {
  /// The maximum number of past presses.
  static let maxPresses = 12

  /// The maximum number of contacts; no surface has more, but an untrusted line may list thousands.
  static let maxContacts = 64

  /// A press that has ended.
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

  /// A press that has not ended.
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
      update(with: press)
    }

    mutating func update(with press: ReceivedPress) {
      latest = press
      guard let newRatio = press.ratio, newRatio >= ratio else { return }
      ratio = newRatio
      grams = press.grams
      stage = press.stage ?? stage
    }

    /// The duration so far; the daemon's times are untrusted, so it must not overflow.
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
    sharesSensor = weight.sharesSensor
    for contact in contacts where contact.isSaturated {
      let index = presses.firstIndex { $0.latest.contact == contact.contact }
      if let index { presses[index].isSaturated = true }
    }
  }

  mutating func update(with scale: ReceivedScale) {
    self.scale = scale
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
