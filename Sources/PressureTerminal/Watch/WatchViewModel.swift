internal import PressureKit
internal import PressureProtocol

/// What a viewer knows, and what it looks at: changed by lines and keys, and shown in a `SurfaceDrawing`.
struct WatchViewModel: Equatable {
  /// More devices than these are not remembered, as nobody has so many.
  static let mostDevices = 64

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
    case (_, nil) where devices.count < WatchViewModel.mostDevices:
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
