@testable import PressurePads

/// The socket of a pad's service: each request is performed with values in range or refused, and each reply can be read.
func fuzzPadReply(_ input: UnsafeBufferPointer<UInt8>) {
  let bytes = Array(input)
  hold(PadReply(line: bytes))
  do throws(PadError) {
    let request = try PadRequest(bytes)
    require(bytes.count <= PadRequest.maximumLength, "a request has a maximum length")
    if case .set(let wishes, _) = request { try hold(wishes) }
  } catch {
    let reply = PadReply(error)
    require(reply.error?.message.isEmpty == false, "a refusal has a reason")
    hold(reply)
  }
}

private func hold(_ reply: PadReply) {
  let line = reply.line
  line.withUnsafeBufferPointer(JSONValidator.hold)
  require(PadReply(line: Array(line.dropLast())) == reply, "a written reply can be read: \(reply)")
}

private func hold(_ wishes: [PadSetting: PadWish]) throws(PadError) {
  require(!wishes.isEmpty, "a request names a setting")
  for (setting, wish) in wishes {
    let control = try FuzzedPad.device.layout.control(setting)
    let value = try control.value(for: wish)
    require(control.values.contains(value), "\(value) is in the range of the pad")
    require(!control.sentence(of: value).isEmpty, "a value has a sentence")
  }
}
