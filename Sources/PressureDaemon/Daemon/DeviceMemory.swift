internal import PressureKit
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// What is kept of devices while they are closed, for a bounded number of them, as their names come from outside.
struct DeviceMemory {
  private struct Kept: Equatable {
    var scale = ScaleMemory()
    var seat = SeatSet.all
    var learned = Learned()

    /// A calibration that is in effect until the daemon ends, as there is no store.
    var fit: CalibrationFit?

    /// Whether a user has tared, zeroed, configured or calibrated the scale: such devices make room last.
    var isAdjusted: Bool { scale.isAdjusted || fit != nil }
  }

  /// Far more pads than a machine has; the scale of a device with a full history takes about 8 KB.
  static let capacity = 64

  /// The least recently stored first; a device of which nothing is known has no entry.
  private var entries: [(device: DeviceID, kept: Kept)] = []

  /// Whether an error with a file of what was learned was logged.
  private var hasWarned = false

  /// Stored calibrations, and what was learned; nil for a recording, whose output must not depend on the machine.
  private let calibrations: CalibrationStore?

  init(calibrations: CalibrationStore?) {
    self.calibrations = calibrations
  }

  var count: Int { entries.count }

  private func load(_ device: DeviceID) -> Kept {
    entries.last { $0.device == device }?.kept ?? Kept()
  }

  private mutating func update(_ device: DeviceID, _ change: (inout Kept) -> Void) {
    var kept = load(device)
    change(&kept)
    entries.removeAll { $0.device == device }
    guard kept != Kept() else { return }
    if entries.count >= DeviceMemory.capacity {
      entries.remove(at: entries.firstIndex { !$0.kept.isAdjusted } ?? 0)
    }
    entries.append((device, kept))
  }

  /// Removes and returns the state of a device's scale; the default state if there is none.
  mutating func takeScale(of device: DeviceID) -> ScaleMemory {
    defer { update(device) { ($0.scale, $0.seat) = (ScaleMemory(), .all) } }
    return load(device).scale
  }

  mutating func keep(_ memory: ScaleMemory, of device: DeviceID, at seat: SeatSet = .all) {
    update(device) { ($0.scale, $0.seat) = (memory, memory == ScaleMemory() ? .all : seat) }
  }

  /// Releases the readings held on closed devices at some seats, which are those of another user's touch.
  mutating func releaseHolds(at seats: SeatSet) {
    for index in entries.indices where !entries[index].kept.seat.isDisjoint(with: seats) {
      entries[index].kept.scale.releaseHold(at: Timestamp(microseconds: .max))
    }
  }

  /// A surface with the stored calibration of its device, if there is one, and what is known of its pressure.
  mutating func completed(_ surface: Surface, of device: DeviceID) -> Surface {
    var surface = surface
    if load(device).learned == Learned(), let axis = surface.pressure?.axis,
      let finding = calibrations?.learned.find(device, on: axis)
    {
      if let warning = finding.warning { warn(warning) }
      update(device) { $0.learned = finding.learned }
    }
    surface.adopt(load(device).learned.evidence)
    if let fit = storedFit(of: device, on: surface) { surface.calibrate(by: fit) }
    return surface
  }

  /// What is known of a device's own clicks, after its surface was completed.
  func clicks(of device: DeviceID) -> ClickForce { load(device).learned.clicks }

  mutating func remember(_ engine: Engine, of device: DeviceID) {
    let learned = Learned(clicks: engine.clicks, evidence: engine.surface.evidence)
    update(device) { $0.learned = learned }
    guard let axis = engine.surface.pressure?.axis, let store = calibrations?.learned else {
      return
    }
    do throws(SystemError) {
      try store.keep(learned, of: device, on: axis)
    } catch {
      warn("\(device.text): learned values are not stored: \(error.sentence)")
    }
  }

  private mutating func warn(_ sentence: String) {
    if !hasWarned { Log.warning(sentence) }
    hasWarned = true
  }

  /// Keeps the calibration of a device, and returns whether it was stored beyond the end of the daemon.
  mutating func keep(_ fit: CalibrationFit, of device: DeviceID) throws(RequestError) -> Bool {
    guard let calibrations else {
      update(device) { $0.fit = fit }
      return false
    }
    do throws(SystemError) {
      try calibrations.keep(fit, of: device)
      return true
    } catch {
      throw RequestError(.failed, "\(error.sentence); the previous calibration stays in effect")
    }
  }

  /// The stored calibration of a device; a damaged one is logged and ignored.
  private func storedFit(of device: DeviceID, on surface: Surface) -> CalibrationFit? {
    guard let calibrations else {
      return load(device).fit.flatMap { $0.axis == surface.pressure?.axis ? $0 : nil }
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
