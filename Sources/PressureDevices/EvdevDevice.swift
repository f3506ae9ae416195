package import CEvdev
internal import Glibc
package import PressureKit
package import PressureSystem

/// A touch device of the kernel, open for reading, and for writing where it is to let the finger feel
/// something.
package final class EvdevDevice {
  /// What `next` has found.
  package enum Step {
    /// A value.
    case event(InputEvent)
    /// Nothing for now.
    case empty
    /// The device is gone, or the right to read it was taken away.
    case gone
  }

  package let node: String
  package let description: DeviceDescription

  /// Before the first event that can follow the device's state as it was found.
  package let openedAt: Timestamp

  /// Whether `next` gives the differences that events have made which were lost.
  @exclusivity(unchecked) package private(set) var isResynchronizing = false

  /// Whether libevdev is still to be told to look for differences.
  private var mustResynchronize = false

  @exclusivity(unchecked) private var ahead = EventsAhead()
  private let file: Descriptor
  package let device: OpaquePointer

  /// How often the kernel's queue has run over, which libevdev makes good.
  ///
  /// The corresponding kernel constant is `SYN_DROPPED`.
  package private(set) var lossCount = 0

  /// Whether it was asked for, to open it for writing, too.
  package let isWritten: Bool

  /// Why it cannot be written to, where that was asked for.
  private var writingFault: SystemError?
  private var effect: HapticEffect?

  /// Opens a node and asks what it is.
  ///
  /// - Parameters:
  ///   - node: its path.
  ///   - isWritten: whether to open it for writing, too, if that is permitted.
  /// - Throws: why it cannot be opened; whether it is a touch device is the surface's to say.
  package init(node: String, isWritten: Bool = false) throws(SystemError) {
    self.node = node
    self.isWritten = isWritten
    openedAt = .now
    let manner = O_NONBLOCK | O_CLOEXEC
    var number = isWritten ? open(node, O_RDWR | manner) : -1
    if isWritten, number < 0 {
      writingFault = SystemError(attempt: "open \(node) for writing", number: errno)
    }
    if number < 0 {
      number = try SystemError.checkErrno(open(node, O_RDONLY | manner), "open \(node)")
    }
    file = Descriptor(number)
    libevdev_set_log_priority(LIBEVDEV_LOG_ERROR)
    var device: OpaquePointer?
    try SystemError.check(libevdev_new_from_fd(file.number, &device), "ask \(node) what it is")
    guard let device else { throw SystemError(attempt: "ask \(node) what it is", number: ENOMEM) }
    self.device = device
    // A clock that is changed later makes the kernel drop what is queued.
    libevdev_set_clock_id(device, CLOCK_MONOTONIC)
    description = DeviceDescription(libevdev: device)
  }

  /// Opens a node, as a device that may turn out to be none of ours.
  package convenience init(opening node: String, isWritten: Bool = false) throws(DeviceError) {
    do throws(SystemError) {
      try self.init(node: node, isWritten: isWritten)
    } catch {
      throw .unreadable(error)
    }
  }

  deinit {
    // While the descriptor is open still.
    effect = nil
    libevdev_free(device)
  }

  package var descriptor: Int32 { file.number }

  /// The next value, if there is one.
  package func next() -> Step {
    guard ahead.isEmpty else { return ahead.next().map(Step.event) ?? .empty }
    return take()
  }

  /// Takes what there is out of the kernel's queue, for `next` to give later.
  package func readAhead() {
    while !ahead.isFull, case .event(let event) = take() { ahead.append(event) }
  }

  /// Whether `next` has something that does not wake the loop any more.
  package var hasMore: Bool { !ahead.isEmpty || mustResynchronize }

  /// Makes `next` give the differences between what it has given and what the kernel knows now.
  func resynchronize() {
    mustResynchronize = true
  }

  /// When that happened which `next` gives without waking the loop any more, or nil where it has nothing.
  package var aheadTime: Timestamp? { ahead.time }

  /// The next value of the kernel's, if there is one.
  ///
  /// BLOCKING on a descriptor that does not block makes libevdev read only when its queue is empty.
  private func take() -> Step {
    while true {
      var event = input_event()
      let flags =
        isResynchronizing
        ? LIBEVDEV_READ_FLAG_SYNC.rawValue
        : mustResynchronize ? LIBEVDEV_READ_FLAG_FORCE_SYNC.rawValue : EvdevDevice.readFlags
      switch libevdev_next_event(device, flags, &event) {
      case Int32(LIBEVDEV_READ_STATUS_SUCCESS.rawValue):
        return .event(InputEvent(event))
      case Int32(LIBEVDEV_READ_STATUS_SYNC.rawValue):
        // The part frame before the loss was ours already; the differences follow from there.
        if isResynchronizing { return .event(InputEvent(event)) }
        isResynchronizing = true
        if mustResynchronize { mustResynchronize = false } else { lossCount += 1 }
      case -EAGAIN where isResynchronizing: isResynchronizing = false
      case -EAGAIN, -EINTR: return .empty
      default: return .gone
      }
    }
  }

  private static let readFlags =
    LIBEVDEV_READ_FLAG_NORMAL.rawValue | LIBEVDEV_READ_FLAG_BLOCKING.rawValue
}

// MARK: - What the finger feels

extension EvdevDevice {
  /// Whether it has something to let the finger feel.
  package var hasEffect: Bool { effect != nil }

  /// Gives the device the best effect that it can play, if it can play any, in the place of another.
  ///
  /// - Parameter intensityPercent: how strong it is, 0…100.
  /// - Throws: why the device, which could play one, stays without.
  package func prepareEffect(intensityPercent: Int) throws(SystemError) {
    dropEffect()
    guard let pulse = Pulse(libevdev: device) else { return }
    if let writingFault { throw writingFault }
    effect = try HapticEffect(
      pulse.effect(intensityPercent: intensityPercent), to: descriptor, node: node)
  }

  /// Takes the effect back.
  package func dropEffect() {
    effect = nil
  }

  /// Plays the effect, if there is one; a fault is said once.
  package func pulse() {
    guard let fault = effect?.play(node: node) else { return }
    Log.warning(fault.sentence)
  }
}

// MARK: - The state as it was found

extension EvdevDevice {
  /// The state in which the device was found, as if it were being sent now.
  ///
  /// All slots are told, the empty ones too: their values hold for the contacts to come.
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
    .toolQuintTap, .touch,
  ]

  private func has(_ code: EventCode) -> Bool {
    libevdev_has_event_code(device, UInt32(code.type), UInt32(code.code)) == 1
  }
}

extension InputEvent {
  /// What the kernel has written.
  package init(_ event: input_event) {
    let time = Timestamp(
      microseconds: Int64(event.time.tv_sec) &* 1_000_000 &+ Int64(event.time.tv_usec))
    self.init(
      time: time, code: EventCode(type: event.type, code: event.code), value: event.value)
  }
}

extension Timestamp {
  /// The present, on the clock that stamps events.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Timestamp(
      microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}

/// Keeping a device's touches from everybody else.
extension EvdevDevice {
  /// Whether something touches it or is held down, as the kernel knows now: what is not read yet counts.
  ///
  /// Events may be waiting afterwards that do not wake the loop; `hasMore` says so.
  package func isTouched() -> Bool {
    // The kernel takes keys out of our queue when it is asked for them.
    readAhead()
    let isAnyKeyDown = isAnyKeyDown()
    return isAnySlotTaken || isAnyKeyDown
  }

  /// Takes the device for us alone, if nothing touches it.
  ///
  /// The kernel is asked afterwards: of what touches it then, the desktop may have seen the beginning.
  ///
  /// - Returns: false where something touches it; the device is everybody's then.
  /// - Throws: why the kernel refuses, with `EBUSY` where another program has it.
  package func grab() throws(SystemError) -> Bool {
    guard !isTouched() else { return false }
    try SystemError.check(libevdev_grab(device, LIBEVDEV_GRAB), "grab \(node)")
    guard isTouched() else { return true }
    ungrab()
    return false
  }

  /// Gives the device back to everybody; one that is gone is nobody's anyway.
  package func ungrab() {
    libevdev_grab(device, LIBEVDEV_UNGRAB)
  }

  private var isAnySlotTaken: Bool {
    let count = Int(libevdev_get_num_slots(device))
    guard count > 0 else { return false }
    var values = [Int32](repeating: -1, count: 1 + count)
    values[0] = Int32(EventCode.trackingID.code)
    let result = pressured_slot_values(descriptor, &values, values.count * 4)
    return result >= 0 && values.dropFirst().contains { $0 >= 0 }
  }

  /// A button that is held is half a click.
  private func isAnyKeyDown() -> Bool {
    var bits = [UInt8](repeating: 0, count: Int(KEY_CNT) / 8)
    guard pressured_keys(descriptor, &bits, bits.count) >= 0 else { return false }
    let isChanged = (0..<Int(KEY_CNT)).contains { code in
      let isDown = bits[code / 8] >> (code % 8) & 1 == 1
      let (type, code) = (UInt32(EV_KEY), UInt32(code))
      return libevdev_has_event_code(device, type, code) == 1
        && isDown != (libevdev_get_event_value(device, type, code) != 0)
    }
    // What came after the queue was read is lost; libevdev finds out what has changed.
    if isChanged { resynchronize() }
    return bits.contains { $0 != 0 }
  }
}

/// Whose a device's touches are.
///
///              on, and nothing touches it        off, or the client goes
///      free ──────────────────────────────▶ held ────────────────────────▶ ending
///       ▲                                    ▲                               │  │
///       │                                    └──────────────on───────────────┘  │
///       └───────────────────────────────────────────────nothing touches it──────┘
///
/// It begins and ends with a bare surface alone: the desktop that saw a touch begin and not end would
/// hold it for ever.
package enum Grab: Hashable {
  /// Everybody's who reads the device.
  case free
  /// A client's, by its number.
  case held(by: Int)
  /// Nobody's any more, but something still touches the surface.
  case ending
}
