internal import PressureKit
internal import PressureSettings
internal import PressureSystem

/// What is kept of devices while they are closed.
struct DeviceMemory {
  /// The state of their scales; those that a user has tared, zeroed or configured make room last.
  private(set) var scales = DeviceCache(empty: KeptScale()) { $0.memory.isAdjusted }

  private var learned = DeviceCache(empty: Learned())

  /// Whether an error with a file of that was logged.
  private var hasWarned = false

  /// Stored calibrations, and what was learned; nil for a recording, whose output must not depend on the machine.
  private let calibrations: CalibrationStore?

  /// Calibrations that are in effect until the daemon ends, as there is no store.
  private var unstored = DeviceCache<CalibrationFit?>(empty: nil)

  init(calibrations: CalibrationStore?) {
    self.calibrations = calibrations
  }

  /// Removes and returns the state of a device's scale; the default state if there is none.
  mutating func takeScale(of device: DeviceID) -> ScaleMemory {
    defer { scales.store(scales.empty, of: device) }
    return scales.load(device).memory
  }

  mutating func keep(_ memory: ScaleMemory, of device: DeviceID, at seat: SeatSet = .all) {
    scales.store(
      memory == ScaleMemory() ? scales.empty : KeptScale(memory: memory, seat: seat), of: device)
  }

  /// Releases the readings held on closed devices at some seats, which are those of another user's touch.
  mutating func releaseHolds(at seats: SeatSet) {
    scales.update { scale in
      if !scale.seat.isDisjoint(with: seats) { scale.memory.releaseHold() }
    }
  }

  /// A surface with the stored calibration of its device, if there is one, and what is known of its pressure.
  mutating func completed(_ surface: Surface, of device: DeviceID) -> Surface {
    var surface = surface
    recall(device, on: surface)
    surface.adopt(learned.load(device).evidence)
    if let fit = storedFit(of: device, on: surface) { surface.calibrate(by: fit) }
    return surface
  }

  /// What is known of a device's own clicks, after its surface was completed.
  func clicks(of device: DeviceID) -> ClickForce { learned.load(device).clicks }

  private mutating func recall(_ device: DeviceID, on surface: Surface) {
    guard learned.load(device) == learned.empty, let axis = surface.pressure?.axis,
      let finding = calibrations?.learned.find(device, on: axis)
    else { return }
    if let warning = finding.warning, !hasWarned {
      Log.warning(warning)
      hasWarned = true
    }
    learned.store(finding.learned, of: device)
  }

  mutating func remember(_ engine: Engine, of device: DeviceID) {
    let value = Learned(clicks: engine.clicks, evidence: engine.surface.evidence)
    learned.store(value, of: device)
    guard let axis = engine.surface.pressure?.axis, let store = calibrations?.learned else {
      return
    }
    do throws(SystemError) {
      try store.keep(value, of: device, on: axis)
    } catch {
      if !hasWarned {
        Log.warning("\(device.text): what was learned is not kept: \(error.sentence)")
      }
      hasWarned = true
    }
  }

  /// Keeps the calibration of a device, and returns whether it was stored beyond the end of the daemon.
  mutating func keep(_ fit: CalibrationFit, of device: DeviceID) throws(SystemError) -> Bool {
    guard let calibrations else {
      unstored.store(fit, of: device)
      return false
    }
    try calibrations.keep(fit, of: device)
    return true
  }

  /// The stored calibration of a device; a damaged one is logged and ignored.
  private func storedFit(of device: DeviceID, on surface: Surface) -> CalibrationFit? {
    guard let calibrations else {
      return unstored.load(device).flatMap { $0.axis == surface.pressure?.axis ? $0 : nil }
    }
    let finding = calibrations.find(device)
    for warning in finding.warnings { Log.warning(warning) }
    guard let fit = finding.fit else { return nil }
    guard surface.pressure?.axis == fit.axis else {
      Log.warning(
        "\(device.text): the stored calibration is for another pressure range and is ignored; "
          + "calibrate again")
      return nil
    }
    return fit
  }
}

struct KeptScale: Equatable {
  var memory = ScaleMemory()
  var seat = SeatSet.all
}

/// What is known of closed devices, for a bounded number of them, as their names come from outside.
struct DeviceCache<Value: Equatable> {
  /// Far more pads than a machine has; the scale of a device with a full history takes about 8 KB.
  static var capacity: Int { 64 }

  /// What is known of other devices, which needs no entry.
  let empty: Value

  private let isImportant: (Value) -> Bool

  /// The least recently stored first.
  private var entries: [(device: DeviceID, value: Value)] = []

  /// Creates an empty cache; important entries make room last.
  init(empty: Value, isImportant: @escaping (Value) -> Bool = { _ in false }) {
    self.empty = empty
    self.isImportant = isImportant
  }

  var count: Int { entries.count }

  func load(_ device: DeviceID) -> Value { entries.last { $0.device == device }?.value ?? empty }

  mutating func store(_ value: Value, of device: DeviceID) {
    entries.removeAll { $0.device == device }
    guard value != empty else { return }
    if entries.count >= DeviceCache.capacity {
      entries.remove(at: entries.firstIndex { !isImportant($0.value) } ?? 0)
    }
    entries.append((device, value))
  }

  mutating func update(_ body: (inout Value) -> Void) {
    for index in entries.indices { body(&entries[index].value) }
  }
}
