internal import PressureKit

/// What scales remember while their devices are closed, for a bounded number of devices.
///
/// Names of devices come from outside, and there may be any number of them. Where there is no more room, the
/// device that was used least recently is forgotten; those that a person has tared, zeroed or taught
/// something are kept the longest.
struct ScaleCache {
  /// Far more pads than a machine has; a device with a full history takes some 8 KB.
  static let capacity = 64

  private struct Entry {
    var memory: ScaleMemory
    var use: Int
  }

  private var entries: [DeviceID: Entry] = [:]
  private var uses = 0

  /// How many devices are remembered.
  var count: Int { entries.count }

  /// What a device's scale remembers; nothing where it is not known.
  mutating func take(_ device: DeviceID) -> ScaleMemory {
    guard var memory = entries.removeValue(forKey: device)?.memory else { return ScaleMemory() }
    memory.reserve()
    return memory
  }

  /// Keeps what a device's scale remembers, for which another device may be forgotten.
  mutating func keep(_ memory: ScaleMemory, of device: DeviceID) {
    entries[device] = nil
    // What has nothing to remember needs no room.
    guard memory != ScaleMemory() else { return }
    if entries.count >= ScaleCache.capacity { forgetOne() }
    var memory = memory
    memory.compact()
    uses += 1
    entries[device] = Entry(memory: memory, use: uses)
  }

  private mutating func forgetOne() {
    let least = entries.min { first, second in
      let (kept, other) = (first.value.memory.isAdjusted, second.value.memory.isAdjusted)
      return kept == other ? first.value.use < second.value.use : !kept
    }
    if let least { entries[least.key] = nil }
  }
}
