package import CEvdev
internal import Glibc
package import PressureKit
package import PressureSystem

/// An evdev node that is open for reading, and for writing if it is to play haptic feedback.
package final class EvdevDevice: InputSource {
  package let node: String
  package let description: DeviceDescription

  /// A time before the first event that follows the initial state of the device.
  package let openedAt: Timestamp

  @exclusivity(unchecked) private var stream: DeviceStream

  /// Events that were read before they can be processed.
  ///
  /// The kernel buffers about twenty frames of ten contacts for a reader and drops all of them if it overflows. Before
  /// other long work the daemon drains the kernel's buffer into this queue.
  @exclusivity(unchecked) private var ahead: ArraySlice<InputEvent> = []

  /// 1.5 seconds of ten contacts at 1 kHz, which is 1 MB.
  private static let maximumAhead = 65_536

  @exclusivity(unchecked) private var batch = InputBatch()
  private let file: Descriptor
  package let device: OpaquePointer

  package let isWritten: Bool

  private var writeError: SystemError?
  @exclusivity(unchecked) private var effect: HapticEffect?

  /// Opens a node, for writing too if that is permitted, and reads its description; `Surface` checks whether it is a touch device.
  package init(opening node: String, isWritten: Bool = false) throws(DeviceError) {
    self.node = node
    self.isWritten = isWritten
    openedAt = .now
    let flags = O_NONBLOCK | O_CLOEXEC
    var number = isWritten ? open(node, O_RDWR | flags) : -1
    if isWritten, number < 0 {
      writeError = SystemError(attempt: "open \(node) for writing", number: errno)
    }
    if number < 0 { number = open(node, O_RDONLY | flags) }
    let code = errno
    guard number >= 0 else { throw .unreadable(SystemError(attempt: "open \(node)", number: code)) }
    file = Descriptor(number)
    libevdev_set_log_priority(LIBEVDEV_LOG_ERROR)
    var device: OpaquePointer?
    let result = libevdev_new_from_fd(file.number, &device)
    guard result >= 0, let device else {
      throw .unreadable(
        SystemError(attempt: "query \(node)", number: result < 0 ? -result : ENOMEM))
    }
    self.device = device
    // Set at once: changing the clock makes the kernel drop queued events.
    libevdev_set_clock_id(device, CLOCK_MONOTONIC)
    var description = DeviceDescription(libevdev: device)
    if !description.axes.isEmpty { description.readDescriptor(of: node) }
    self.description = description
    stream = DeviceStream(of: device, file.number, openedAt: openedAt)
  }

  deinit {
    // Erased while the descriptor is still open.
    effect = nil
    libevdev_free(device)
  }

  package var descriptor: Int32 { file.number }

  package func next(into batch: inout InputBatch, at now: Int64) -> InputStep {
    guard ahead.isEmpty else {
      batch.removeAll()
      while !batch.isFull, let event = ahead.popFirst() {
        batch.append(event)
        if event.code.isSynchronization { break }
      }
      // Also the memory.
      if ahead.isEmpty { ahead = [] }
      return .events
    }
    let step = stream.next(into: &batch)
    // After a loss the descriptor need not become readable.
    if case .empty = step, hasMore { return .wait(now) }
    return step
  }

  // `hasMore` may be true after this, as events were lost; the next call resynchronizes.
  package func readOnce() {
    if stream.needsResynchronization {
      readAhead()
      // `next` tries again, and returns the error.
      if stream.needsResynchronization { return }
    }
    if ahead.isEmpty { stream.readOnce() } else { stream.readLater() }
  }

  package func readAhead() {
    stream.readAgain()
    while ahead.count < EvdevDevice.maximumAhead, case .events = stream.next(into: &batch) {
      ahead += batch.events
    }
  }

  package var hasMore: Bool { !ahead.isEmpty || stream.hasMore }

  /// Whether the last events that `next` has returned contain changes of state that replace lost events.
  package var isResynchronizing: Bool { stream.isResynchronizing }

  /// The number of overflows of the kernel's queue, after which the state is resynchronized.
  ///
  /// The corresponding kernel constant is `SYN_DROPPED`.
  package var lossCount: Int { stream.lossCount }

  package var aheadTime: Timestamp? { ahead.first?.time ?? stream.firstTime }

  // MARK: - Haptic feedback

  package var hasEffect: Bool { effect != nil }

  /// Uploads the best effect that the device can play, if any, with an intensity of 0…100.
  package func prepareEffect(intensityPercent: Int) throws(SystemError) {
    dropEffect()
    guard let best = ff_effect(bestOf: device, intensityPercent: intensityPercent) else { return }
    if let writeError { throw writeError }
    effect = try HapticEffect(best, to: descriptor, node: node)
  }

  package func dropEffect() { effect = nil }

  /// Plays the effect, if there is one; only the first error is logged.
  package func pulse() { effect?.play(node: node) }

  // MARK: - Initial state

  /// Events that describe the initial state of the device.
  ///
  /// They contain empty slots, too: later contacts start with the values of their slots.
  package var stateEvents: [InputEvent] {
    var events: [InputEvent] = []
    func add(_ code: EventCode, _ value: Int32) {
      events.append(InputEvent(time: openedAt, code: code, value: value))
    }
    for slot in 0..<max(libevdev_get_num_slots(device), 0) {
      add(.slot, slot)
      for code in EvdevDevice.slotCodes where has(code) {
        add(code, libevdev_get_slot_value(device, UInt32(slot), UInt32(code.code)))
      }
    }
    if has(.slot) { add(.slot, libevdev_get_current_slot(device)) }
    for code in EvdevDevice.plainCodes where has(code) {
      add(code, libevdev_get_event_value(device, UInt32(code.type), UInt32(code.code)))
    }
    add(.report, 0)
    return events
  }

  private static let slotCodes: [EventCode] = [
    .positionX, .positionY, .toolType, .pressure, .distance, .touchMajor, .touchMinor, .widthMajor,
    .orientation, .trackingID,
  ]

  private static let plainCodes: [EventCode] = [
    .x, .y, .singlePressure, .toolFinger, .toolDoubleTap, .toolTripleTap, .toolQuadTap,
    .toolQuintTap, .touch, .leftButton,
  ]

  private func has(_ code: EventCode) -> Bool {
    libevdev_has_event_code(device, UInt32(code.type), UInt32(code.code)) == 1
  }

  // MARK: - Exclusive access (EVIOCGRAB)

  /// Whether the device has contacts or pressed keys in the kernel's present state, which includes unread events.
  ///
  /// Afterwards events may be queued for which the descriptor will not become ready; check `hasMore`.
  package func isTouched() -> Bool {
    // EVIOCGKEY removes key events from the kernel's queue.
    readAhead()
    let isAnyKeyDown = isAnyKeyDown()
    return isAnySlotInUse || isAnyKeyDown
  }

  /// Grabs the device and returns true, unless something touches it; `EBUSY` if another program has grabbed it.
  ///
  /// The state is checked again after the grab: the desktop may have received the start of a touch in between.
  package func grab() throws(SystemError) -> Bool {
    guard !isTouched() else { return false }
    try SystemError.check(libevdev_grab(device, LIBEVDEV_GRAB), "grab \(node)")
    guard isTouched() else { return true }
    ungrab()
    return false
  }

  /// Releases the grab; has no effect if the device is removed.
  package func ungrab() { libevdev_grab(device, LIBEVDEV_UNGRAB) }

  private var isAnySlotInUse: Bool {
    let count = Int(libevdev_get_num_slots(device))
    guard count > 0 else { return false }
    var values = [Int32](repeating: -1, count: 1 + count)
    values[0] = Int32(EventCode.trackingID.code)
    let result = pressured_slot_values(descriptor, &values, values.count * 4)
    return result >= 0 && values.dropFirst().contains { $0 >= 0 }
  }

  /// Whether a key or button is pressed, such as one in the middle of a click.
  private func isAnyKeyDown() -> Bool {
    var bits = [UInt8](repeating: 0, count: Int(KEY_CNT) / 8)
    guard pressured_keys(descriptor, &bits, bits.count) >= 0 else { return false }
    let isChanged = (0..<Int(KEY_CNT)).contains { code in
      let isDown = bits[code / 8] >> (code % 8) & 1 == 1
      let (type, code) = (UInt32(EV_KEY), UInt32(code))
      return libevdev_has_event_code(device, type, code) == 1
        && isDown != (libevdev_get_event_value(device, type, code) != 0)
    }
    // Key events that arrived after the queue was read are lost; libevdev restores the difference.
    if isChanged { stream.resynchronize() }
    return bits.contains { $0 != 0 }
  }
}

extension DeviceDescription {
  /// The DMI modalias of this machine, which quirks for built-in devices match.
  private static let hostModalias = InputFile.line("/sys/class/dmi/id/modalias")

  package init(libevdev device: OpaquePointer) {
    self.init()
    name = String(cString: libevdev_get_name(device))
    physicalPath = libevdev_get_phys(device).map { String(cString: $0) } ?? ""
    uniqueID = libevdev_get_uniq(device).map { String(cString: $0) } ?? ""
    bus = UInt16(truncatingIfNeeded: libevdev_get_id_bustype(device))
    vendor = UInt16(truncatingIfNeeded: libevdev_get_id_vendor(device))
    product = UInt16(truncatingIfNeeded: libevdev_get_id_product(device))
    version = UInt16(truncatingIfNeeded: libevdev_get_id_version(device))
    properties = Set(
      (0..<UInt16(INPUT_PROP_CNT)).filter { libevdev_has_property(device, UInt32($0)) == 1 })
    func codes(_ type: Int32, below count: some BinaryInteger) -> [UInt16] {
      (0..<UInt16(count)).filter { libevdev_has_event_code(device, UInt32(type), UInt32($0)) == 1 }
    }
    keys = Set(codes(EV_KEY, below: KEY_CNT))
    effects = Set(codes(EV_FF, below: FF_CNT))
    for code in 0..<UInt16(ABS_CNT) {
      guard let info = libevdev_get_abs_info(device, UInt32(code))?.pointee else { continue }
      axes[code] = Axis(minimum: info.minimum, maximum: info.maximum, resolution: info.resolution)
      filter(code, fuzz: info.fuzz, flat: info.flat)
    }
    dmiModalias = DeviceDescription.hostModalias
    currentSlot = max(libevdev_get_current_slot(device), 0)
  }
}

extension InputEvent {
  package init(_ event: input_event) {
    let time = Timestamp(
      microseconds: Int64(event.time.tv_sec) &* 1_000_000 &+ Int64(event.time.tv_usec))
    self.init(time: time, code: EventCode(type: event.type, code: event.code), value: event.value)
  }
}
