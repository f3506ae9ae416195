internal import PressureKit
internal import PressureProtocol

/// What a viewer knows, and what it looks at: changed by lines and keys, and shown in a `SurfaceDrawing`.
struct WatchViewModel: Equatable {
  /// More devices than these are not remembered, as nobody has so many.
  static let maxDevices = 64

  private(set) var devices: [WatchedDevice] = []

  /// The name of the device that is looked at; it may be gone, and come again.
  private(set) var chosen: String?

  /// Whether the keys are listed.
  var listsKeys = false

  /// Whose daemon it is, or why there is none.
  var place = ""

  /// Whether there is a daemon.
  private(set) var isConnected = false

  /// The last answer, until the next key.
  var remark = ""

  /// The device that is shown.
  var device: WatchedDevice? { devices.first { $0.device.device == chosen } ?? devices.first }

  /// Its number, from 1 on.
  var number: Int { (devices.firstIndex { $0.device.device == chosen } ?? 0) + 1 }

  private func index(_ name: String?) -> Int? { devices.firstIndex { $0.device.device == name } }
}

// MARK: - What the daemon says

extension WatchViewModel {
  /// Takes what a line says; what is of no device that is known is passed over.
  mutating func hear(_ event: ReceivedEvent) {
    switch event {
    case .device(let device): hear(device)
    case .weight(let weight): index(weight.device).map { devices[$0].hear(weight) }
    case .press(let press): index(press.device).map { devices[$0].hear(press) }
    case .scale(let scale): index(scale.device).map { devices[$0].hear(scale) }
    case .action(let action): remark = "\(action.title ?? action.type)"
    // What lies there is told a little later, once it was looked at for long enough.
    case .hello: isConnected = true
    case .contact, .maximumForce, .heaviest, .missed, .reply, .other: break
    }
  }

  private mutating func hear(_ device: ReceivedDevice) {
    let known = index(device.device)
    switch (device.change, known) {
    case (.known(.removed), let index?): devices.remove(at: index)
    case (.known(.removed), nil): break
    case (_, let index?): devices[index].device = device
    case (_, nil) where devices.count < WatchViewModel.maxDevices:
      devices.append(WatchedDevice(device))
    case (_, nil): break
    }
  }

  /// What lay on the devices when we came.
  mutating func take(_ states: [ReceivedState]) {
    isConnected = true
    for state in states { index(state.device).map { devices[$0].take(state) } }
  }

  /// All that was known came through a connection that is no more.
  mutating func forget() {
    chosen = chosen ?? devices.first?.device.device
    devices = []
    isConnected = false
  }
}

// MARK: - What the keys choose

extension WatchViewModel {
  /// Looks at the next device, or the one before; around the end it begins again.
  mutating func step(by step: Int) {
    guard !devices.isEmpty else { return }
    let next = (number - 1 + step + devices.count) % devices.count
    chosen = devices[next].device.device
  }

  /// Looks at a device by its number, from 1 on, if there are so many.
  mutating func choose(_ number: Int) {
    guard devices.indices.contains(number - 1) else { return }
    chosen = devices[number - 1].device.device
  }
}

/// What a viewer knows of one device.
struct WatchedDevice: Equatable {
  /// How many presses are remembered.
  static let maxPresses = 12

  /// More contacts than these are not shown: no surface has so many, and a line may list thousands.
  static let maxContacts = 64

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
    contacts = Array(weight.contacts.prefix(WatchedDevice.maxContacts))
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
    contacts = Array(state.contacts.prefix(WatchedDevice.maxContacts))
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
      lastPresses = Array(lastPresses.prefix(WatchedDevice.maxPresses))
    case .known(.started), .known(.changed), .known(.maximumReached), .unknown:
      if let index {
        presses[index].hear(press)
      } else if presses.count < WatchedDevice.maxContacts {
        presses.append(Press(press))
      }
    }
  }
}
