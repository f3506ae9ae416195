import PressureKit

/// What can be said of a device of which only events are known.
struct ObservedAxes {
  /// More slots than the kernel grants.
  static let mostSlots: Int32 = 1024

  /// The corresponding kernel constant is `ABS_CNT`.
  private static let axisCount = 64

  private var ranges = [ClosedRange<Int32>?](repeating: nil, count: axisCount)
  private var keys: Set<UInt16> = []
  private var isProtocolA = false

  mutating func observe(_ event: InputEvent) {
    switch event.code.type {
    case EventCode.x.type: observe(event.value, of: Int(event.code.code))
    case EventCode.touch.type: keys.insert(event.code.code)
    default: if event.code == .multitouchReport { isProtocolA = true }
    }
  }

  private mutating func observe(_ value: Int32, of code: Int) {
    guard code < ObservedAxes.axisCount else { return }
    let range = ranges[code] ?? value...value
    if range.contains(value), ranges[code] != nil { return }
    ranges[code] = min(range.lowerBound, value)...max(range.upperBound, value)
  }

  /// A device of type B with the ranges that were used; the rest is as `description` has it.
  func complete(_ description: DeviceDescription) -> DeviceDescription {
    var description = description
    if description.name.isEmpty { description.name = "unknown device" }
    if description.keys == nil, !keys.isEmpty { description.keys = keys }
    for (code, range) in ranges.enumerated() {
      guard let range, let code = UInt16(exactly: code) else { continue }
      description.axes[code] = Axis(minimum: range.lowerBound, maximum: range.upperBound)
    }
    startPressureAtZero(&description)
    description.axes[EventCode.slot.code] = slots
    return description
  }

  /// Drivers let pressure begin at 0, though few recordings go down to it.
  private func startPressureAtZero(_ description: inout DeviceDescription) {
    for code in [EventCode.pressure.code, EventCode.singlePressure.code] {
      guard let axis = description.axes[code] else { continue }
      description.axes[code]?.minimum = min(0, axis.minimum)
    }
  }

  /// Slots up to the greatest that was used; a recording of one finger may not name its slot at all.
  private var slots: Axis? {
    let used = ranges[Int(EventCode.slot.code)]
    guard !isProtocolA, used != nil || ranges[Int(EventCode.trackingID.code)] != nil else {
      return nil
    }
    let greatest = min(max(used?.upperBound ?? 0, 0), ObservedAxes.mostSlots - 1)
    return Axis(minimum: 0, maximum: greatest)
  }
}
