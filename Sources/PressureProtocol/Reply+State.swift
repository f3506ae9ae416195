public import PressureKit

extension JSONLinesWriter {
  /// Adds what lies on a device, as the answer to `state` has it.
  public mutating func append(stateOf engine: borrowing Engine, device: Device) {
    append("{\"device\":")
    append(quoted: device.id.text)
    append(",\"contacts\":[")
    for (index, contact) in engine.contacts.enumerated() {
      if index > 0 { append(",") }
      append(pressing: contact.atRest)
    }
    append("],\"heaviest\":")
    append(engine.heaviestContact)
    append(",\"scale\":")
    append(engine.scale)
    append("}")
  }
}
