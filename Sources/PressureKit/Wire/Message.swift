/// The lines of the protocol, one for each thing that the engine can say.
///
/// The names and the order of the fields are protocol 1's; readers may depend on them.
extension JSONLines {
  /// Adds the line of one event.
  ///
  /// - Parameters:
  ///   - event: what the engine said.
  ///   - contacts: those of the buffer that the event came in.
  ///   - device: where it happened.
  public mutating func append(_ event: Event, contacts: [Contact], device: Device) {
    switch event.kind {
    case .contact(let contact):
      head("contact", event.time, device.id)
      fields(of: contact, at: event.time)
    case .weight(let report):
      head("weight", event.time, device.id)
      fields(of: report, contacts: contacts)
    case .maximumForce(let contact, let state, let target):
      head("max_force", event.time, device.id)
      fields(of: contact, state)
      append(target)
    case .scale(let reading, isNews: _):
      head("scale", event.time, device.id)
      append(",")
      fields(of: reading)
    case .heaviest(let contact, let previous):
      head("heaviest", event.time, device.id)
      fields(ofHeaviest: contact, previous: previous)
    case .press(let press):
      head("press", event.time, device.id)
      fields(of: press)
    case .action(let action):
      return append(action, by: .press, on: device.id, at: event.time)
    case .capability:
      head("device", event.time, device.id)
      fields(of: device, .changed)
    }
    append("}\n")
  }

  /// Adds what somebody who joins late is told of a contact that is down.
  public mutating func append(present contact: Contact, device: Device, at time: Timestamp) {
    head("contact", time, device.id)
    fields(of: contact.asBegun, at: time, isPresent: true)
    append("}\n")
  }

  /// Begins a line that carries a time and a device.
  mutating func head(_ name: StaticString, _ time: Timestamp, _ device: DeviceID) {
    append("{\"event\":\"")
    append(name)
    append("\",\"time\":")
    append(time.microseconds)
    append(",\"device\":\"")
    // A device's name is made of letters, digits and a few marks alone.
    append(plain: device.text)
    append("\"")
  }
}

// MARK: - The fields of each line

extension JSONLines {
  private mutating func fields(of contact: Contact, at time: Timestamp, isPresent: Bool = false) {
    name(contact)
    append(",\"phase\":\"")
    append(phase: contact.phase)
    append("\"")
    if isPresent { append(",\"present\":true") }
    place(contact.location)
    if contact.phase == .ended || contact.phase == .cancelled {
      end(of: contact, at: time)
    }
  }

  private mutating func end(of contact: Contact, at time: Timestamp) {
    append(",\"peak_force\":")
    append(contact.peakForce, decimals: 3)
    append(",\"peak_grams\":")
    append(contact.peakWeight)
    append(",\"duration\":")
    append(time.microseconds &- contact.beganAt.microseconds)
  }

  private mutating func fields(of report: WeightReport, contacts: [Contact]) {
    append(",\"contacts\":[")
    for index in report.contacts {
      if index > report.contacts.lowerBound { append(",") }
      append(pressing: contacts[index])
    }
    append("],\"total_grams\":")
    append(report.total)
    append(",\"center_x\":")
    append(report.center?.x, decimals: 4)
    append(",\"center_y\":")
    append(report.center?.y, decimals: 4)
    append(",\"heaviest\":")
    append(report.heaviest)
    append(",\"shared_sensor\":")
    append(report.sharesSensor)
  }

  /// Adds a contact with all that is known of its pressure, as `weight` and `state` have it.
  public mutating func append(pressing contact: Contact) {
    append("{\"slot\":")
    append(Int64(contact.slot))
    append(",\"contact\":")
    append(Int64(contact.id.value))
    append(",\"phase\":\"")
    append(phase: contact.phase)
    append("\"")
    place(contact.location)
    append(",\"raw\":")
    if let raw = contact.raw { append(Int64(raw)) } else { append("null") }
    append(",\"ratio\":")
    append(contact.force.ratio, decimals: 3)
    append(",\"force\":")
    append(contact.force.value, decimals: 3)
    append(",\"maximum_possible_force\":")
    append(contact.force.maximumPossible, decimals: 3)
    append(",\"grams\":")
    append(contact.weight)
    append(",\"saturated\":")
    append(contact.isSaturated)
    if let major = contact.majorMillimetres {
      append(",\"major_mm\":")
      append(major, decimals: 2)
    }
    append("}")
  }

  private mutating func fields(of contact: Contact, _ state: MaximumForce.State) {
    switch state {
    case .reached: append(",\"state\":\"reached\"")
    case .released: append(",\"state\":\"released\"")
    }
    name(contact)
    press(of: contact)
    append(",\"saturated\":")
    append(contact.isSaturated)
    place(contact.location)
  }

  private mutating func fields(ofHeaviest contact: Contact?, previous: TrackingID?) {
    if let contact {
      name(contact)
      press(of: contact)
    } else {
      append(",\"slot\":null,\"contact\":null,\"force\":null,\"grams\":null")
    }
    append(",\"previous\":")
    append(previous)
  }
}

// MARK: - What several lines have in common

extension JSONLines {
  private mutating func name(_ contact: Contact) {
    append(",\"slot\":")
    append(Int64(contact.slot))
    append(",\"contact\":")
    append(Int64(contact.id.value))
  }

  private mutating func press(of contact: Contact) {
    append(",\"force\":")
    append(contact.force.value, decimals: 3)
    append(",\"grams\":")
    append(contact.weight)
  }

  mutating func place(_ location: Location) {
    append(",\"x\":")
    append(location.x, decimals: 4)
    append(",\"y\":")
    append(location.y, decimals: 4)
    guard let millimetres = location.millimetres else { return }
    append(",\"x_mm\":")
    append(millimetres.x, decimals: 2)
    append(",\"y_mm\":")
    append(millimetres.y, decimals: 2)
  }

  mutating func append(_ target: Target?) {
    append(",\"target\":")
    if let target { append(quoted: target.name) } else { append("null") }
    append(",\"target_x\":")
    append(target?.x, decimals: 4)
    append(",\"target_y\":")
    append(target?.y, decimals: 4)
  }

  /// A weight to 0.1 g, or null where there is none.
  public mutating func append(_ weight: Weight?) {
    append(weight?.grams, decimals: 1)
  }

  /// A contact's number, or null for nobody.
  public mutating func append(_ id: TrackingID?) {
    if let id { append(Int64(id.value)) } else { append("null") }
  }

  @inline(__always)
  mutating func append(_ number: Double?, decimals: Int) {
    if let number { append(number, decimals: decimals) } else { append("null") }
  }

  private mutating func append(phase: Contact.Phase) {
    switch phase {
    case .began: append("began")
    case .moved: append("moved")
    case .stationary: append("stationary")
    case .ended: append("ended")
    case .cancelled: append("cancelled")
    }
  }
}
