internal import CEvdev
internal import PressureKit
internal import PressureSystem

/// A description, completed by the events.
struct Completion {
  var description: DeviceDescription
  var warnings: [String] = []

  /// What assigns slots to the contacts of protocol A; nil in protocol B.
  var slots: SlotAssignment?

  var initialEvents: [(code: EventCode, value: Int32)] = []
}

/// What the events of a recording show about their device, to complete a description that is missing or was cut.
struct ObservedDevice {
  /// The maximum number of slots; the kernel allows fewer.
  static let mostSlots: Int32 = 1024

  /// The corresponding kernel constant is `ABS_CNT`.
  private static let axisCount = 64

  private let described: DeviceDescription

  /// Whether the description is of another file, and so not to be completed.
  private let isGiven: Bool

  private var ranges = [ClosedRange<Int32>?](repeating: nil, count: axisCount)
  private var keys: Set<UInt16> = []
  private var hasMultitouchReport = false
  private var slots = ObservedSlots()
  private var contacts = ObservedContacts()

  init(_ described: DeviceDescription, isGiven: Bool) {
    self.described = described
    self.isGiven = isGiven
    slots.current = described.currentSlot
  }

  mutating func observe(_ event: InputEvent) {
    slots.observe(event)
    if described.axes[EventCode.slot.code] == nil { contacts.observe(event) }
    switch event.code.type {
    case EventCode.x.type: observe(event.value, of: Int(event.code.code))
    case EventCode.touch.type: keys.insert(event.code.code)
    default: if event.code == .multitouchReport { hasMultitouchReport = true }
    }
  }

  private mutating func observe(_ value: Int32, of code: Int) {
    guard code < ObservedDevice.axisCount else { return }
    let range = ranges[code] ?? value...value
    if range.contains(value), ranges[code] != nil { return }
    ranges[code] = min(range.lowerBound, value)...max(range.upperBound, value)
  }

  /// Whether the events so far agree with the description, so that the others need not be examined.
  var isComplete: Bool { isDescriptionComplete && (slots.hasContact || !isMultitouch) }

  var hasContact: Bool { isMultitouch || described.has(.slot) ? slots.hasContact : hasSingleTouch }

  /// Whether the description shows that the device is not supported, whatever the events are.
  var isUnsupported: Bool {
    switch described.problem {
    case .keyboard, .fakeSlots, .pen, .tooManySlots: true
    case nil, .noPosition, .incompleteSlots, .protocolA, .noTouch: false
    }
  }

  private var isDescriptionComplete: Bool {
    isGiven
      || missingAxes.isEmpty && missingKeys.isEmpty && (described.problem == nil || isUnsupported)
  }

  /// The axes of touches that events have and the description has not, which a driver never does.
  private var missingAxes: [UInt16] {
    observedAxes.filter { described.axes[$0] == nil && ObservedDevice.isOfTouches($0) }
  }

  /// The keys of a pen that events have and the description has not: of several lines of keys some may be lost.
  private var missingKeys: Set<UInt16> {
    guard let described = described.keys else { return [] }
    return keys.intersection([EventCode.toolPen, .stylus].map(\.code)).subtracting(described)
  }

  private var isProtocolA: Bool { hasMultitouchReport && ranges[Int(EventCode.slot.code)] == nil }

  private var observedAxes: [UInt16] {
    ranges.indices.filter { ranges[$0] != nil }.compactMap { UInt16(exactly: $0) }
  }

  private static func isOfTouches(_ code: UInt16) -> Bool {
    let code = EventCode.absolute(code)
    return [.x, .y, .singlePressure].contains(code) || code.isMultitouch
  }

  private static func isPressure(_ code: UInt16) -> Bool {
    [.pressure, .singlePressure].contains(EventCode.absolute(code))
  }

  /// Whether any event is of a slot or of a contact in protocol A.
  private var isMultitouch: Bool {
    observedAxes.contains { EventCode.absolute($0).isMultitouch }
  }

  // MARK: - Completion

  /// The completed description, with warnings about what was inferred; `error` is why not all events could be read, or nil.
  ///
  /// It throws that the events do not show which protocol the device uses, or `error` if they show no device.
  func completion(path: String, error: ExitError?) throws(ExitError) -> Completion {
    var completion = Completion(description: described)
    let isInferred = !isDescriptionComplete
    if isInferred { infer(&completion) }
    // What the events would show was not read.
    if let error, described.axes.isEmpty, completion.description.problem != nil, !isUnsupported {
      throw error
    }
    if !completion.description.has(.slot), !isProtocolA,
      completion.description.problem == .protocolA
    {
      throw .data(
        path,
        "the description has positions of contacts, but no ABS_MT_SLOT, and no event shows whether "
          + "the device has slots")
    }
    if isProtocolA { try assignSlots(&completion, path) }
    addInitialEvents(to: &completion, isInferred: isInferred)
    return completion
  }

  /// Has slots assigned to the contacts of protocol A if they have pressure.
  private func assignSlots(_ completion: inout Completion, _ path: String) throws(ExitError) {
    let description = completion.description
    guard description.has(.positionX), description.has(.positionY), description.has(.pressure),
      !description.has(.slot), contacts.hasAny
    else { return }
    guard contacts.isTracked else {
      throw .data(
        path,
        "the device uses multi-touch protocol A without tracking IDs, so that several contacts of a frame "
          + "cannot be distinguished")
    }
    let count = min(contacts.most, Int(ObservedDevice.mostSlots))
    completion.slots = SlotAssignment(slotCount: count, skipsFirst: contacts.isFirstCut)
    completion.description.axes[EventCode.slot.code] = Axis(minimum: 0, maximum: Int32(count) - 1)
    if !description.has(.trackingID) {
      completion.description.axes[EventCode.trackingID.code] = Axis(minimum: 0, maximum: 65535)
    }
    completion.warnings.append(
      "the device uses multi-touch protocol A"
        + (contacts.hasUnnamed
          ? ", with one contact at a time" : "; slots are assigned by tracking ID"))
    if contacts.isFirstCut {
      completion.warnings.append("the recording begins within a contact, which is not read")
    }
  }

  private func infer(_ completion: inout Completion) {
    var description = described
    if description.name.isEmpty { description.name = "unknown device" }
    for code in observedAxes where description.axes[code] == nil {
      guard let range = ranges[Int(code)] else { continue }
      // Drivers have 0 as the minimum of pressure; few recordings contain it.
      let least = ObservedDevice.isPressure(code) ? min(0, range.lowerBound) : range.lowerBound
      description.infer(code, Axis(minimum: least, maximum: range.upperBound))
    }
    inferSlots(&description)
    inferKeys(&description)
    let inferred = Set(description.axes.keys).subtracting(described.axes.keys)
    completion.description = description
    if described.axes.isEmpty, !inferred.isEmpty || !description.axes.isEmpty {
      completion.warnings.append(
        (described.name.isEmpty ? "no device description" : "the description has no axes")
          + "; axis ranges are inferred from the recorded values")
    } else if !inferred.isEmpty {
      completion.warnings.append(
        "the description is incomplete; inferred from the recorded values: \(names(of: inferred))")
    }
    if !missingKeys.isEmpty {
      completion.warnings.append("the description is incomplete: its keys lack those of the pen")
    }
    let flat = inferred.filter { (description.axes[$0]?.span ?? 0) <= 0 }
      .intersection([EventCode.x, .y, .positionX, .positionY].map(\.code))
    if !flat.isEmpty {
      completion.warnings.append(
        "no range is known of \(names(of: flat)), which never \(flat.count == 1 ? "changes" : "change"): "
          + "positions are null")
    }
  }

  private func names(of codes: Set<UInt16>) -> String {
    codes.sorted().map(name).joined(separator: ", ")
  }

  private func name(of code: UInt16) -> String {
    libevdev_event_code_get_name(UInt32(EventCode.x.type), UInt32(code))
      .map { String(cString: $0) } ?? "axis \(code)"
  }

  /// How the description from another file differs from what the recording states and has, as warnings.
  func contradictions(to recorded: DeviceDescription) -> [String] {
    let codes = Set(recorded.axes.keys).union(observedAxes).filter(ObservedDevice.isOfTouches)
    let differences = codes.sorted().compactMap { code -> String? in
      guard let given = described.axes[code] else { return "it lacks \(name(of: code))" }
      if let axis = recorded.axes[code] {
        return axis == given
          ? nil : "\(name(of: code)) is \(given.text) there and \(axis.text) in the recording"
      }
      // Some drivers report positions beyond their axes.
      guard ObservedDevice.isPressure(code), let range = ranges[Int(code)],
        range.upperBound > given.maximum
      else { return nil }
      return "\(name(of: code)) is \(given.text) there and reaches \(range.upperBound)"
    }
    return differences.isEmpty
      ? [] : ["the description may be of another device: \(differences.joined(separator: "; "))"]
  }

  /// Adds the slots up to the greatest one used, and positions and IDs that never changed.
  ///
  /// A recording of one finger may have no slot event at all.
  private func inferSlots(_ description: inout DeviceDescription) {
    if isMultitouch, !isProtocolA, described.axis(.slot) == nil {
      let used = ranges[Int(EventCode.slot.code)]?.upperBound ?? 0
      let greatest = min(max(used, 0), ObservedDevice.mostSlots - 1)
      description.infer(EventCode.slot.code, Axis(minimum: 0, maximum: greatest))
    }
    let needed: [EventCode] =
      description.has(.slot)
      ? [.positionX, .positionY, .trackingID]
      : isProtocolA ? [.positionX, .positionY] : hasSingleTouch ? [.x, .y] : []
    for code in needed where description.axes[code.code] == nil {
      description.infer(code.code, Axis(minimum: 0, maximum: 0))
    }
  }

  private var hasSingleTouch: Bool {
    ranges[Int(EventCode.singlePressure.code)] != nil || keys.contains(EventCode.touch.code)
  }

  /// Adds the keys; without BTN_TOUCH, which may not have changed, they are unknown.
  private func inferKeys(_ description: inout DeviceDescription) {
    if let known = described.keys { return description.keys = known.union(missingKeys) }
    guard !keys.isEmpty else { return }
    let isCut =
      !description.has(.slot) && description.has(.singlePressure)
      && keys.isDisjoint(with: [EventCode.touch.code, EventCode.toolPen.code])
    if !isCut { description.keys = keys }
  }

  /// Begins contacts that were down already, and marks values that are not known yet.
  private func addInitialEvents(to completion: inout Completion, isInferred: Bool) {
    let description = completion.description
    guard isInferred || !slots.hasContact, !isProtocolA else { return }
    guard let last = description.axis(.slot)?.maximum, last >= 0 else {
      // A value is sent only if it changes: the first touch may be where the one before the recording was.
      if description.has(.x) {
        completion.initialEvents = [.x, .y].map { ($0, .unknownValue) }
      }
      return
    }
    // A first frame that ends a contact in each slot is the state of an empty surface, as `pressured record` writes it.
    let isInitialState = !isInferred && last > 0 && slots.endedAtFirst.count == Int(last) + 1
    let before = isInitialState ? slots.down : slots.down.union(slots.endedAtFirst)
    let down = before.filter { (0...last).contains($0) }.sorted()
    var slots = slots
    let used = isInferred ? slots.used.union(down) : Set(down)
    for slot in used.sorted() where (0...last).contains(slot) {
      completion.initialEvents.append((.slot, slot))
      for code in [EventCode.positionX, .positionY, .pressure] where description.has(code) {
        completion.initialEvents.append((code, .unknownValue))
      }
      if down.contains(slot) { completion.initialEvents.append((.trackingID, slots.unusedID())) }
    }
    guard !completion.initialEvents.isEmpty else { return }
    completion.initialEvents.append((.slot, description.currentSlot))
    guard !down.isEmpty else { return }
    let list = down.map(String.init).joined(separator: ", ")
    completion.warnings.append(
      down.count == 1
        ? "the contact in slot \(list) was down already; its tracking ID is invented"
        : "the contacts in slots \(list) were down already; their tracking IDs are invented")
  }
}

extension Axis {
  fileprivate var text: String {
    "\(minimum) to \(maximum)" + (resolution > 0 ? " by \(resolution)" : "")
  }
}

extension DeviceDescription {
  /// Why the engine does not support the device; nil if it does.
  var problem: UnsupportedDeviceError? {
    do throws(UnsupportedDeviceError) {
      _ = try Surface(self)
      return nil
    } catch {
      return error
    }
  }

  /// Whether this is a touch device that the engine supports, or can be with slots.
  var isTouchCandidate: Bool { problem == nil || problem == .protocolA && has(.pressure) }

  fileprivate mutating func infer(_ code: UInt16, _ axis: Axis) {
    axes[code] = axis
    inferredAxes.insert(code)
  }
}
