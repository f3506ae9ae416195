package import PressureKit

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
