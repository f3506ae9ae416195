internal import CEvdev
internal import PressureKit

/// The values of a device's axes as of the events so far.
///
/// libevdev keeps its own, but only of events that it has read itself.
struct AxisState: ~Copyable {
  enum Consistency {
    case keep
    /// It contradicts the events before it.
    case discard
    /// The kernel's queue has overflowed.
    case lost
  }

  /// ABS_MT_TOUCH_MAJOR, the first axis of a slot; ABS_MT_SLOT precedes it.
  private static let firstCode = EventCode.touchMajor.rawValue

  /// The number of axes of a slot, up to ABS_MT_TOOL_Y.
  private static let codeCount = 14

  private static let rowLength = 16

  /// The number of axes before those of a slot, which have one value for the whole device.
  private static let plainCount = Int(EventCode.touchMajor.code)

  private static let trackingIndex = Int(EventCode.trackingID.rawValue - firstCode)

  /// The number of slots; 0 for a device without, whose axes of slots are then in the first row.
  private let slotCount: UInt32

  /// A row for each slot.
  private let rows: UnsafeMutablePointer<Int32>

  /// The axes that have one value for the whole device.
  private let plain: UnsafeMutablePointer<Int32>

  private var row: UnsafeMutablePointer<Int32>

  init(libevdev device: OpaquePointer) {
    // `Surface` refuses devices with more slots.
    slotCount = UInt32(min(max(libevdev_get_num_slots(device), 0), Int32(Surface.maximumSlots)))
    let rowCount = max(Int(slotCount), 1)
    rows = .allocate(capacity: rowCount * AxisState.rowLength)
    rows.initialize(repeating: 0, count: rowCount * AxisState.rowLength)
    row = rows
    plain = .allocate(capacity: AxisState.plainCount)
    for code in 0..<AxisState.plainCount {
      plain[code] = libevdev_get_event_value(device, UInt32(EV_ABS), UInt32(code))
    }
    for slot in 0..<slotCount {
      for index in 0..<AxisState.codeCount {
        rows[Int(slot) * AxisState.rowLength + index] = libevdev_get_slot_value(
          device, slot, AxisState.code(index))
      }
    }
    if slotCount > 0 {
      // Not by `select`, for which Swift 6.2 wants `slotCount` to be variable.
      let slot = min(UInt32(max(libevdev_get_current_slot(device), 0)), slotCount - 1)
      row = rows + Int(slot) * AxisState.rowLength
    }
  }

  deinit {
    rows.deallocate()
    plain.deallocate()
  }

  private static func code(_ index: Int) -> UInt32 {
    UInt32(EventCode.touchMajor.code) + UInt32(index)
  }

  private mutating func select(_ slot: UInt32) { row = rows + Int(slot) * AxisState.rowLength }

  /// Stores a value of the current slot, or makes another slot the current one; returns false for other events.
  ///
  /// Inlined, as nearly all events of a touch device end here.
  @inline(__always)
  mutating func store(_ event: InputEvent) -> Bool {
    let index = Int(event.code.rawValue) &- Int(AxisState.firstCode)
    if index >= 0, index < AxisState.codeCount {
      guard index != AxisState.trackingIndex else { return false }
      row[index] = event.value
      return true
    }
    guard event.code == .slot, UInt32(bitPattern: event.value) < slotCount else { return false }
    select(UInt32(bitPattern: event.value))
    return true
  }

  /// Stores any other event, after the corrections that libevdev makes: a slot that does not exist is replaced by the last one.
  ///
  /// `device` receives the states of keys; it is nil for an event that libevdev has found, as it knows it already.
  mutating func store(rare event: inout InputEvent, of device: OpaquePointer?) -> Consistency {
    switch Int32(event.code.type) {
    case EV_SYN: return event.code == .dropped ? .lost : .keep
    case EV_ABS: break
    case EV_KEY, EV_SW, EV_LED:
      if let device {
        libevdev_set_event_value(
          device, UInt32(event.code.type), UInt32(event.code.code), event.value)
      }
      return .keep
    default: return .keep
    }
    if event.code == .slot, slotCount > 0 {
      event.value = Int32(slotCount - 1)
      select(slotCount - 1)
    } else if event.code == .trackingID {
      // An ID changes from and to -1 only.
      let isEmpty = row[AxisState.trackingIndex] == -1
      if slotCount > 0, device != nil, isEmpty == (event.value == -1) { return .discard }
      row[AxisState.trackingIndex] = event.value
    } else if Int(event.code.code) < AxisState.plainCount {
      plain[Int(event.code.code)] = event.value
    }
    return .keep
  }

  /// The next value of a slot that differs from that in libevdev, preceded by its slot if that is not the current one.
  ///
  /// `index` is the number of the slot times `rowLength` plus that of the axis. In the end comes the current slot of libevdev.
  func nextDifference(after index: inout Int, from device: OpaquePointer, at time: Timestamp)
    -> InputEvent?
  {
    func select(_ slot: Int) -> InputEvent? {
      row == rows + slot * AxisState.rowLength
        ? nil : InputEvent(time: time, code: .slot, value: Int32(slot))
    }
    while index < Int(slotCount) * AxisState.rowLength {
      let (slot, axis) = index.quotientAndRemainder(dividingBy: AxisState.rowLength)
      if axis < AxisState.codeCount {
        let code = AxisState.code(axis)
        let value = libevdev_get_slot_value(device, UInt32(slot), code)
        if rows[index] != value {
          return select(slot) ?? InputEvent(time: time, code: .absolute(UInt16(code)), value: value)
        }
      }
      index += 1
    }
    guard slotCount > 0 else { return nil }
    return select(max(0, min(Int(libevdev_get_current_slot(device)), Int(slotCount) - 1)))
  }

  func copy(to device: OpaquePointer) {
    for slot in 0..<slotCount {
      for index in 0..<AxisState.codeCount {
        libevdev_set_slot_value(
          device, slot, AxisState.code(index), rows[Int(slot) * AxisState.rowLength + index])
      }
    }
    let isSlotless = slotCount == 0
    for index in 0..<AxisState.codeCount where isSlotless {
      libevdev_set_event_value(device, UInt32(EV_ABS), AxisState.code(index), rows[index])
    }
    for code in 0..<AxisState.plainCount {
      libevdev_set_event_value(device, UInt32(EV_ABS), UInt32(code), plain[code])
    }
    guard !isSlotless else { return }
    let current = (row - rows) / AxisState.rowLength
    libevdev_set_event_value(device, UInt32(EV_ABS), UInt32(EventCode.slot.code), Int32(current))
  }
}
