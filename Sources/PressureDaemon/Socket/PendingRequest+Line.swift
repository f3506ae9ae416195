internal import PressureClient
internal import PressureKit
internal import PressureProtocol

extension PendingRequest {
  /// Understands a line as far as possible; nil where it asks for nothing.
  init?(_ line: LineFramer.Line) {
    switch line {
    case .tooLong:
      let limit = Request.maximumLength
      command = .failure(RequestError(.lineTooLong, "a request is at most \(limit) bytes long"))
      isLast = true
    case .whole(let bytes):
      // Who presses return at a prompt has asked for nothing.
      guard bytes.contains(where: { $0 > 0x20 }) else { return nil }
      do throws(RequestError) {
        let request = try bytes.withUnsafeBufferPointer { line throws(RequestError) in
          try Request(line: line)
        }
        self.request = request
        command = .success(try Command(request))
      } catch {
        command = .failure(error)
      }
    }
  }
}
