@testable import PressurePads

/// The socket of a pad's service: each request is performed with values in range or refused, and each reply can be read.
func fuzzPadReply(_ input: UnsafeBufferPointer<UInt8>) {
  let bytes = Array(input)
  hold(PadReply(line: bytes))
  do throws(PadError) {
    let request = try PadRequest(bytes)
    require(bytes.count <= PadRequest.maximumLength, "a request has a maximum length")
    if case .set(let targets, _) = request { try hold(targets) }
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

private func hold(_ targets: [PadSetting: PadTarget]) throws(PadError) {
  require(!targets.isEmpty, "a request names a setting")
  for (setting, target) in targets {
    let control = try FuzzedPad.device.layout.control(setting)
    let value = try control.value(for: target)
    require(control.values.contains(value), "\(value) is in the range of the pad")
    require(!control.sentence(of: value).isEmpty, "a value has a sentence")
  }
}
