public import PressureKit

/// The lines of the protocol, one for each thing that the engine can say.
///
/// The names and the order of the fields are protocol 1's; readers may depend on them.
extension JSONLinesWriter {
  /// Adds the line of one event.
  ///
  /// - Parameters:
  ///   - event: what the engine said.
  ///   - contacts: those of the buffer that the event came in.
  ///   - id: where it happened.
  ///   - device: what that is, asked for only where the line says it.
  public mutating func append(
    _ event: Event, contacts: [Contact], of id: DeviceID, device: @autoclosure () -> Device
  ) {
    switch event.kind {
    case .contact(let contact):
      head("contact", event.time, id)
      fields(of: contact, at: event.time)
    case .weight(let report):
      head("weight", event.time, id)
      fields(of: report, contacts: contacts)
    case .maximumForce(let contact, let state, let target):
      head("max_force", event.time, id)
      fields(of: contact, state)
      append(target)
    case .scale(let reading, isNewStable: _):
      head("scale", event.time, id)
      append(",")
      fields(of: reading)
    case .heaviest(let contact, let previous):
      head("heaviest", event.time, id)
      fields(ofHeaviest: contact, previous: previous)
    case .press(let press):
      head("press", event.time, id)
      fields(of: press)
    case .action(let action):
      return append(action, by: .press, on: id, at: event.time)
    case .capability:
      head("device", event.time, id)
      fields(of: device(), .changed)
    }
    append("}\n")
  }

  /// Adds what somebody who joins late is told of a contact that is down.
  public mutating func append(present contact: Contact, device: Device, at time: Timestamp) {
    head("contact", time, device.id)
    fields(of: contact.asBegun, at: time, isPresent: true)
    append("}\n")
  }

  /// Adds what somebody who joins late is told of a scale.
  public mutating func append(present reading: ScaleReading, device: Device, at time: Timestamp) {
    head("scale", time, device.id)
    append(",")
    fields(of: reading)
    append("}\n")
  }

  /// Begins a line that carries a time and a device.
  package mutating func head(_ name: StaticString, _ time: Timestamp, _ device: DeviceID) {
    write { pen in
      pen.put("{\"event\":\"")
      pen.put(name)
      pen.put("\",\"time\":")
      pen.put(time.microseconds)
      pen.put(",\"device\":\"")
    }
    // A device's name is made of letters, digits and a few marks alone.
    append(plain: device.text)
    append("\"")
  }
}

// MARK: - The fields of each line

extension JSONLinesWriter {
  private mutating func fields(of contact: Contact, at time: Timestamp, isPresent: Bool = false) {
    write { pen in
      pen.name(contact)
      pen.put(",\"phase\":\"")
      pen.put(contact.phase)
      pen.put("\"")
      if isPresent { pen.put(",\"present\":true") }
      pen.put(contact.location)
      if contact.phase == .ended || contact.phase == .cancelled { pen.end(of: contact, at: time) }
    }
  }

  private mutating func fields(of report: WeightReport, contacts: [Contact]) {
    append(",\"contacts\":[")
    for index in report.contacts {
      if index > report.contacts.lowerBound { append(",") }
      append(pressing: contacts[index])
    }
    write { pen in
      pen.put("],\"total_grams\":")
      pen.put(report.total)
      pen.put(",\"center_x\":")
      pen.put(report.center?.x, decimals: 4)
      pen.put(",\"center_y\":")
      pen.put(report.center?.y, decimals: 4)
      pen.put(",\"heaviest\":")
      pen.put(report.heaviest)
      pen.put(",\"shared_sensor\":")
      pen.put(report.sharesSensor)
    }
  }

  /// Adds a contact with all that is known of its pressure, as `weight` and `state` have it.
  public mutating func append(pressing contact: Contact) {
    let hasNoShape = contact.shape.isEmpty
    write { pen in
      pen.put("{\"slot\":")
      pen.put(Int64(contact.slot))
      pen.put(",\"contact\":")
      pen.put(Int64(contact.id.value))
      pen.put(",\"phase\":\"")
      pen.put(contact.phase)
      pen.put("\"")
      pen.put(contact.location)
      pen.put(",\"raw\":")
      if let raw = contact.raw { pen.put(Int64(raw)) } else { pen.put("null") }
      pen.put(",\"ratio\":")
      pen.put(contact.force.ratio, decimals: 3)
      pen.put(",\"force\":")
      pen.put(contact.force.value, decimals: 3)
      pen.put(",\"maximum_possible_force\":")
      pen.put(contact.force.maximumPossible, decimals: 3)
      pen.put(",\"grams\":")
      pen.put(contact.weight)
      pen.put(",\"saturated\":")
      pen.put(contact.isSaturated)
      if hasNoShape { pen.put("}") }
    }
    if !hasNoShape { end(contact.shape) }
  }

  @inline(never)
  private mutating func end(_ shape: ContactShape) {
    write { pen in
      if let major = shape.major {
        pen.put(",\"major_mm\":")
        pen.put(major, decimals: 2)
      }
      if let minor = shape.minor {
        pen.put(",\"minor_mm\":")
        pen.put(minor, decimals: 2)
      }
      if let width = shape.width {
        pen.put(",\"width_mm\":")
        pen.put(width, decimals: 2)
      }
      if let angle = shape.angle {
        pen.put(",\"angle\":")
        pen.put(angle, decimals: 1)
      }
      pen.put("}")
    }
  }

  private mutating func fields(of contact: Contact, _ state: MaximumForce.State) {
    write { pen in
      switch state {
      case .reached: pen.put(",\"state\":\"reached\"")
      case .released: pen.put(",\"state\":\"released\"")
      }
      pen.name(contact)
      pen.press(of: contact)
      pen.put(",\"saturated\":")
      pen.put(contact.isSaturated)
      pen.put(contact.location)
    }
  }

  private mutating func fields(ofHeaviest contact: Contact?, previous: TrackingID?) {
    write { pen in
      if let contact {
        pen.name(contact)
        pen.press(of: contact)
      } else {
        pen.put(",\"slot\":null,\"contact\":null,\"force\":null,\"grams\":null")
      }
      pen.put(",\"previous\":")
      pen.put(previous)
    }
  }
}

// MARK: - What several lines have in common

extension JSONLinesWriter {
  package mutating func append(_ target: Target?) {
    append(",\"target\":")
    append(quoted: target?.name)
    write { pen in
      pen.put(",\"target_x\":")
      pen.put(target?.x, decimals: 4)
      pen.put(",\"target_y\":")
      pen.put(target?.y, decimals: 4)
    }
  }

  /// A weight to 0.1 g, or null where there is none.
  public mutating func append(_ weight: Weight?) {
    write { $0.put(weight) }
  }

  /// A contact's number, or null for nobody.
  public mutating func append(_ id: TrackingID?) {
    write { $0.put(id) }
  }
}

extension ByteCursor {
  fileprivate mutating func name(_ contact: Contact) {
    put(",\"slot\":")
    put(Int64(contact.slot))
    put(",\"contact\":")
    put(Int64(contact.id.value))
  }

  fileprivate mutating func press(of contact: Contact) {
    put(",\"force\":")
    put(contact.force.value, decimals: 3)
    put(",\"grams\":")
    put(contact.weight)
  }

  fileprivate mutating func end(of contact: Contact, at time: Timestamp) {
    put(",\"peak_force\":")
    put(contact.peakForce, decimals: 3)
    put(",\"peak_grams\":")
    put(contact.peakWeight)
    put(",\"duration\":")
    put(time.microseconds &- contact.beganAt.microseconds)
  }

  @inline(__always)
  package mutating func put(_ location: Location) {
    put(",\"x\":")
    put(location.x, decimals: 4)
    put(",\"y\":")
    put(location.y, decimals: 4)
    guard let millimeters = location.millimeters else { return }
    put(",\"x_mm\":")
    put(millimeters.x, decimals: 2)
    put(",\"y_mm\":")
    put(millimeters.y, decimals: 2)
  }

  @inline(__always)
  package mutating func put(_ weight: Weight?) {
    put(weight?.grams, decimals: 1)
  }

  fileprivate mutating func put(_ id: TrackingID?) {
    if let id { put(Int64(id.value)) } else { put("null") }
  }

  @inline(__always)
  fileprivate mutating func put(_ phase: Contact.Phase) {
    switch phase {
    case .began: put("began")
    case .moved: put("moved")
    case .stationary: put("stationary")
    case .ended: put("ended")
    case .cancelled: put("cancelled")
    }
  }
}

/// The fields of a press, in the order of the protocol.
extension JSONLinesWriter {
  package mutating func fields(of press: Press) {
    write { pen in
      pen.put(",\"state\":\"")
      pen.put(press.state)
      pen.put("\",\"contact\":")
      pen.put(Int64(press.contact.id.value))
      pen.put(",\"slot\":")
      pen.put(Int64(press.contact.slot))
      pen.put(press.contact.location)
      pen.put(",\"fingers\":")
      pen.put(Int64(press.fingers))
      pen.put(",\"stage\":")
    }
    append(quoted: press.stage)
    write { pen in
      pen.put(",\"progress\":")
      pen.put(press.progress, decimals: 3)
      pen.put(",\"transition\":")
      pen.put(press.transition, decimals: 3)
      pen.put(",\"force\":")
      pen.put(press.force.value, decimals: 3)
      pen.put(",\"ratio\":")
      pen.put(press.force.ratio, decimals: 3)
      pen.put(",\"grams\":")
      pen.put(press.weight)
      pen.put(",\"simulated\":")
      pen.put(press.isSimulated)
    }
    append(press.target)
  }
}

extension ByteCursor {
  fileprivate mutating func put(_ state: Press.State) {
    switch state {
    case .started: put("started")
    case .changed: put("changed")
    case .maximumReached: put("fixed")
    case .ended: put("ended")
    case .cancelled: put("cancelled")
    }
  }
}
