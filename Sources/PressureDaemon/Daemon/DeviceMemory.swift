internal import PressureKit
internal import PressureSettings
internal import PressureSystem

/// What is kept of devices while they are closed.
struct DeviceMemory {
  /// The state of their scales.
  var scales = ScaleCache()

  /// What they have shown of themselves.
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

  /// Reads what was stored of a device before this start.
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

  /// Keeps what an engine has learned of its device.
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

/// What is known of closed devices, for a bounded number of them.
struct DeviceCache<Value: Equatable> {
  /// What is known of other devices, which needs no entry.
  let empty: Value

  private var entries: [(device: DeviceID, value: Value)] = []

  init(empty: Value) {
    self.empty = empty
  }

  /// What is known of a device.
  func load(_ device: DeviceID) -> Value {
    entries.last { $0.device == device }?.value ?? empty
  }

  /// Stores what is known of a device; the least recently stored entry makes room.
  mutating func store(_ value: Value, of device: DeviceID) {
    entries.removeAll { $0.device == device }
    guard value != empty else { return }
    if entries.count == ScaleCache.capacity { entries.removeFirst() }
    entries.append((device, value))
  }
}

/// The state of scales whose devices are closed, for a bounded number of devices.
///
/// Device names come from outside and are unbounded. If the cache is full, the least recently used state is evicted;
/// scales that a user has tared, zeroed or configured are evicted last.
struct ScaleCache {
  /// Far more pads than a machine has; a device with a full history takes about 8 KB.
  static let capacity = 64

  private struct Entry {
    var memory: ScaleMemory
    var seats: SeatSet
    var use: Int
  }

  private var entries: [DeviceID: Entry] = [:]
  private var uses = 0

  /// The number of cached scales.
  var count: Int { entries.count }

  /// Removes and returns the state of a device's scale; the default state if there is none.
  mutating func load(_ device: DeviceID) -> ScaleMemory {
    guard var memory = entries.removeValue(forKey: device)?.memory else { return ScaleMemory() }
    memory.reserve()
    return memory
  }

  /// Stores the state of the scale of a device at some seats; may evict another one.
  mutating func store(_ memory: ScaleMemory, of device: DeviceID, at seats: SeatSet = .all) {
    entries[device] = nil
    // The default state needs no entry.
    guard memory != ScaleMemory() else { return }
    if entries.count >= ScaleCache.capacity { forgetOne() }
    var memory = memory
    memory.compact()
    uses += 1
    entries[device] = Entry(memory: memory, seats: seats, use: uses)
  }

  /// Releases the readings held on closed devices at some seats, which are those of another user's touch.
  mutating func releaseHolds(at seats: SeatSet) {
    for (device, entry) in entries where !entry.seats.isDisjoint(with: seats) {
      entries[device]?.memory.releaseHold()
    }
  }

  private mutating func forgetOne() {
    let least = entries.min { first, second in
      let (kept, other) = (first.value.memory.isAdjusted, second.value.memory.isAdjusted)
      return kept == other ? first.value.use < second.value.use : !kept
    }
    if let least { entries[least.key] = nil }
  }
}
