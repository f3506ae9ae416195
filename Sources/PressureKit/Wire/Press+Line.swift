/// The fields of a press, in the order of the protocol.
extension JSONLines {
  mutating func fields(of press: Press) {
    append(",\"state\":\"")
    append(state: press.state)
    append("\",\"contact\":")
    append(Int64(press.contact.id.value))
    append(",\"slot\":")
    append(Int64(press.contact.slot))
    place(press.contact.location)
    append(",\"fingers\":")
    append(Int64(press.fingers))
    append(",\"stage\":")
    append(quoted: press.stage)
    append(",\"progress\":")
    append(press.progress, decimals: 3)
    append(",\"transition\":")
    append(press.transition, decimals: 3)
    force(of: press)
    append(press.target)
  }

  private mutating func force(of press: Press) {
    append(",\"force\":")
    append(press.force.value, decimals: 3)
    append(",\"ratio\":")
    append(press.force.ratio, decimals: 3)
    append(",\"grams\":")
    append(press.weight)
    append(",\"simulated\":")
    append(press.isSimulated)
  }

  private mutating func append(state: Press.State) {
    switch state {
    case .started: append("started")
    case .changed: append("changed")
    case .fixed: append("fixed")
    case .ended: append("ended")
    case .cancelled: append("cancelled")
    }
  }
}
