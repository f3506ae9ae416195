public import PressureKit

/// The lines of the protocol, one for each kind of event that the engine emits.
///
/// The names and the order of the fields are part of protocol 1; clients may depend on them.
extension JSONLinesWriter {
  /// Appends the line of one event.
  ///
  /// - Parameters:
  ///   - event: The event that the engine emitted.
  ///   - id: The device that the event belongs to.
  ///   - device: The description of that device; evaluated only for a `device` line.
  public mutating func append(_ event: Event, of id: DeviceID, device: @autoclosure () -> Device) {
    switch event.kind {
    case .contact(let contact):
      beginLine("contact", event.time, id)
      appendFields(of: contact, at: event.time)
    case .weight(let report):
      beginLine("weight", event.time, id)
      appendFields(of: report)
    case .maximumForce(let contact, let state, let target):
      beginLine("max_force", event.time, id)
      appendFields(of: contact, state)
      append(target)
    case .scale(let reading, isNewStable: _):
      beginLine("scale", event.time, id)
      append(",")
      appendFields(of: reading)
    case .heaviest(let contact, let previous):
      beginLine("heaviest", event.time, id)
      appendFields(ofHeaviest: contact, previous: previous)
    case .press(let press):
      beginLine("press", event.time, id)
      appendFields(of: press)
    case .action(let action):
      return append(action, by: .press, on: id, at: event.time)
    case .capability:
      return append(device(), .changed, at: event.time)
    }
    append("}\n")
  }

  /// Appends the line of a contact that was down before the client subscribed.
  package mutating func append(present contact: Contact, device: Device, at time: Timestamp) {
    beginLine("contact", time, device.id)
    appendFields(of: contact.with(.began), at: time, isPresent: true)
    append("}\n")
  }

  /// Appends the line of what began before the client connected and has not ended.
  package mutating func append(present event: Event, device: Device) {
    append(event, of: device.id, device: device)
    guard event.name == .press || event.name == .maximumForce else { return }
    reopen()
    append(",\"present\":true}\n")
  }

  package mutating func beginLine(_ name: StaticString, _ time: Timestamp, _ device: DeviceID) {
    write { cursor in
      cursor.put("{\"event\":\"")
      cursor.put(name)
      cursor.put("\",\"time\":", time.microseconds)
      cursor.put(",\"device\":\"")
    }
    // The ID of a device consists of letters, digits and hyphens, which need no escape.
    append(plain: device.text)
    append("\"")
  }

  // MARK: - Fields of one kind of line

  private mutating func appendFields(
    of contact: Contact, at time: Timestamp, isPresent: Bool = false
  ) {
    write { cursor in
      cursor.name(contact)
      cursor.put(contact.phase)
      if isPresent { cursor.put(",\"present\":true") }
      cursor.put(contact.location)
      guard contact.phase == .ended || contact.phase == .cancelled else { return }
      let isUnknown = contact.raw == nil && contact.peakForce == 0
      cursor.put(",\"peak_force\":", isUnknown ? nil : contact.peakForce, decimals: 3)
      cursor.put(",\"peak_grams\":", contact.peakWeight)
      cursor.put(",\"duration\":", time.microseconds &- contact.beganAt.microseconds)
    }
  }

  private mutating func appendFields(of report: WeightReport) {
    append(",\"contacts\":[")
    let contacts = report.contacts.span
    var maximum = RepeatedNumber()
    for index in contacts.indices {
      if index > 0 { append(",") }
      put(pressing: contacts[index], maximum: &maximum)
    }
    write { cursor in
      cursor.put("],\"total_grams\":", report.total)
      cursor.put(",\"center_x\":", report.center?.x, decimals: 4)
      cursor.put(",\"center_y\":", report.center?.y, decimals: 4)
      cursor.put(",\"heaviest\":", report.heaviest)
      cursor.put(",\"shared_sensor\":")
      cursor.put(report.sharesSensor)
    }
  }

  /// Appends a contact with its pressure, as in `weight` lines and in the reply to `state`.
  package mutating func append(pressing contact: Contact) {
    var maximum = RepeatedNumber()
    put(pressing: contact, maximum: &maximum)
  }

  /// Appends a contact; inlined, so that it is read in place.
  ///
  /// The maximum force is usually that of the contact before.
  @inline(__always)
  private mutating func put(pressing contact: Contact, maximum: inout RepeatedNumber) {
    var cursor = beginWrite()
    cursor.put("{\"slot\":", Int64(contact.slot))
    cursor.put(",\"contact\":", Int64(contact.id.value))
    cursor.put(contact.phase)
    cursor.put(contact.location)
    if let raw = contact.raw {
      cursor.put(",\"raw\":", Int64(raw))
      cursor.put(",\"ratio\":", contact.force.ratio, decimals: 3)
      cursor.put(",\"force\":", contact.force.value, decimals: 3)
    } else {
      cursor.put(",\"raw\":null,\"ratio\":null,\"force\":null")
    }
    cursor.put(
      ",\"maximum_possible_force\":", contact.force.maximumPossible, decimals: 3,
      repeating: &maximum)
    cursor.put(",\"grams\":", contact.weight)
    if contact.isSaturated {
      cursor.put(",\"saturated\":true")
    } else {
      cursor.put(",\"saturated\":false")
    }
    guard contact.shape.isEmpty else {
      endWrite(cursor)
      return end(contact.shape)
    }
    cursor.put("}")
    endWrite(cursor)
  }

  @inline(never)
  private mutating func end(_ shape: ContactShape) {
    write { cursor in
      if let major = shape.major { cursor.put(",\"major_mm\":", major, decimals: 2) }
      if let minor = shape.minor { cursor.put(",\"minor_mm\":", minor, decimals: 2) }
      if let width = shape.width { cursor.put(",\"width_mm\":", width, decimals: 2) }
      if let angle = shape.angle { cursor.put(",\"angle\":", angle, decimals: 1) }
      cursor.put("}")
    }
  }

  private mutating func appendFields(of contact: Contact, _ state: MaximumForce.State) {
    append(",\"state\":", quoted: state.rawValue)
    write { cursor in
      cursor.name(contact)
      cursor.press(of: contact)
      cursor.put(",\"saturated\":")
      cursor.put(contact.isSaturated)
      cursor.put(contact.location)
    }
  }

  private mutating func appendFields(ofHeaviest contact: Contact?, previous: TrackingID?) {
    write { cursor in
      if let contact {
        cursor.name(contact)
        cursor.press(of: contact)
      } else {
        cursor.put(",\"slot\":null,\"contact\":null,\"force\":null,\"grams\":null")
      }
      cursor.put(",\"previous\":", previous)
    }
  }

  package mutating func appendFields(of press: Press) {
    append(",\"state\":\"")
    append(plain: press.state.rawValue)
    write { cursor in
      cursor.put("\",\"contact\":", Int64(press.contact.id.value))
      cursor.put(",\"slot\":", Int64(press.contact.slot))
      cursor.put(press.contact.location)
      cursor.put(",\"fingers\":", Int64(press.fingers))
      cursor.put(",\"stage\":")
    }
    append(quoted: press.stage)
    if press.entersStage {
      append(",\"entered\":", quoted: press.stage)
    }
    write { cursor in
      cursor.put(",\"progress\":", press.progress, decimals: 3)
      cursor.put(",\"transition\":", press.transition, decimals: 3)
      let isUnknown = press.contact.raw == nil && !press.isSimulated
      cursor.put(",\"force\":", isUnknown ? nil : press.force.value, decimals: 3)
      cursor.put(",\"ratio\":", isUnknown ? nil : press.force.ratio, decimals: 3)
      cursor.put(",\"grams\":", press.weight)
      cursor.put(",\"simulated\":")
      cursor.put(press.isSimulated)
      if let hasClicked = press.hasClicked {
        cursor.put(",\"clicked\":")
        cursor.put(hasClicked)
      }
    }
    append(press.target)
  }

  // MARK: - Fields of several kinds of lines

  package mutating func append(_ target: Target?) {
    append(",\"target\":", quoted: target?.name)
    write { cursor in
      cursor.put(",\"target_x\":", target?.x, decimals: 4)
      cursor.put(",\"target_y\":", target?.y, decimals: 4)
    }
    guard let target else { return }
    append(",\"region\":", quoted: target.name)
  }

  package mutating func append(_ id: TrackingID?) { write { $0.put("", id) } }
}

extension ByteCursor {
  fileprivate mutating func name(_ contact: Contact) {
    put(",\"slot\":", Int64(contact.slot))
    put(",\"contact\":", Int64(contact.id.value))
  }

  fileprivate mutating func press(of contact: Contact) {
    put(",\"force\":", contact.raw == nil ? nil : contact.force.value, decimals: 3)
    put(",\"grams\":", contact.weight)
  }

  @inline(__always)
  package mutating func put(_ location: Location) {
    put(",\"x\":", location.x, decimals: 4)
    put(",\"y\":", location.y, decimals: 4)
    guard let millimeters = location.millimeters else { return }
    put(",\"x_mm\":", millimeters.x, decimals: 2)
    put(",\"y_mm\":", millimeters.y, decimals: 2)
  }

  @inline(__always)
  package mutating func put(_ name: StaticString, _ weight: Weight?) {
    put(name, weight?.grams, decimals: 1)
  }

  fileprivate mutating func put(_ name: StaticString, _ id: TrackingID?) {
    if let id {
      put(name, Int64(id.value))
    } else {
      put(name)
      put("null")
    }
  }

  /// Writes the field with the raw value of a phase.
  ///
  /// A switch over literals, because this runs for each contact of each frame: copying `phase.rawValue` is slower.
  @inline(__always)
  fileprivate mutating func put(_ phase: Contact.Phase) {
    switch phase {
    case .began: put(",\"phase\":\"began\"")
    case .moved: put(",\"phase\":\"moved\"")
    case .stationary: put(",\"phase\":\"stationary\"")
    case .ended: put(",\"phase\":\"ended\"")
    case .cancelled: put(",\"phase\":\"cancelled\"")
    }
  }
}
